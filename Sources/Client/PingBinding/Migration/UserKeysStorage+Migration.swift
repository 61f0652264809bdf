internal import Foundation

extension UserKeysStorage {
  /// What became of keys that were to be adopted, by key id.
  struct Adoption: Sendable {
    /// Those that were not there before.
    var added: Set<String> = []
    /// Those that were there already.
    var known: Set<String> = []
    /// Those whose key id belongs to another key; they were not adopted.
    var refused: Set<String> = []
  }

  /// Adds those of `keys` that are not there yet, all in one change, and reads them back.
  ///
  /// - Parameter keys: Bound keys with different key ids.
  /// - Throws: What the storage throws, or ``AdoptionError``; then nothing may rely on the keys being there.
  func adopt(_ keys: [UserKey]) async throws -> Adoption {
    let adoption = try await update { records in
      var adoption = Adoption()
      for key in keys {
        guard let record = records.first(where: { $0.kid == key.kid }) else {
          records.append(key)
          adoption.added.insert(key.kid)
          continue
        }
        if record.userId == key.userId, record.keyTag == key.keyTag {
          adoption.known.insert(key.kid)
        } else {
          adoption.refused.insert(key.kid)
        }
      }
      return adoption
    }
    let stored = Dictionary(try await records().map { ($0.kid, $0) }) { first, _ in first }
    for key in keys where adoption.added.contains(key.kid) {
      guard let record = stored[key.kid], record.isSame(as: key) else {
        throw AdoptionError.readBack(kid: key.kid)
      }
    }
    return adoption
  }
}

/// Why adopted keys cannot be relied on.
enum AdoptionError: LocalizedError, Hashable {
  /// The storage took the key and did not give it back.
  case readBack(kid: String)

  var errorDescription: String? {
    switch self {
    case .readBack(let kid):
      "The storage took the key \(kid) and did not give it back as it was. Check the storage that the app has set."
    }
  }
}

extension UserKey {
  /// Whether this is `other` as a storage gives it back: a time may have lost its last bits, and another process may have
  /// gone on with the key since.
  fileprivate func isSame(as other: UserKey) -> Bool {
    keyTag == other.keyTag && userId == other.userId && username == other.username
      && authType == other.authType && biometricDomainState == other.biometricDomainState
      && abs(createdAt.timeIntervalSince(other.createdAt)) < 0.001
  }
}
