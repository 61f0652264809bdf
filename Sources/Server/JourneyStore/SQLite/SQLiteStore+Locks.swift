public import Foundation
internal import GRDB
internal import StrictJSON

extension SQLiteStore {
  public func locks(usernames: [String], realm: String, now: Date) async throws -> [String: AccountLocks] {
    let names = Dictionary(usernames.map { (AccountKey(username: $0, realm: realm).name, $0) }) { first, _ in
      first
    }
    let arguments: StatementArguments = [
      RealmKey(realm).realm, JSONValue.array(names.keys.map { .string($0) }).text,
      now.timeIntervalSince1970,
    ]
    let rows = try await read { db in
      try db.all("lockouts", LockSQL.ofNames, arguments) { row in
        (name: try row.text("name_key"), kind: try row.text("kind"), until: try row.date("until"))
      }
    }
    var locks: [String: AccountLocks] = [:]
    for row in rows {
      guard let name = names[row.name] else { continue }
      var known = locks[name] ?? AccountLocks()
      if row.kind == LockoutScope.Kind.signatures.rawValue {
        known.signatures = row.until
      } else {
        // One-time codes are guesses, too.
        known.guesses = max(known.guesses ?? row.until, row.until)
      }
      locks[name] = known
    }
    return locks
  }
}

private enum LockSQL {
  /// ?1 realm, ?2 names as a JSON array, ?3 now.
  static let ofNames = """
    SELECT name_key, kind, max(locked_until) AS until FROM lockouts
      WHERE realm_key = ?1 AND name_key IN (SELECT value FROM json_each(?2)) AND locked_until > ?3
      GROUP BY name_key, kind
    """
}
