extension UserKeysStorage {
  /// Whether the server is known to have deleted its record of the key `kid`, whose private key is still to be deleted.
  func isUnbound(kid: String) async throws -> Bool {
    try await records().contains { $0.kid == kid && $0.state == .unbound }
  }

  /// Retires the key `kid`, bound or not, and returns it with those of other interrupted unbindings: their private keys are
  /// now to be deleted.
  ///
  /// - Parameter recordIsGone: Remembers that the server has deleted its record.
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
