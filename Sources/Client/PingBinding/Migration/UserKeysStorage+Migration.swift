internal import Foundation
internal import LegacyMigration

extension UserKeysStorage {
  /// Adds the `keys` that are not there yet, in one change, and reads them back.
  ///
  /// - Parameter keys: Bound keys with different key ids.
  /// - Throws: The storage's errors, or ``AdoptionError``; the keys may then be missing.
  func adopt(_ keys: [UserKey]) async throws -> MigrationAdoption {
    let adoption = try await update { records in
      var adoption = MigrationAdoption()
      for key in keys {
        if let record = records.first(where: { $0.kid == key.kid }) {
          let isSame = record.userId == key.userId && record.keyTag == key.keyTag
          if isSame { adoption.known.insert(key.kid) } else { adoption.refused.insert(key.kid) }
        } else {
          records.append(key)
          adoption.added.insert(key.kid)
        }
      }
      return adoption
    }
    let stored = Dictionary(try await records().map { ($0.kid, $0) }) { first, _ in first }
    for key in keys where adoption.added.contains(key.kid) {
      guard let record = stored[key.kid], record.isSame(as: key) else {
        throw AdoptionError(kid: key.kid)
      }
    }
    return adoption
  }
}

/// The storage saved a key, but did not return it unchanged.
struct AdoptionError: LocalizedError, Hashable {
  let kid: String

  var errorDescription: String? {
    "The storage saved the key \(kid), but did not return it unchanged. Check the storage that the app has set."
  }
}

extension UserKey {
  /// Whether this is `other` as a storage returns it: times may have been rounded, and another process may have changed the key's
  /// state in the meantime.
  fileprivate func isSame(as other: UserKey) -> Bool {
    keyTag == other.keyTag && userId == other.userId && username == other.username
      && authType == other.authType && biometricDomainState == other.biometricDomainState
      && abs(createdAt.timeIntervalSince(other.createdAt)) < 0.001
  }
}
