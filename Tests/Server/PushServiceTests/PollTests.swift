import CommonFixtures
import BindingFormats
import Foundation
@testable import JourneyStore
import Logging
import PushFormats
import SecurityEvents
import Testing

@testable import PushService

@Suite("Polling with a wait") struct PollTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private static let secret = [UInt8](repeating: 7, count: 32)

  /// A device "m1" of a user, its server's service, and the poll that the device sends.
  private func polling(
    _ timer: ManualClock
  ) async throws -> (service: PushDeviceService, store: SQLiteStore, body: PushPollBody) {
    let (store, now) = (try SQLiteStore.inMemory(), Self.now)
    try await store.createUser(
      UserRecord(realm: "alpha", username: "mira", passwordHash: nil, createdAt: now))
    let device = PushDeviceRecord(
      uuid: "u1", realm: "alpha", username: "mira", deviceName: "Phone", mechanismUID: "m1", issuer: "Bank",
      sharedSecret: StoredSecret(Self.secret), communicationType: "poll", communicationID: "token",
      deviceType: "linux", deviceToken: "token", createdDate: now, lastAccessDate: now)
    try await store.openPushEnrolment(
      PushMessageRecord(
        id: "REGISTER:1", realm: "alpha", username: "mira", kind: .registration,
        challenge: StoredSecret([1]),
        enrolment: .init(
          uuid: device.uuid, issuer: "Bank", sharedSecret: device.sharedSecret, deviceLimit: 0),
        sentAt: now, expiresAt: now + 60))
    #expect(try await store.completePushEnrolment(id: "REGISTER:1", device: device, now: now) == .added)
    let service = PushDeviceService(
      PushDeviceService.Dependencies(
        store: store, senders: PushSenders(timer: timer), limits: .standard, events: .none, clock: { now },
        lock: { scope, account in
          AccountLock(
            store: store, of: account, scope: scope, policy: .standard, clock: { now }, lockBegan: { _ in })
        }), logger: Logger(label: "test"))
    let jwt = try await PushFetch(mechanismUID: "m1", issuedAt: Int64(now.timeIntervalSince1970))
      .token(secret: try PushSecret(Self.secret))
    return (service, store, PushPollBody(mechanismUID: "m1", jwt: jwt, wait: 30))
  }

  @Test func `ends by the injected clock when nothing comes, and leaves nobody waiting`() async throws {
    let timer = ManualClock()
    let (service, store, body) = try await polling(timer)
    let direct = service.dependencies.senders.direct
    async let answer = service.poll(body, realm: "alpha")
    try await eventually("the request waits") { timer.sleeperCount == 1 }
    timer.advance(by: .seconds(29))
    #expect(timer.sleeperCount == 1 && !direct.listening.isEmpty)
    timer.advance(by: .seconds(1))
    #expect(try await answer.messages.isEmpty)
    #expect(direct.listening.isEmpty)
    try await store.close()
  }

  @Test func `ends with the first message, however much of the wait is left`() async throws {
    let timer = ManualClock()
    let (service, store, body) = try await polling(timer)
    let direct = service.dependencies.senders.direct
    async let answer = service.poll(body, realm: "alpha")
    try await eventually("the request waits") { timer.sleeperCount == 1 }
    let message = PushMessageRecord(
      id: "AUTHENTICATE:1", realm: "alpha", username: "mira", kind: .authentication,
      challenge: StoredSecret([1]), sentAt: Self.now, expiresAt: Self.now + 120)
    let item = PushInboxItem(messageID: "AUTHENTICATE:1", mechanismUID: "m1", message: "jws")
    #expect(try await store.openPushMessage(message, inboxes: [item], limits: .standard) == .opened)
    direct.wake(PushAddress(realm: "alpha", mechanismUID: "m1"))
    #expect(try await answer.messages.map(\.messageID) == ["AUTHENTICATE:1"])
    #expect(timer.now == ManualClock().now)
    try await store.close()
  }
}
