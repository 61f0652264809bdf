internal import PingLogger
internal import PingOrchestrate

/// A new key between its proof and the server's answer: the last step of a binding.
struct BindingHandover: Sendable {
  let kid: String
  let keys: KeyRemoval

  /// Ends the binding according to the next node.
  ///
  /// - Returns: Whether the binding has ended. It stays open when it is unknown whether the server received the answer, because
  ///   the app may answer the same node again.
  func end(with node: any Node) async -> Bool {
    switch node {
    case is FailureNode: return false
    case is ErrorNode: await keys.rollBack(kid: kid)
    default:
      do { try await complete() } catch {
        keys.logger.w(
          "The server accepted the new key, but this could not be stored; the earlier key stays", error: error
        )
      }
    }
    return true
  }

  /// Makes the new key the user's key, and removes the keys that it replaces.
  func complete() async throws {
    try await keys.storage.commit(kid: kid)
    await keys.removeRetired()
  }
}

/// A key without a recorded server, between its signature and the server's answer. A server that accepts the signature becomes the
/// key's server. Asking for a signature is not enough for that, and ``UnplacedKey`` has the server confirmed before.
struct KeyTakeOver: Sendable {
  private let kid: String
  private let scope: KeyScope
  private let storage: UserKeysStorage
  private let logger: any Logger

  /// `nil` when the server of `key` is known, or the asking server is not.
  init?(of key: UserKey, by dependencies: BindingDependencies) {
    guard key.scope == nil, let scope = dependencies.scope else { return nil }
    (kid, self.scope, storage, logger) = (key.kid, scope, dependencies.storage, dependencies.logger)
  }

  func complete() async {
    do {
      try await storage.takeOver(kid: kid, by: scope)
    } catch {
      logger.w("The key \(kid) belongs to \(scope.server), but this could not be stored", error: error)
    }
  }
}
