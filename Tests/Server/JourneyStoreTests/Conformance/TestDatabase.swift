import Foundation
import JourneyStore

/// A kind of database that every promise of the store protocols is tested on. Another kind is one more line in ``all``.
struct TestDatabase: Sendable {
  let name: String

  /// Opens a store. Those opened in one folder share what they keep, if ``isShared``.
  let open: @Sendable (_ folder: URL, _ quotas: StoreQuotas) throws -> any ServerStore

  /// Whether several servers work on one database, which outlives them.
  let isShared: Bool

  static let all = [
    TestDatabase(
      name: "SQLite in files", open: { try SQLiteStore(directory: $0, quotas: $1) }, isShared: true),
    TestDatabase(
      name: "SQLite in memory", open: { try SQLiteStore.inMemory(quotas: $1) }, isShared: false),
  ]

  /// Runs `body` with `count` stores on one empty database.
  fileprivate func withStores(
    _ count: Int, quotas: StoreQuotas, _ body: ([any ServerStore]) async throws -> Void
  ) async throws {
    try await withFolder { folder in
      let stores = try (0..<count).map { _ in try open(folder, quotas) }
      var failure: (any Error)?
      do { try await body(stores) } catch { failure = Failure(database: name, cause: error) }
      for store in stores { try await store.close() }
      if let failure { throw failure }
    }
  }

  private struct Failure: Error {
    let database: String
    let cause: any Error
  }
}

/// Runs `body` with an empty store of each kind of database, one after the other.
func withEachStore(
  quotas: StoreQuotas = StoreQuotas(), _ body: (any ServerStore) async throws -> Void
) async throws {
  for database in TestDatabase.all {
    try await database.withStores(1, quotas: quotas) { stores in
      for store in stores { try await body(store) }
    }
  }
}

/// Runs `body` with two servers' stores on one empty database, of each kind that can be shared.
func withTwoServers(_ body: (any ServerStore, any ServerStore) async throws -> Void) async throws {
  for database in TestDatabase.all where database.isShared {
    try await database.withStores(2, quotas: StoreQuotas()) { try await body($0[0], $0[1]) }
  }
}
