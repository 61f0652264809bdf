internal import PingLogger
internal import PingOrchestrate

/// A new key between the proof of it and the server's answer: the last step of a binding, either way.
struct BindingHandover: Sendable {
  let kid: String
  let keys: KeyRemoval

  /// Ends the binding as the journey went on.
  ///
  /// - Returns: Whether it has ended. It has not when nobody knows whether the server received the answer: the app may
  ///   answer the same node again.
  func end(with node: any Node) async -> Bool {
    switch node {
    case is FailureNode: return false
    case is ErrorNode: await keys.rollBack(kid: kid)
    default:
      do { try await complete() } catch {
        keys.logger.w(
          "The server took the new key, but it could not be noted; the earlier one stays", error: error)
      }
    }
    return true
  }

  /// Makes the new key the user's key, and removes the ones that it replaces.
  func complete() async throws {
    try await keys.storage.commit(kid: kid)
    await keys.removeRetired()
  }
}
