import Foundation
import JourneyStore
import JourneyStorePostgres
import PostgresFixtures

/// A kind of database that every promise of the store protocols is tested on. Another kind is one more line in ``all``.
struct TestDatabase: Sendable {
  typealias Opening = @Sendable (StoreQuotas) async throws -> any ServerStore

  let name: String

  /// Makes an empty database, and says how a store on it is opened. The folder is for its files.
  let create: @Sendable (_ folder: URL) async throws -> Opening

  /// Whether several servers work on one database, which outlives them.
  let isShared: Bool

  static let all = [
    TestDatabase(
      name: "SQLite in files", create: { folder in { try SQLiteStore(directory: folder, quotas: $0) } },
      isShared: true),
    TestDatabase(
      name: "SQLite in memory", create: { _ in { try SQLiteStore.inMemory(quotas: $0) } }, isShared: false),
    TestDatabase(
      name: "PostgreSQL",
      create: { folder in
        let address = try await PostgresServer.shared.createDatabase()
        return { try await PostgresStore.open(address, directory: folder, quotas: $0) }
      }, isShared: true),
  ]

  /// Runs `body` with `count` stores on one empty database.
  fileprivate func withStores(
    _ count: Int, quotas: StoreQuotas, _ body: ([any ServerStore]) async throws -> Void
  ) async throws {
    try await withFolder { folder in
      let open = try await create(folder)
      var stores: [any ServerStore] = []
      for _ in 0..<count { stores.append(try await open(quotas)) }
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
