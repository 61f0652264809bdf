import CommonFixtures
import BindingFormats
import EvidenceLedger
import Foundation
import GRDB
import StrictJSON

@testable import JourneyStore

/// The moment at which every test begins.
let noon = Date(timeIntervalSince1970: 1_800_000_000)

/// Runs `body` with the place of a folder that a store makes, and removes it afterwards.
func withFolder(_ body: (URL) async throws -> Void) async throws {
  let folder = TemporaryFolder()
  defer { withExtendedLifetime(folder) {} }
  try await body(folder.url)
}

/// Runs `body` with a store on a real file.
func withStore(_ body: (SQLiteStore) async throws -> Void) async throws {
  try await withFolder { folder in
    let store = try SQLiteStore(directory: folder)
    do {
      try await body(store)
      try await store.close()
    } catch {
      try? await store.close()
      throw error
    }
  }
}

/// Changes the database of a closed store, as a fault or an attacker might.
func tamper(_ folder: URL, _ sql: String) throws {
  let queue = try DatabaseQueue(path: folder.appendingPathComponent("sealring.sqlite").path)
  try queue.writeWithoutTransaction { db in
    try db.execute(
      sql: "PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; PRAGMA writable_schema = ON")
    try db.execute(sql: sql)
  }
  try queue.close()
}

extension ServerStore {
  @discardableResult
  func createSession(
    _ session: SessionRecord, with mark: PasswordMark? = nil, prolonging step: OnceKey? = nil
  ) async throws -> UserRecord {
    try await openSession(
      NewSession(session, mark: mark, now: session.createdAt, prolonging: step), by: nil
    ).user
  }

  /// Counts a failure; the state after.
  func recordFailure(
    of account: UniversalID, scope: LockoutScope = .passwords, policy: LockoutPolicy, now: Date
  ) async throws -> LockoutState {
    _ = try await settleAttempt(of: account, scope: scope, isRight: false, policy: policy, now: now)
    return try await lockout(of: account, scope: scope)
  }

  /// Forgets failures of passwords and their locks, even one that lasts.
  func recordSuccess(of account: UniversalID) async throws {
    _ = try await recordSuccess(of: account, scope: .passwords, now: .distantFuture)
  }
}

extension UserRecord {
  static func sample(_ username: String = "demo", realm: String = "alpha") -> UserRecord {
    UserRecord(
      realm: realm, username: username, passwordHash: "$argon2id$…", isActive: true, isAdministrator: false,
      mail: ["\(username)@example.com", "second@example.com"],
      attributes: ["cn": "Demo User", "nested": ["count": 3, "ratio": 0.5, "none": .null]], createdAt: noon,
      id: "id of \(username)")
  }
}

extension BoundDeviceRecord {
  static func sample(
    _ uuid: String = "device-1", username: String = "demo", thumbprint: String? = nil, at date: Date = noon
  ) -> BoundDeviceRecord {
    BoundDeviceRecord(
      uuid: uuid, realm: "alpha", username: username, deviceID: "id of \(uuid)", deviceName: "Ümläut 📱",
      key: ["kty": "EC", "crv": "P-256", "x": "AA", "y": "BB", "kid": .string(uuid)],
      thumbprint: thumbprint ?? "thumbprint of \(uuid)", createdDate: date, lastAccessDate: date)
  }
}

extension SessionRecord {
  static func sample(
    _ number: UInt8 = 1, username: String = "demo", idle: TimeInterval = 1800, life: TimeInterval = 7200
  ) -> SessionRecord {
    SessionRecord(
      tokenHash: [UInt8](repeating: number, count: 32), handle: "shandle:\(number)", realm: "alpha",
      username: username, accountID: "id of \(username)", createdAt: noon, latestAccess: noon,
      maximumIdle: idle,
      expiresAt: noon.addingTimeInterval(life), properties: ["AMCtxId": "context"])
  }
}

extension OnceKey {
  /// Of a proof that nobody has seen.
  static func fresh() -> OnceKey {
    OnceKey(key: (0..<16).map { _ in .random(in: .min ... .max) }, expiry: noon + 3600)
  }
}

extension EvidenceRecord {
  static func sample(
    _ kind: Kind = .sign, device: String = "device-1", username: String = "demo", realm: String = "alpha",
    at date: Date = noon
  ) -> EvidenceRecord {
    EvidenceRecord(
      kind: kind, time: Int64(date.timeIntervalSince1970 * 1000), realm: realm, journey: "SignIn",
      nodeID: "node", username: username, userID: "id=demo", device: device, key: ["kty": "EC"], jws: "a.b.c")
  }
}

extension UniversalID {
  /// The account of the samples.
  static let demo = UniversalID(username: "demo", realm: "alpha")

  /// Another account of its realm.
  static let other = UniversalID(username: "other", realm: "alpha")
}

extension ServerStore {
  /// Makes a session in place of the live session of `tokenHash`, which must be the same account's.
  @discardableResult
  func replaceSession(
    tokenHash: [UInt8], with session: SessionRecord, mark: PasswordMark? = nil, now: Date,
    prolonging step: OnceKey? = nil
  ) async throws -> UserRecord {
    try await openSession(
      NewSession(session, mark: mark, replacing: tokenHash, now: now, prolonging: step), by: nil
    ).user
  }

  /// One device of the user, or `nil`.
  func boundDevice(uuid: String, of account: UniversalID) async throws -> BoundDeviceRecord? {
    try await signer(uuid: uuid, of: account)?.device
  }
}

extension SharedCommitWriter {
  /// Queues `body` and returns at once. It is durable no later than any write queued after it.
  func enqueue(
    _ body: @escaping @Sendable (Database) throws -> Void, failed: @escaping @Sendable (any Error) -> Void
  ) {
    enqueue(
      Write(
        change: { db in
          try body(db)
          return {}
        }, failed: failed))
  }
}
