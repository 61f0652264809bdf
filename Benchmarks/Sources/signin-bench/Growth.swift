import BenchmarkServer
import Foundation
import GRDB

/// Accounts with a bound device each, beside the fleet's: copies of one that the server has made, with other names.
enum Growth {
  static func add(_ count: Int, to database: URL) async throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    let queue = try DatabaseQueue(path: database.path(percentEncoded: false), configuration: configuration)
    try await queue.write { db in
      for (table, key) in [("users", "account_id"), ("bound_devices", "uuid")] {
        let columns = try db.columns(in: table).map(\.name).filter {
          !["name_key", "username", "thumbprint", key].contains($0)
        }
        let list = columns.map { "\"\($0)\"" }.joined(separator: ", ")
        let isDevice = table == "bound_devices"
        try db.execute(
          sql: """
            WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
            INSERT INTO \(table) (name_key, username, \(key)\(isDevice ? ", thumbprint" : ""), \(list))
            SELECT 'other' || n, 'other' || n, 'id ' || hex(randomblob(16))\(isDevice ? ", 'print ' || n" : ""), \(list)
              FROM (SELECT * FROM \(table) WHERE name_key = 'user0' LIMIT 1), number
            """, arguments: [count])
      }
    }
    try queue.close()
  }
}
