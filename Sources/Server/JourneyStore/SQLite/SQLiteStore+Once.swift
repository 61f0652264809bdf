public import Foundation
internal import GRDB

extension SQLiteStore {
  public func consume(_ key: [UInt8], until expiry: Date) async throws -> Bool {
    try await write("a consumed key") { db in try Self.consume(key, until: expiry, in: db) }
  }

  static func consume(_ key: [UInt8], until expiry: Date, in db: Database) throws -> Bool {
    try db.change(
      "INSERT INTO consumed (key, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING",
      [Data(key), expiry.timeIntervalSince1970]) == 1
  }
}
