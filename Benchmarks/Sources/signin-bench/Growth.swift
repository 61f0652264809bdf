import BenchmarkServer
import Foundation
import GRDB
import JourneyDriving

/// What a server would have stored in years: copies of one row that it has made itself, with other names.
enum Growth {
  private static func open(_ database: URL) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    return try DatabaseQueue(path: database.path(percentEncoded: false), configuration: configuration)
  }

  /// Accounts with a bound device each, beside the fleet's. All have the key of its first device.
  static func add(_ count: Int, to database: URL) async throws {
    let queue = try open(database)
    try await queue.write { db in
      for (table, own, value) in [
        ("users", "account_id", "'id ' || hex(randomblob(16))"),
        ("bound_devices", "thumbprint", "'print ' || n"),
      ] {
        let columns = try db.columns(in: table).map(\.name).filter {
          !["name_key", "username", own].contains($0)
        }
        let list = columns.map { "\"\($0)\"" }.joined(separator: ", ")
        try db.execute(
          sql: """
            WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
            INSERT INTO \(table) (name_key, username, \(own), \(list))
            SELECT 'other' || n, 'other' || n, \(value), \(list)
              FROM (SELECT * FROM \(table) WHERE name_key = 'user0' LIMIT 1), number
            """, arguments: [count])
      }
    }
    try queue.close()
  }

  /// Entries of the ledger, a hundred of each account. They come before those of the server, whose numbers are sealed, and a
  /// transaction holds few, so that the database's log stays small.
  ///
  /// Their hashes lie as far apart as real ones, but in the order of their numbers, so that no transaction writes all of the index:
  /// ten million take minutes and not hours. Hashes of entries that come later fall between them anywhere.
  static func addEntries(_ count: Int, to database: URL) async throws {
    let queue = try open(database)
    let hash = DatabaseFunction("spread_hash", argumentCount: 1) { values in
      spreadHash(Int64.fromDatabaseValue(values[0]) ?? 0, of: count)
    }
    try await queue.write { $0.add(function: hash) }
    let portion = 100_000
    for first in stride(from: -count, to: 0, by: portion) {
      try await queue.write { db in
        // Entries are appended only: the trigger that holds it is away for this transaction.
        let trigger = try String.fetchOne(
          db, sql: "SELECT sql FROM sqlite_master WHERE name = 'evidence_is_appended'")
        guard let trigger else { throw BenchError("the ledger has no trigger evidence_is_appended") }
        try db.execute(sql: "DROP TRIGGER evidence_is_appended")
        try db.execute(
          sql: """
            WITH RECURSIVE number (n) AS (SELECT ? UNION ALL SELECT n + 1 FROM number WHERE n < ?)
            INSERT INTO evidence (number, realm_key, name_key, line, hash)
            SELECT n, realm_key, printf('other%08d', (n + ?) / 100), line, spread_hash(n + ?)
              FROM (SELECT * FROM evidence ORDER BY number DESC LIMIT 1), number
            """, arguments: [first, min(first + portion, 0) - 1, count, count])
        try db.execute(sql: trigger)
      }
    }
    try queue.close()
  }

  /// A number of 32 bytes, the greater the higher its place among `count`: that place, then random bytes.
  private static func spreadHash(_ place: Int64, of count: Int) -> Data {
    let prefix = UInt64(place) &* (UInt64.max / UInt64(count))
    var hash = Data()
    for shift in stride(from: 56, through: 0, by: -8) {
      hash.append(UInt8(truncatingIfNeeded: prefix >> shift))
    }
    for _ in 0..<24 { hash.append(UInt8.random(in: 0...255)) }
    return hash
  }
}

/// A sign-in of an account that is chosen at random, each time anew, among those that ``Growth/add(_:to:)`` has made.
struct GrownDialogue: JourneyDialogue {
  let journey = "SignIn"
  let accounts: Int

  /// All of them have it.
  let key: SimulatedKey

  func answer(_ page: inout JourneyPage, _: Fleet.Device) throws {
    let name = "other\(Int.random(in: 1...accounts))"
    let own = SimulatedKey(
      id: key.id, userID: "id=\(name),ou=user,o=alpha,ou=services,ou=am-config", key: key.key)
    try page.sign(0, with: own, by: SealringDialogue.application, at: Date())
  }
}
