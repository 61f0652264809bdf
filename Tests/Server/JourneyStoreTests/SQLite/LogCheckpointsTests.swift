import BindingFormats
import CommonFixtures
import Dispatch
import Foundation
import GRDB
import Testing

@testable import JourneyStore

@Suite("Checkpoints beside the commits") struct LogCheckpointsTests {
  private let folder: TemporaryFolder
  private let pool: DatabasePool
  private var path: String { folder.url.appending(path: "test.sqlite").path }

  init() throws {
    folder = try TemporaryFolder.make()
    pool = try DatabasePool(path: folder.url.appending(path: "test.sqlite").path)
    try pool.write { try $0.execute(sql: "CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB)") }
  }

  /// Bytes of a page in the log, with what stands before it.
  private static let frame = 4096 + 24

  /// Pages that the log has at most had at once: its file does not become smaller while it is in use.
  private var pagesOfLog: Int {
    get throws {
      let size = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
      return try #require(size) / Self.frame
    }
  }

  /// Writes that many pages, one in each commit, besides those of the table.
  private func write(_ count: Int) throws {
    for _ in 0..<count {
      try pool.write { try $0.execute(sql: "INSERT INTO t (b) VALUES (zeroblob(4000))") }
    }
  }

  @Test func `pages come into the database without a commit's doing it`() async throws {
    let checkpoints = try LogCheckpoints(
      path: path, configuration: Configuration(), due: 50, step: 10, most: .max)
    try await pool.writeWithoutTransaction { checkpoints.watch($0) }
    for _ in 0..<20 {
      try write(50)
      // After the one that is queued there.
      try await checkpoints.connection.write { _ in }
    }
    let pages = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) / 4096
    #expect(pages > 800)
    try checkpoints.close(after: pool)
  }

  @Test func `a commit does it when nobody else comes to it`() async throws {
    let checkpoints = try LogCheckpoints(
      path: path, configuration: Configuration(), due: 50, step: 10, most: 100)
    try await pool.writeWithoutTransaction { checkpoints.watch($0) }
    let goOn = DispatchSemaphore(value: 0)
    checkpoints.connection.asyncWriteWithoutTransaction { _ in goOn.wait() }
    try write(1000)
    try #expect(pagesOfLog < 200)
    goOn.signal()
    try checkpoints.close(after: pool)
    let rows = try await pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
    #expect(rows == 1000)
  }

  @Test func `after a clean stop everything is in the database's file, and what was deleted is in no file`()
    async throws
  {
    let place = TemporaryFolder()
    defer { withExtendedLifetime(place) {} }
    let store = try SQLiteStore(directory: place.url)
    for name in ["stays", "goes"] {
      var user = UserRecord(realm: "alpha", username: name, createdAt: Date(timeIntervalSince1970: 0))
      user.mail = ["person-who-\(name)@example.com"]
      try await store.createUser(user, by: nil)
    }
    // Readers, as a server has them.
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 { group.addTask { _ = try? await store.users(realm: "alpha", after: nil, limit: 10) } }
    }
    _ = try await store.deleteUser(UniversalID(username: "goes", realm: "alpha"), by: nil)
    try await store.close()
    let files = try FileManager.default.contentsOfDirectory(at: place.url, includingPropertiesForKeys: nil)
    for file in files {
      #expect(
        try Data(contentsOf: file).range(of: Data("person-who-goes".utf8)) == nil, "\(file.lastPathComponent)"
      )
    }
    let copy = try TemporaryFolder.make()
    for name in ["sealring.sqlite", "server.key"] {
      try FileManager.default.copyItem(
        at: place.url.appending(path: name), to: copy.url.appending(path: name))
    }
    let reopened = try SQLiteStore(directory: copy.url)
    #expect(
      try await reopened.user(UniversalID(username: "stays", realm: "alpha"))?.mail == [
        "person-who-stays@example.com"
      ])
    try await reopened.close()
  }

  @Test func `a store's log does not grow without end`() async throws {
    let store = try SQLiteStore(directory: folder.url)
    let (writer, log) = (store.writer, folder.url.appending(path: "sealring.sqlite-wal").path)
    try await writer.write { try $0.execute(sql: "CREATE TABLE filler (a INTEGER PRIMARY KEY, b BLOB)") }
    for _ in 0..<60 {
      try await writer.write { db in
        for _ in 0..<500 { try db.execute(sql: "INSERT INTO filler (b) VALUES (zeroblob(4000))") }
      }
    }
    let size = try #require(try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int)
    #expect(size / Self.frame < 20_000)
    try await store.close()
  }
}
