package import Foundation

/// What a database says about one of its server keys. It does not contain the key itself.
///
/// A key is first announced, so that all servers get it and accept what others encrypt under it. Then it is used. Once its successor is
/// used, it only decrypts. In the end it is retired, and nothing under it is accepted.
package struct ServerKeyEntry: Sendable, Hashable, Identifiable {
  /// ``LoadedServerKey/id``
  package var id: String

  /// 0 for the first key of a database, 1 for the next.
  package var generation: Int64
  package var announcedAt: Date
  package var activatedAt: Date?
  package var retiredAt: Date?

  /// Whether even what was signed or sealed with it for a limited time is refused, because others may have the key.
  package var isRevoked: Bool

  package var isRetired: Bool { retiredAt != nil }

  /// The stored name of a secret that is made for each key. The secrets of the first key have the names from before rotation.
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

  /// The ids of keys that it has loaded together with everything that they protect.
  package var keys: Set<String>

  /// The key under which it encrypts; `nil` when it lacks the one in use.
  package var current: String?

  package init(_ row: StoredRow) throws {
    server = try row.text("server")
    keys = Set(try row.text("keys").split(separator: " ").map(String.init))
    current = try row.optionalText("uses")
  }
}
