internal import DeviceKeys
internal import Foundation
internal import PingLogger
internal import UserVerification

/// Deletes private keys together with their descriptions: the private key first, because the description is what tells
/// the next binding that there is something to delete.
struct KeyRemoval: Sendable {
  let keyStore: any DeviceKeyStore
  let vault: AuthorizationVault
  let storage: UserKeysStorage
  let logger: any Logger

  /// Deletes what crashed bindings and unfinished removals have left behind.
  ///
  /// - Throws: When the storage cannot be read. A key that cannot be deleted is logged and waits for the next time.
  func removeLeftovers(now: Date) async throws {
    let leftovers = try await storage.leftovers(now: now)
    guard !leftovers.isEmpty else { return }
    do {
      try await remove(leftovers)
    } catch {
      logger.w("Keys of an earlier binding could not be removed; the next binding tries again", error: error)
    }
  }

  /// Deletes the keys that the binding just committed has replaced. A failure does not undo the binding.
  func removeRetired() async {
    await shielded {
      do {
        try await remove(try await storage.leftovers(now: .distantPast).filter(\.isRetired))
      } catch {
        logger.w("The replaced key could not be removed; the next binding tries again", error: error)
      }
    }
  }

  /// Takes the binding of `kid` back: what was bound before is bound again, and the new key is gone.
  func rollBack(kid: String) async {
    await shielded {
      do {
        try await storage.revoke(kid: kid)
        try await remove(try await storage.leftovers(now: .distantPast).filter { $0.kid == kid })
      } catch {
        logger.w(
          "The key of a failed binding could not be removed; the next binding tries again", error: error)
      }
    }
  }

  /// Removes a bound key that can never sign again. A failure leaves that to the next binding.
  func removeInvalidated(kid: String) async {
    await shielded {
      do {
        try await remove(try await storage.retire { $0.kid == kid })
      } catch {
        logger.w(
          "A key that is no longer valid could not be removed; the next binding tries again", error: error)
      }
    }
  }

  /// Deletes the private key `tag`, unless it is a bound key's.
  func removeUnused(tag: String) async {
    do {
      guard try await !storage.tagsInUse().contains(tag) else { return }
      try await deletePrivate(tag: tag)
    } catch {
      logger.w("A key that came too late could not be removed", error: error)
    }
  }

  /// Deletes the private keys and descriptions of `keys`, which are not bound.
  func remove(_ keys: [UserKey]) async throws {
    let inUse = try await storage.tagsInUse(except: Set(keys.map(\.kid)))
    for key in keys {
      if !inUse.contains(key.keyTag) { try await deletePrivate(tag: key.keyTag) }
      try await storage.forget(kids: [key.kid])
    }
  }

  /// Deletes a private key, then what would unlock it.
  private func deletePrivate(tag: String) async throws {
    try await keyStore.deleteKey(tag: tag)
    try vault.remove(tag: tag)
  }

  /// Runs `body` to its end even when this task has been cancelled.
  private func shielded(_ body: @escaping @Sendable () async -> Void) async {
    await Task { await body() }.value
  }
}
