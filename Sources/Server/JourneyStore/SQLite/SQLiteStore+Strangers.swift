internal import Concurrency
internal import GRDB

extension SQLiteStore {
  /// Counting all rows at each failure would cost more than the failure, so it is done after every hundredth part of those
  /// that may stay.
  func isTimeToForgetStrangers() -> Bool {
    let pause = max(1, quotas.failuresOfUnknownNames / 100)
    return countedFailures.withLock { count in
      count = (count + 1) % pause
      return count == 0
    }
  }

  /// Forgets the failures of names that nobody has, beyond the `number` that failed last. The names of accounts are never
  /// forgotten: their number is that of the accounts.
  static func forgetStrangers(beyond number: Int, in db: Database) throws {
    _ = try db.change(
      """
      DELETE FROM lockouts WHERE (realm_key, name_key, kind, device) IN (
        SELECT realm_key, name_key, kind, device FROM lockouts AS old
          WHERE NOT EXISTS (SELECT 1 FROM users WHERE realm_key = old.realm_key AND name_key = old.name_key)
          ORDER BY latest_failure DESC LIMIT -1 OFFSET ?)
      """, [number])
  }
}
