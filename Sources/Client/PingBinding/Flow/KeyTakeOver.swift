internal import PingLogger

/// A key of which nobody knew where it belongs, between a signature by it and the server's answer: a server that accepts it
/// has it from then on. One that only asked for it has not.
struct KeyTakeOver: Sendable {
  private let kid: String
  private let scope: KeyScope
  private let storage: UserKeysStorage
  private let logger: any Logger

  /// `nil` when it is known where `key` belongs, or who asks is not.
  init?(of key: UserKey, by dependencies: BindingDependencies) {
    guard key.scope == nil, let scope = dependencies.scope else { return nil }
    (kid, self.scope, storage, logger) = (key.kid, scope, dependencies.storage, dependencies.logger)
  }

  func complete() async {
    do {
      try await storage.takeOver(kid: kid, by: scope)
    } catch {
      logger.w("It could not be noted that the key \(kid) belongs to \(scope.server)", error: error)
    }
  }
}
