internal import PingLogger

/// Removes a binding: the server's record first, because a deleted key can no longer be named to the server.
///
/// Between the two, the description says that the record is gone. An unbinding that was interrupted there is completed
/// without the server: by the next call, or by the next binding, which deletes leftovers.
struct UnbindFlow: Sendable {
  let server: any DeviceUnbinding
  let removal: KeyRemoval

  func unbind(_ key: UserKey, forceDelete: Bool) async throws(UnbindingError) -> UnbindingResult {
    var (wasThere, refusal): (Bool, (any Error)?) = (false, nil)
    if try await !isKnownToBeGone(key) {
      do {
        if let misplaced = misplaced(key) { throw misplaced }
        wasThere = try await server.deleteRecord(of: key)
      } catch {
        // A cancelled task was not refused, so nothing is forced.
        guard forceDelete, !Task.isCancelled else {
          throw UnbindingError(record: .kept(error), isKeyDeleted: false)
        }
        removal.logger.w("The server kept its record of a binding; the key is deleted anyway", error: error)
        refusal = error
      }
    }
    let keyError = await deleteKey(key, recordIsGone: refusal == nil)
    let record = refusal.map(UnbindingError.Record.kept) ?? .gone
    if let keyError { throw UnbindingError(record: record, isKeyDeleted: false, keyError: keyError) }
    if refusal != nil { throw UnbindingError(record: record, isKeyDeleted: true) }
    return wasThere ? .deleted : .alreadyGone
  }

  /// Why `server` is not asked; `nil` when it is. A server without the record would call it gone, and deleting the key would orphan it.
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
      return try await removal.storage.isUnbound(kid: key.kid)
    } catch {
      throw UnbindingError(record: .untouched, isKeyDeleted: false, keyError: error)
    }
  }

  /// Deletes the key even when this task has been cancelled: the server's part cannot be undone.
  private func deleteKey(_ key: UserKey, recordIsGone: Bool) async -> (any Error)? {
    await Task { () -> (any Error)? in
      do {
        try await removal.remove(try await removal.storage.unbind(kid: key.kid, recordIsGone: recordIsGone))
        return nil
      } catch {
        return error
      }
    }.value
  }
}

extension UserKeysStorage {
  /// Whether the server is known to have deleted its record of the key `kid`, whose private key is still to be deleted.
  func isUnbound(kid: String) async throws -> Bool {
    try await records().contains { $0.kid == kid && $0.state == .unbound }
  }

  /// Retires the key `kid`, bound or not, and returns it with the keys of other interrupted unbindings: their private keys are to
  /// be deleted.
  ///
  /// - Parameter recordIsGone: Whether to record that the server has deleted its record.
  func unbind(kid: String, recordIsGone: Bool) async throws -> [UserKey] {
    let isAffected: @Sendable (UserKey) -> Bool = { key in
      switch key.state {
      case nil, .unconfirmed, .retired: key.kid == kid
      case .unbound: true
      case .pending: false
      }
    }
    guard try await records().contains(where: isAffected) else { return [] }
    return try await update { keys in
      for index in keys.indices where keys[index].kid == kid && isAffected(keys[index]) {
        if keys[index].state != .unbound { keys[index].state = recordIsGone ? .unbound : .retired(by: nil) }
      }
      return keys.filter(isAffected)
    }
  }
}
