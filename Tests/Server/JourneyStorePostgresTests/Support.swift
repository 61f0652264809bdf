import BindingFormats
import CommonFixtures
import Concurrency
import Foundation
import JourneyStore
import JourneyStorePostgres
import PostgresFixtures
import StrictJSON
import Testing

/// The moment at which every test begins.
let noon = Date(timeIntervalSince1970: 1_800_000_000)
let demo = UniversalID(username: "demo", realm: "alpha")

/// Runs `body` with a store on the database.
func withStore(
  _ address: String, limits: PostgresLimits = PostgresLimits(), _ body: (PostgresStore) async throws -> Void
) async throws {
  let folder = TemporaryFolder()
  defer { withExtendedLifetime(folder) {} }
  let store = try await PostgresStore.open(address, directory: folder.url, limits: limits)
  do {
    try await body(store)
    try await store.close()
  } catch {
    try await store.close()
    throw error
  }
}

extension UserRecord {
  static let demo = UserRecord(realm: "alpha", username: "demo", createdAt: noon)
}

extension ServerStore {
  @discardableResult
  func createSession(_ session: SessionRecord, prolonging step: OnceKey? = nil) async throws -> UserRecord {
    try await openSession(NewSession(session, now: session.createdAt, prolonging: step), by: nil).user
  }
}

extension SessionRecord {
  static func sample(_ number: Int) -> SessionRecord {
    SessionRecord(
      tokenHash: Array("token \(number)".utf8), handle: "handle \(number)", realm: "alpha", username: "demo",
      createdAt: noon, latestAccess: noon, maximumIdle: 1800, expiresAt: noon + 7200, properties: [:])
  }
}

/// Keys that requests consume while something goes wrong with the database, and what they were told.
struct Requests: Sendable {
  private struct State: Sendable {
    var acknowledged: [[UInt8]] = []
    var isOver = false
  }

  private let state = Locked(State())

  private var acknowledged: [[UInt8]] { state.withLock { $0.acknowledged } }

  /// Four clients consume keys, one after the other, until enough requests have succeeded before `fault` and after it. Then
  /// every key that a client was told of must be there, and none twice.
  ///
  /// - Throws: when requests do not succeed again within a minute.
  static func go(
    on store: PostgresStore, enough: Int = 40, through fault: @escaping @Sendable () async throws -> Void
  ) async throws {
    let requests = Requests()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for client in 0..<4 as Range<UInt32> {
        group.addTask { try await requests.send(client, to: store) }
      }
      group.addTask {
        try await requests.wait(for: enough)
        try await fault()
        try await requests.wait(for: requests.acknowledged.count + enough)
        requests.state.withLock { $0.isOver = true }
      }
      // A failure ends the clients, too.
      do { try await group.waitForAll() } catch {
        requests.state.withLock { $0.isOver = true }
        throw error
      }
    }
    let keys = requests.acknowledged
    #expect(Set(keys).count == keys.count)
    var lost = 0
    for key in keys where try await store.consume(key, until: noon) { lost += 1 }
    #expect(lost == 0, "of \(keys.count)")
  }

  private func send(_ client: UInt32, to store: PostgresStore) async throws {
    var number: UInt32 = 0
    while !state.withLock({ $0.isOver }) {
      let key = [client, number].flatMap { number in
        (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
      }
      number += 1
      // What is refused may have happened, or not: nobody was told.
      guard let isFirst = try? await store.consume(key, until: noon), isFirst else { continue }
      state.withLock { $0.acknowledged.append(key) }
    }
  }

  private func wait(for count: Int) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while acknowledged.count < count {
      guard ContinuousClock.now < deadline else {
        throw StoreError.unavailable("\(acknowledged.count) of \(count) requests within a minute")
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}

/// A socket at `path` that nobody answers at.
func listeningSocket(_ path: String) throws -> CInt {
  let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  let bytes = Array(path.utf8)
  try #require(listener >= 0 && bytes.count < MemoryLayout.size(ofValue: address.sun_path))
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
  let bound = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
  try #require(bound == 0 && listen(listener, 8) == 0)
  return listener
}

/// How many have connected to a socket of ``listeningSocket(_:)``.
func connections(waitingAt listener: CInt) -> Int {
  guard fcntl(listener, F_SETFL, O_NONBLOCK) == 0 else { return -1 }
  var count = 0
  while case let connection = accept(listener, nil, nil), connection >= 0 {
    close(connection)
    count += 1
  }
  return count
}
