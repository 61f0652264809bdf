internal import DeviceKeys
internal import Foundation
internal import PingLogger
internal import UserVerification

/// Deletes private keys together with their descriptions: the private key first, because the description tells the next binding
/// that there is something to delete.
struct KeyRemoval: Sendable {
  let keyStore: any DeviceKeyStore
  let vault: AuthorizationVault
  let storage: UserKeysStorage
  let logger: any Logger

  /// Deletes the leftovers of crashed bindings and unfinished removals.
  ///
  /// - Throws: When the storage cannot be read. A key that cannot be deleted is logged and left for the next time.
  func removeLeftovers(now: Date) async throws {
    let leftovers = try await storage.leftovers(now: now)
    await attempt("Keys of an earlier binding could not be removed; the next binding tries again") {
      try await remove(leftovers)
    }
  }

  /// Deletes the keys that the binding just committed has replaced. A failure does not undo the binding.
  func removeRetired() async {
    await attempt("The replaced key could not be removed; the next binding tries again") {
      try await remove(try await storage.leftovers(now: .distantPast).filter(\.isRetired))
    }
  }

  /// Undoes the binding of `kid`: the key that was bound before is bound again, and the new key is removed.
  func rollBack(kid: String) async {
    await attempt("The key of a failed binding could not be removed; the next binding tries again") {
      try await storage.revoke(kid: kid)
      try await remove(try await storage.leftovers(now: .distantPast).filter { $0.kid == kid })
    }
  }

  /// Removes a bound key that can never sign again. A failure leaves that to the next binding.
  func removeInvalidated(kid: String) async {
    await attempt("A key that is no longer valid could not be removed; the next binding tries again") {
      try await remove(try await storage.retire { $0.kid == kid })
    }
  }

  /// Deletes the private key `tag`, unless it belongs to a bound key.
  func removeUnused(tag: String) async {
    await attempt("A key made after its binding had ended could not be removed") {
      if try await !storage.tagsInUse().contains(tag) { try await deletePrivate(tag: tag) }
    }
  }

  /// Deletes the private keys and descriptions of `keys`, which are not bound.
  func remove(_ keys: [UserKey]) async throws {
    guard !keys.isEmpty else { return }
    let inUse = try await storage.tagsInUse(except: Set(keys.map(\.kid)))
    for key in keys {
      if !inUse.contains(key.keyTag) { try await deletePrivate(tag: key.keyTag) }
      try await storage.forget(kids: [key.kid])
    }
  }

  /// Deletes a private key, then the authorisation value that unlocks it.
  private func deletePrivate(tag: String) async throws {
    try await keyStore.deleteKey(tag: tag)
    try vault.remove(tag: tag)
  }

  /// Runs `body` to its end even when this task has been cancelled, and logs its failure.
  private func attempt(_ failure: String, _ body: @escaping @Sendable () async throws -> Void) async {
    await Task {
      do { try await body() } catch { logger.w(failure, error: error) }
    }.value
  }
}
