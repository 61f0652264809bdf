public import BindingFormats
public import Foundation
internal import GRDB
internal import StrictJSON

extension SQLiteStore {
  public func lockout(of account: UniversalID, scope: LockoutScope) async throws -> LockoutState {
    let key = AccountKey(account)
    return try await read { db in try Self.lockout(key, scope, in: db) }
  }

  static func lockout(_ key: AccountKey, _ scope: LockoutScope, in db: Database) throws -> LockoutState {
    try LockoutCounts(key, scope, in: db).state
  }

  /// A policy without durations, or with a limit below 1, never locks.
  public func recordFailure(
    of account: UniversalID, scope: LockoutScope, policy: LockoutPolicy, now: Date
  ) async throws -> LockoutState {
    let key = AccountKey(account)
    let forgets = isTimeToForgetStrangers()
    let state = try await write("a failure of \(account.username)") { [quotas] db in
      let state = try Self.recordFailure(key, scope, policy: policy, now: now, in: db)
      if forgets { try Self.forgetStrangers(beyond: quotas.failuresOfUnknownNames, in: db) }
      return state
    }
    guard let state else {
      throw StoreError.corrupt("table lockouts: a failure of \(account.username) left no row")
    }
    return state
  }

  @discardableResult
  static func recordFailure(
    _ key: AccountKey, _ scope: LockoutScope, ofCodes: Bool = false, policy: LockoutPolicy, now: Date,
    in db: Database
  ) throws -> LockoutState? {
    let now = now.timeIntervalSince1970
    let locks = policy.failureLimit > 0 && !policy.durations.isEmpty
    let limit = locks ? policy.failureLimit : Int.max
    let durations = JSONValue.array(policy.durations.map { .number($0) }).text
    let firstLock = limit == 1 ? policy.durations.first.map { now + $0 } : nil
    let arguments: StatementArguments = [
      key.realm, key.name, now, limit, durations, policy.durations.count - 1, firstLock,
      ofCodes ? LockoutCounts.codes : scope.kind.rawValue, try LockoutCounts.device(key, scope, in: db),
    ]
    return try db.all("lockouts", recordFailure, arguments, LockoutState.init).first
  }

  /// ?1 realm, ?2 name, ?3 now, ?4 failures that lock, ?5 lengths of locks, ?6 index of the last one, ?7 end of the
  /// lock that the very first failure begins, ?8 kind, ?9 device.
  ///
  /// `IS TRUE` because comparing with no `locked_until` gives neither true nor false.
  private static let recordFailure = """
    INSERT INTO lockouts
      (realm_key, name_key, kind, device, consecutive_failures, lock_count, locked_until, latest_failure)
    VALUES (?1, ?2, ?8, ?9, ?7 IS NULL, ?7 IS NOT NULL, ?7, ?3)
    ON CONFLICT DO UPDATE SET
      consecutive_failures = CASE
        WHEN (locked_until > ?3) IS TRUE THEN consecutive_failures
        WHEN consecutive_failures + 1 >= ?4 THEN 0
        ELSE consecutive_failures + 1 END,
      lock_count = CASE
        WHEN (locked_until > ?3) IS TRUE THEN lock_count
        WHEN consecutive_failures + 1 >= ?4 THEN lock_count + 1
        ELSE lock_count END,
      locked_until = CASE
        WHEN (locked_until > ?3) IS TRUE THEN locked_until
        WHEN consecutive_failures + 1 >= ?4
          THEN ?3 + CAST(json_extract(?5, '$[' || min(lock_count, ?6) || ']') AS REAL)
        ELSE locked_until END,
      latest_failure = max(latest_failure, ?3)
    RETURNING \(LockoutState.columns)
    """

  /// A right try that has nothing to forget changes no page, and its commit waits for no disk.
  public func settleAttempt(
    of account: UniversalID, scope: LockoutScope, isRight: Bool, policy: LockoutPolicy, now: Date
  ) async throws -> Bool {
    let key = AccountKey(account)
    let forgets = !isRight && isTimeToForgetStrangers()
    return try await write("a try of \(account.username)") { [quotas] db in
      let counts = try LockoutCounts(key, scope, in: db)
      guard !counts.state.isLocked(at: now) else { return false }
      if !isRight {
        try Self.recordFailure(key, scope, policy: policy, now: now, in: db)
        if forgets { try Self.forgetStrangers(beyond: quotas.failuresOfUnknownNames, in: db) }
      } else if counts.hasFailures {
        try Self.forgetFailures(of: key, scope, in: db)
      }
      return true
    }
  }

  /// Most sign-ins have nothing to forget, so a read that disturbs nobody comes first. It decides nothing but that: a
  /// failure counted after it is one that came after the success.
  public func recordSuccess(
    of account: UniversalID, scope: LockoutScope, now: Date
  ) async throws -> Bool {
    let key = AccountKey(account)
    let counts = try await read { db in try LockoutCounts(key, scope, in: db) }
    guard !counts.state.isLocked(at: now) else { return false }
    guard counts.hasFailures else { return true }
    return try await write("the success of \(account.username)") { db in
      guard try !Self.lockout(key, scope, in: db).isLocked(at: now) else { return false }
      try Self.forgetFailures(of: key, scope, in: db)
      return true
    }
  }

  static func forgetFailures(
    of key: AccountKey, _ scope: LockoutScope, ofCodes: Bool = false, in db: Database
  ) throws {
    _ = try db.change(
      "DELETE FROM lockouts WHERE realm_key = ? AND name_key = ? AND kind = ? AND device = ?",
      [
        key.realm, key.name, ofCodes ? LockoutCounts.codes : scope.kind.rawValue,
        try LockoutCounts.device(key, scope, in: db),
      ])
  }

  public func unlock(of account: UniversalID, by caller: Caller?) async throws -> Bool {
    let key = AccountKey(account)
    return try await write("the locks of \(account.username)") { db in
      try Self.require(caller, over: key, in: db)
      return try db.change(
        "DELETE FROM lockouts WHERE realm_key = ? AND name_key = ?", [key.realm, key.name]) > 0
    }
  }
}

/// The rows of one scope.
private struct LockoutCounts {
  /// The kind of row that counts one-time codes alone, beside the one that counts all guesses: only a right code forgets
  /// them, else whoever has the password could try codes for ever.
  static let codes = "codes"

  /// Of the scope's kind.
  private let own: LockoutState
  private let codes: LockoutState

  init(_ key: AccountKey, _ scope: LockoutScope, in db: Database) throws {
    let device = try Self.device(key, scope, in: db)
    func row(_ kind: String) throws -> LockoutState {
      try db.all("lockouts", Self.read, [key.realm, key.name, kind, device], LockoutState.init).first
        ?? LockoutState()
    }
    own = try row(scope.kind.rawValue)
    codes = scope.kind == .guesses ? try row(Self.codes) : LockoutState()
  }

  /// Whether a success has something to forget.
  var hasFailures: Bool { own != LockoutState() }

  var state: LockoutState {
    var state = own
    state.lockedUntil = [own.lockedUntil, codes.lockedUntil].compactMap { $0 }.max()
    return state
  }

  /// What the column `device` has for a scope: the device if it has a count, or can still get one; else nothing.
  static func device(_ key: AccountKey, _ scope: LockoutScope, in db: Database) throws -> String {
    guard let device = scope.device, !device.isEmpty else { return "" }
    let isCounted = try db.all(
      "lockouts", hasRoom, [key.realm, key.name, device, LockoutScope.maximumDevices]
    ) { try $0.flag() }.first
    return isCounted == true ? device : ""
  }

  private static let read = """
    SELECT \(LockoutState.columns) FROM lockouts
    WHERE realm_key = ? AND name_key = ? AND kind = ? AND device = ?
    """

  private static let hasRoom = """
    SELECT EXISTS (SELECT 1 FROM lockouts WHERE realm_key = ?1 AND name_key = ?2 AND device = ?3)
      OR (SELECT count(DISTINCT device) FROM lockouts WHERE realm_key = ?1 AND name_key = ?2 AND device != '') < ?4
    """
}

extension LockoutState {
  fileprivate static let columns = "consecutive_failures, lock_count, locked_until"

  fileprivate init(_ row: StoredRow) throws {
    self.init(
      consecutiveFailures: try row.integer("consecutive_failures"), lockCount: try row.integer("lock_count"),
      lockedUntil: try row.optionalDate("locked_until"))
  }
}
