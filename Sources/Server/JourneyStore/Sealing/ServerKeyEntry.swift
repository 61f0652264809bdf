package import Foundation

/// What a database says of one of its server keys. The key itself is not there.
///
/// A key is announced first, so that all servers get it and accept what others encrypt under it; then it is used; when its
/// successor is, it is only read with; in the end it is retired, and nothing of it counts.
package struct ServerKeyEntry: Sendable, Hashable, Identifiable {
  /// ``LoadedServerKey/id``
  package var id: String

  /// 0 for the first key of a database, 1 for the next.
  package var generation: Int64
  package var announcedAt: Date
  package var activatedAt: Date?
  package var retiredAt: Date?

  /// Whether what was signed or sealed for a limited time by means of it counts no more either, because others may have it.
  package var isRevoked: Bool

  package var isRetired: Bool { retiredAt != nil }

  /// The name under which a secret is stored that is made anew with each key: those of the first one have the names from before rotation.
  func name(ofSecret name: String) -> String { generation == 0 ? name : "\(name) \(id)" }

  package init(_ row: StoredRow) throws {
    id = try row.text("id")
    generation = Int64(try row.integer("generation"))
    announcedAt = try row.date("announced_at")
    activatedAt = try row.optionalDate("activated_at")
    retiredAt = try row.optionalDate("retired_at")
    isRevoked = try row.optionalDate("revoked_at") != nil
  }
}

/// A server that uses the database, and the keys that it has.
package struct ServerKeyHolder: Sendable, Hashable {
  /// Chosen by the server at its start.
  package var server: String

  /// Ids of keys, with all that they protect loaded.
  package var keys: Set<String>

  /// The key under which it encrypts; `nil` when it lacks the one in use.
  package var current: String?

  package init(_ row: StoredRow) throws {
    server = try row.text("server")
    keys = Set(try row.text("keys").split(separator: " ").map(String.init))
    current = try row.optionalText("uses")
  }
}
