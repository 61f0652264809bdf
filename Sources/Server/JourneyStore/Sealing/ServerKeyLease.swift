/// How long a server seals by what it knows of the server keys without asking the database again.
///
/// A server that stood still, or was cut off, during a rotation does not know that its key was retired. A key is retired only when every
/// server that does not use the new key has been silent for ``ServerKeyRotation/absence``; servers report every ten seconds. The lease is
/// shorter than what is left of that time, so no server that missed the rotation still seals under a retired key. Besides, the transaction
/// that stores something sealed refuses a retired key, whatever a clock says.
package enum ServerKeyLease {
  package static let length = Duration.seconds(15)
}

/// Nothing was written: the sealing key is retired, or the database was not asked for too long whether it is.
///
/// ``ServerStore/sealing(_:)`` asks the database and tries once more.
package struct OutdatedKey: Error, CustomStringConvertible {
  package let description: String

  /// The error if the database says nothing new about its keys.
  let otherwise: StoreError?

  /// - Parameter otherwise: an error that was found by possibly outdated keys.
  package init(_ description: String, otherwise: StoreError? = nil) {
    (self.description, self.otherwise) = (description, otherwise)
  }

  /// The error of a statement that stores something sealed under the retired key `id`.
  package init(retired id: String) {
    self.init("the server key \(id) was retired, and this server had not noticed")
  }
}

/// The fence in the tables themselves against rows that are sealed under a retired or unknown key.
package enum KeyFence {
  /// SQLite's message for a row that is sealed under a retired or unknown key.
  static let message = "the row is sealed under a server key that is retired or unknown"

  /// The same as an SQLSTATE.
  package static let sqlState = "SR001"

  /// A condition for statements that store a seal, because a seal does not name its key.
  ///
  /// - Parameter place: the placeholder of the key's id.
  package static func isNotRetired(_ place: String) -> String {
    "NOT EXISTS (SELECT 1 FROM server_keys WHERE server_keys.id = \(place) AND retired_at IS NOT NULL)"
  }

  /// The advisory lock of PostgreSQL that all transactions share which store something sealed under a server key; the tables' triggers take
  /// it. It belongs to one database, and ends with the transaction. "sealring" in ASCII.
  package static let lock = 0x7365_616C_7269_6E67

  /// Waits for all transactions that store something sealed, and keeps out new ones.
  static let alone = SQLStatement(SQL(sqlite: "", postgres: "SELECT pg_advisory_xact_lock(\(lock))"))
}
