public import Foundation
internal import GRDB

extension SQLiteStore {
  /// Rows removed by one write, so that no sign-in waits long behind it.
  private static let portion = 500

  /// Failures of names that nobody has, and of single known devices, are kept this long after the last one. Seconds.
  private static let unknownNameMemory: TimeInterval = 86_400

  /// Applications can read their transactions this long after they have expired. Seconds.
  private static let transactionMemory: TimeInterval = 30 * 86_400

  /// An answered message is kept this long after its end, because the journey that sent it may still ask. Seconds.
  private static let answerMemory: TimeInterval = 900

  /// What became of push messages can be read this long. Seconds.
  private static let decisionMemory: TimeInterval = 400 * 86_400

  private static let statements = [
    """
    DELETE FROM push_decisions WHERE number IN
      (SELECT number FROM push_decisions WHERE decided_at <= ?1 - \(Int(decisionMemory)) LIMIT ?2)
    """,
    """
    DELETE FROM push_messages WHERE rowid IN
      (SELECT rowid FROM push_messages WHERE expires_at <= ?1 - \(Int(answerMemory)) LIMIT ?2)
    """,
    """
    DELETE FROM sessions WHERE rowid IN (SELECT rowid FROM sessions WHERE ends_at <= ?1 LIMIT ?2)
    """,
    """
    DELETE FROM consumed WHERE key IN (SELECT key FROM consumed WHERE expires_at <= ?1 LIMIT ?2)
    """,
    """
    DELETE FROM lockouts WHERE (realm_key, name_key, kind, device) IN (
      SELECT realm_key, name_key, kind, device FROM lockouts AS old
      WHERE latest_failure <= ?1 - \(Int(unknownNameMemory)) AND (locked_until > ?1) IS NOT TRUE
        AND (device != '' OR NOT EXISTS (
          SELECT 1 FROM users WHERE realm_key = old.realm_key AND name_key = old.name_key))
      LIMIT ?2)
    """,
    """
    DELETE FROM transactions WHERE id IN (
      SELECT id FROM transactions WHERE expires_at <= ?1 - \(Int(transactionMemory)) LIMIT ?2)
    """,
  ]

  public func removeExpired(now: Date) async throws {
    let moment = now.timeIntervalSince1970
    for statement in Self.statements {
      var removed = Self.portion
      while removed == Self.portion {
        removed = try await write("the removal of what has expired") { db in
          try db.change(statement, [moment, Self.portion])
        }
      }
    }
  }
}
