internal import PingLogger

/// Removes a binding: the server's record first, because a key that is gone cannot be named to the server any more.
///
/// Between the two, the description says that the record is gone. So an unbinding that was interrupted there is completed
/// without the server: by the next call, or by the next binding, which deletes what is left over.
struct UnbindFlow: Sendable {
  let server: any DeviceUnbinding
  let storage: UserKeysStorage
  let removal: KeyRemoval
  let logger: any Logger

  func unbind(_ key: UserKey, forceDelete: Bool) async throws(UnbindingError) -> UnbindingResult {
    var (wasThere, refusal): (Bool, (any Error)?) = (false, nil)
    if try await !isKnownToBeGone(key) {
      do {
        if let misplaced = misplaced(key) { throw misplaced }
        wasThere = try await server.deleteRecord(of: key)
      } catch {
        // Who cancels has changed their mind, and has not been refused.
        guard forceDelete, !Task.isCancelled else {
          throw UnbindingError(record: .kept(error), isKeyDeleted: false)
        }
        logger.w("The server kept its record of a binding whose key is deleted now", error: error)
        refusal = error
      }
    }
    let keyError = await deleteKey(key, recordIsGone: refusal == nil)
    let record = refusal.map(UnbindingError.Record.kept) ?? .gone
    if let keyError { throw UnbindingError(record: record, isKeyDeleted: false, keyError: keyError) }
    if refusal != nil { throw UnbindingError(record: record, isKeyDeleted: true) }
    return wasThere ? .deleted : .alreadyGone
  }

  /// Why the server is not asked: another server's answer says nothing about the record, and deleting the key by it would leave
  /// the record for good.
  private func misplaced(_ key: UserKey) -> (any Error)? {
    guard let scope = key.scope, let place = server.place,
      let asked = KeyScope(server: place.server, realm: place.realm), asked != scope
    else { return nil }
    return DeviceBindingError.unsupported(
      errorMessage:
        "The key belongs to \(scope.server), realm \(scope.realm), and not to \(asked.server), realm"
        + " \(asked.realm). Unbind it there.")
  }

  private func isKnownToBeGone(_ key: UserKey) async throws(UnbindingError) -> Bool {
    do {
      return try await storage.isUnbound(kid: key.kid)
    } catch {
      throw UnbindingError(record: .untouched, isKeyDeleted: false, keyError: error)
    }
  }

  /// Deletes the key although this task may have been cancelled: the server's part cannot be taken back.
  private func deleteKey(_ key: UserKey, recordIsGone: Bool) async -> (any Error)? {
    await Task { () -> (any Error)? in
      do {
        try await removal.remove(try await storage.unbind(kid: key.kid, recordIsGone: recordIsGone))
        return nil
      } catch {
        return error
      }
    }.value
  }
}
