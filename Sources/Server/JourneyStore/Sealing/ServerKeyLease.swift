/// How long a server seals by what it knows of the server keys without asking the database again.
///
/// A server that stood still, or was cut off, while the key was rotated does not know that its key was retired. Whoever retires
/// a key waits until a server that does not use the new one has not been heard of for ``ServerKeyRotation/absence``; servers say
/// that they run every ten seconds. So the lease is shorter than what is left of that time: when the key is retired, no server
/// that missed it seals under it any more. What is stored besides counts only if the key is not retired in the transaction that
/// stores it, whatever a clock says.
package enum ServerKeyLease {
  package static let length = Duration.seconds(15)
}

/// Nothing was written: the key that was to seal it is retired, or nobody has asked for too long whether it is.
///
/// ``ServerStore/sealing(_:)`` asks the database and tries once more.
package struct OutdatedKey: Error, CustomStringConvertible {
  package let description: String

  /// What is wrong if the database says nothing new of its keys.
  let otherwise: StoreError?

  /// - Parameter otherwise: found by keys that may not be those of now.
  package init(_ description: String, otherwise: StoreError? = nil) {
    (self.description, self.otherwise) = (description, otherwise)
  }

  /// What a statement found that stores something sealed under the key `id`.
  package init(retired id: String) {
    self.init("the server key \(id) was retired while this server did not look")
  }
}

/// What the tables themselves refuse.
package enum KeyFence {
  /// What SQLite says when a row is sealed under a key that does not count.
  static let message = "the row is sealed under a server key that is retired or unknown"

  /// The same as an SQLSTATE.
  package static let sqlState = "SR001"

  /// A condition of statements that store a seal, which does not say itself which key it is of.
  ///
  /// - Parameter place: of the key's id.
  package static func isNotRetired(_ place: String) -> String {
    "NOT EXISTS (SELECT 1 FROM server_keys WHERE server_keys.id = \(place) AND retired_at IS NOT NULL)"
  }

  /// The lock of PostgreSQL that whoever stores something sealed under a server key shares, by the tables' triggers. It is of one
  /// database, and ends with the transaction. "sealring" in ASCII.
  package static let lock = 0x7365_616C_7269_6E67

  /// Waits for all who store something sealed.
  static let alone = SQLStatement(SQL(sqlite: "", postgres: "SELECT pg_advisory_xact_lock(\(lock))"))
}
