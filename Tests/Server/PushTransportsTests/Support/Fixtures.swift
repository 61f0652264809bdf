import CommonFixtures
import Concurrency
import Crypto
import Foundation
@testable import JourneyStore
import Logging
import ProofFixtures
import StrictJSON

@testable import PushTransports

let noon = Date(timeIntervalSince1970: 1_767_960_000)

/// A clock on which a pause is over at once, and which remembers the pauses.
final class PausingClock: Sendable {
  private let date = ManualDate(noon)
  private let paused = Locked<[TimeInterval]>([])

  var now: Date { date.now }
  var pauses: [TimeInterval] { paused.withLock { $0 } }
  func advance(by seconds: TimeInterval) { date.advance(by: seconds) }

  func pause(_ seconds: TimeInterval) {
    paused.withLock { $0.append(seconds) }
    advance(by: seconds)
  }
}

/// What a test sends, and to whom.
enum Fixture {
  static let appleToken = String(repeating: "A1b2", count: 16)

  static func item(
    _ id: String = "AUTHENTICATE:1", to device: String = "m1", type: String = "challenge",
    text: String = "Login attempt from demo at Bank", lifetime: Int = 120
  ) async throws -> PushInboxItem {
    let claims: JSONObject = [
      "u": .string(device), "c": "Y2hhbGxlbmdl", "m": .string(text), "k": .string(type),
      "i": .string(String(Int64(noon.timeIntervalSince1970 * 1000))), "t": .string(String(lifetime)),
    ]
    let message = try Tokens.hs256(claims, secret: Array(0..<32))
    return PushInboxItem(messageID: id, mechanismUID: device, message: message)
  }

  static func notice(type: String = "challenge", text: String = "Login attempt from demo at Bank")
    async throws
    -> PushNotice
  {
    try PushNotice(try await item(type: type, text: text))
  }

  static func device(_ uid: String = "m1", token: String = appleToken, type: String = "apns")
    -> PushDeviceRecord
  {
    PushDeviceRecord(
      uuid: "uuid of \(uid)", realm: "alpha", username: "demo", deviceName: "Phone", mechanismUID: uid,
      issuer: "Bank", sharedSecret: StoredSecret(Array(0..<32)), communicationType: type,
      communicationID: token, deviceType: "ios", deviceToken: token, createdDate: noon - 60,
      lastAccessDate: noon - 60)
  }

  /// A store with a user, a device of his, and open questions for it.
  static func store(device: PushDeviceRecord = device(), messages: [String] = ["AUTHENTICATE:1"]) async throws
    -> SQLiteStore
  {
    let store = try SQLiteStore.inMemory()
    try await store.createUser(
      UserRecord(realm: "alpha", username: "demo", passwordHash: nil, createdAt: noon - 3600))
    try await store.openPushEnrolment(
      PushMessageRecord(
        id: "REGISTER:1", realm: "alpha", username: "demo", kind: .registration,
        challenge: StoredSecret([1]),
        enrolment: .init(
          uuid: device.uuid, issuer: "Bank", sharedSecret: device.sharedSecret, deviceLimit: 0),
        sentAt: noon - 60, expiresAt: noon + 60))
    _ = try await store.completePushEnrolment(id: "REGISTER:1", device: device, now: noon - 60)
    for id in messages {
      _ = try await store.openPushMessage(
        PushMessageRecord(
          id: id, realm: "alpha", username: "demo", kind: .authentication, challenge: StoredSecret([1]),
          sentAt: noon, expiresAt: noon + 120),
        inboxes: [try await item(id, to: device.mechanismUID)],
        limits: PushLimits(openMessages: 100, messagesSinceSuccess: 100))
    }
    return store
  }
}

/// A queue with a clock that time passes on only when something waits, and the log that it writes.
struct QueueFixture {
  let queue: PushQueue
  let clock: PausingClock
  let log: Locked<[String]>

  init(
    _ sender: any RemotePushService, store: any ServerStore, clock: PausingClock = PausingClock(),
    limits: PushQueue.Limits = .init(), pause: (@Sendable (TimeInterval) async throws -> Void)? = nil
  ) {
    let log = Locked<[String]>([])
    var dependencies = PushQueue.Dependencies { clock.now }
    dependencies.pause = pause ?? { clock.pause($0) }
    dependencies.random = { 1 }
    queue = PushQueue(
      service: sender, store: store, limits: limits, dependencies: dependencies,
      logger: Logger(label: "test") { _ in LogRecorder(lines: log) })
    self.clock = clock
    self.log = log
  }

  /// Waits until the queue, which must be running, is empty.
  func empty() async {
    while queue.counts.queued > 0 { await Task.yield() }
  }

  /// Runs the queue around `body`, until it is empty.
  func run(_ body: () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await queue.run() }
      try await body()
      await empty()
      group.cancelAll()
    }
  }
}
