import CommonFixtures
import Concurrency
import EvidenceLedger
import Foundation
import JourneyStorePostgres
import OATH
import PostgresFixtures
import Testing

@testable import JourneyStore

/// Keys of a server's own, which a test gives and takes.
final class GivenKeys: ServerKeySource {
  let place: String
  let mayChange = true
  private let bytes: Locked<[[UInt8]]>

  init(_ keys: [UInt8]..., place: String = "keys of a test") {
    bytes = Locked(keys)
    self.place = place
  }

  func give(_ key: [UInt8]) { bytes.withLock { $0.append(key) } }
  func keys() -> [LoadedServerKey] {
    bytes.withLock { $0 }.map { LoadedServerKey(bytes: $0, place: place) }
  }
}

typealias KeyedStore = any ServerStore

/// Opens stores on one database, each with keys of its own.
struct SharedDatabase {
  static let old = [UInt8](repeating: 1, count: 32)
  static let new = [UInt8](repeating: 2, count: 32)
  static let oldID = LoadedServerKey(bytes: old, place: "").id
  static let newID = LoadedServerKey(bytes: new, place: "").id

  let name: String
  let open: @Sendable (_ keys: GivenKeys) async throws -> KeyedStore

  static func each(_ body: (SharedDatabase) async throws -> Void) async throws {
    try await withFolder { folder in
      try await body(
        SharedDatabase(name: "SQLite") { try SQLiteStore(directory: folder, keys: [$0]) })
    }
    try await withFolder { folder in
      let address = try await PostgresServer.shared.createDatabase()
      try await body(
        SharedDatabase(name: "PostgreSQL") {
          try await PostgresStore.open(address, directory: folder, keys: [$0])
        })
    }
  }

  /// Runs `body` with two servers that have `old`.
  static func eachWithTwo(
    _ body: (_ one: KeyedStore, _ two: KeyedStore, _ keys: (GivenKeys, GivenKeys)) async throws -> Void
  ) async throws {
    try await each { database in
      let keys = (GivenKeys(old), GivenKeys(old))
      let stores = (try await database.open(keys.0), try await database.open(keys.1))
      try await body(stores.0, stores.1, keys)
      try await stores.0.close()
      try await stores.1.close()
    }
  }
}

private let newID = SharedDatabase.newID

/// What the tests of server keys do with stores.
protocol KeyRotating {}

extension KeyRotating {
  func rotation(_ store: KeyedStore) -> ServerKeyRotation {
    ServerKeyRotation(store, clock: { noon })
  }

  func oathDevice(_ uuid: String) -> OathDeviceRecord {
    OathDeviceRecord(
      uuid: uuid, realm: "alpha", username: "demo", secret: StoredSecret(Array(0..<20)),
      profile: OATHProfile(),
      createdDate: noon, lastAccessDate: noon)
  }

  func enrolment(_ id: String) -> PushMessageRecord {
    PushMessageRecord(
      id: id, realm: "alpha", username: "demo", kind: .registration, challenge: StoredSecret([1, 2]),
      enrolment: .init(
        uuid: "uuid of \(id)", issuer: "Bank", sharedSecret: StoredSecret([3, 4]), deviceLimit: 9),
      sentAt: noon, expiresAt: noon + 60)
  }

  func pushDevice(_ id: String) -> PushDeviceRecord {
    PushDeviceRecord(
      uuid: "uuid of \(id)", realm: "alpha", username: "demo", deviceName: "Phone", mechanismUID: id,
      issuer: "Bank", sharedSecret: StoredSecret(Array(0..<32)), communicationType: "poll",
      communicationID: "token", deviceType: "linux", deviceToken: "token", createdDate: noon,
      lastAccessDate: noon)
  }

  /// One of everything that is encrypted.
  func fill(_ store: KeyedStore) async throws {
    try await store.createUser(.sample())
    _ = try await store.secret(named: "seal") { [7] }
    #expect(try await store.addOathDevice(oathDevice("o1"), limit: 9))
    try await store.suspendJourney(.sample())
    for id in ["open", "done"] { try await store.openPushEnrolment(enrolment(id)) }
    #expect(try await store.completePushEnrolment(id: "done", device: pushDevice("p1"), now: noon) == .added)
    #expect(try await store.addBoundDevice(.sample(), limit: 0) == .added)
    #expect(try await sign(store) == 1)
  }

  func sign(_ store: KeyedStore) async throws -> Int64? {
    let signature = AcceptedSignature(evidence: .sample(), once: .fresh())
    guard case .accepted(let number) = try await store.accept(signature) else { return nil }
    return number
  }

  /// Both phases, with the key at all servers.
  func rotate(_ one: KeyedStore, _ two: KeyedStore, _ keys: (GivenKeys, GivenKeys)) async throws {
    keys.0.give(SharedDatabase.new)
    keys.1.give(SharedDatabase.new)
    try one.serverKey.reload()
    #expect(try await rotation(one).candidate() == newID)
    try await rotation(one).announce(newID)
    try await two.refreshKeys()
    try await rotation(one).activate(newID)
    // However long that took, the other one goes by what it knows.
    try two.serverKey.take(two.serverKey.entries, askedAt: .now)
  }
}

extension ServerStore {
  /// Statements of somebody who owns the tables, and whom their triggers do not stop.
  func attack(_ statements: SQLStatement...) async throws {
    let before =
      self is PostgresStore
      ? ["SET LOCAL session_replication_role = replica"]
      : ["DROP TRIGGER IF EXISTS oath_devices_sealed_on_update"]
    let all = before.map { SQLStatement(SQL($0)) } + statements
    try await write("an attack") { .ask(.each(all.map(\.count))) { _ in .done(()) } }
  }
}
