public import BindingFormats
public import Foundation
internal import GRDB

extension SQLiteStore {
  public func consume(_ key: [UInt8], until expiry: Date) async throws -> Bool {
    try await write("a consumed key") { db in try Self.consume(key, until: expiry, in: db) }
  }

  public func prolong(_ key: [UInt8], until expiry: Date) async throws {
    try await write("a consumed key") { db in
      try Self.prolong(OnceKey(key: key, expiry: expiry), in: db)
    }
  }

  public func expiry(of key: [UInt8]) async throws -> Date? {
    try await look { db in
      try db.all("consumed", SharedSQL.expiryOfConsumed, [key]) { try $0.date("expires_at") }.first
    }
  }

  static func prolong(_ key: OnceKey?, in db: Database) throws {
    guard let key else { return }
    try db.change(SharedSQL.prolongConsumed, [key.key, key.expiry])
  }

  public func user(_ account: UniversalID, using step: OnceKey) async throws -> StepReading {
    let key = AccountKey(account)
    return try await write("an answered step") { db in
      guard try Self.consume(step.key, until: step.expiry, in: db) else { return .used }
      return .first(try Self.user(key, in: db))
    }
  }

  static func consume(_ key: [UInt8], until expiry: Date, in db: Database) throws -> Bool {
    try db.change(
      "INSERT INTO consumed (key, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING", [key, expiry]) == 1
  }

  /// Consumes a step, if there is one; `false` when somebody has before.
  static func consume(_ step: OnceKey?, in db: Database) throws -> Bool {
    try step.map { try consume($0.key, until: $0.expiry, in: db) } ?? true
  }

  private static let statements = [
    """
    DELETE FROM push_decisions WHERE number IN
      (SELECT number FROM push_decisions WHERE decided_at <= ?1 - \(Int(Retention.pushDecisions)) LIMIT ?2)
    """,
    """
    DELETE FROM push_messages WHERE rowid IN
      (SELECT rowid FROM push_messages WHERE expires_at <= ?1 - \(Int(Retention.pushMessages)) LIMIT ?2)
    """,
    """
    DELETE FROM sessions WHERE rowid IN (SELECT rowid FROM sessions WHERE ends_at <= ?1 LIMIT ?2)
    """,
    """
    DELETE FROM consumed WHERE key IN
      (SELECT key FROM consumed WHERE expires_at <= ?1 - \(Int(Retention.consumed)) LIMIT ?2)
    """,
    """
    DELETE FROM suspended_journeys WHERE (realm_key, id_hash) IN
      (SELECT realm_key, id_hash FROM suspended_journeys WHERE expires_at <= ?1 LIMIT ?2)
    """,
    """
    DELETE FROM lockouts WHERE (realm_key, name_key, kind, device) IN (
      SELECT realm_key, name_key, kind, device FROM lockouts AS old
      WHERE latest_failure <= ?1 - \(Int(Retention.unknownNames)) AND (locked_until > ?1) IS NOT TRUE
        AND (device != '' OR NOT EXISTS (
          SELECT 1 FROM users WHERE realm_key = old.realm_key AND name_key = old.name_key))
      LIMIT ?2)
    """,
    """
    DELETE FROM transactions WHERE id IN (
      SELECT id FROM transactions WHERE expires_at <= ?1 - \(Int(Retention.transactions)) LIMIT ?2)
    """,
    """
    DELETE FROM evidence_use WHERE (realm_key, name_key) IN (
      SELECT realm_key, name_key FROM evidence_use WHERE day < (?1 - \(Int(Retention.evidenceUse))) / 86400 LIMIT ?2)
    """,
  ]

  public func removeExpired(now: Date) async throws {
    for statement in Self.statements {
      var removed = Retention.portion
      while removed == Retention.portion {
        removed = try await write("the removal of what has expired") { db in
          try db.change(statement, [now, Retention.portion])
        }
      }
    }
  }
}
