import BindingFormats
import CommonFixtures
import Concurrency
import Foundation
import JourneyStore
import Logging
import PushServiceFixtures
import ServiceLifecycle
import Testing

@testable import PushTransports

/// Answers as a test says, attempt after attempt.
private final class ScriptedService: RemotePushService {
  let name = "scripted"
  private let script: @Sendable (_ attempt: Int, _ token: String) async -> PushSendOutcome
  private let tokens = Locked<[String]>([])
  private let closed = Locked(false)
  private let lanes: @Sendable (String) -> String

  init(
    lanes: @escaping @Sendable (String) -> String = { _ in "" },
    script: @escaping @Sendable (_ attempt: Int, _ token: String) async -> PushSendOutcome
  ) {
    self.lanes = lanes
    self.script = script
  }

  /// The tokens that were sent to, in order.
  var sentTo: [String] { tokens.withLock { $0 } }
  var isClosed: Bool { closed.withLock { $0 } }

  func address(forToken token: String) throws(PushSendError) -> String { token }
  func lane(ofToken token: String) -> String { lanes(token) }

  func send(_ notice: PushNotice, toToken token: String, device: String) async -> PushSendOutcome {
    let attempt = tokens.withLock { tokens in
      tokens.append(token)
      return tokens.count
    }
    return await script(attempt, token)
  }

  func close() async { closed.withLock { $0 = true } }
}

@Suite("Delivery queue") struct PushQueueTests {
  @Test func `a message is taken at once, and sent in the background`() async throws {
    let gate = Gate()
    let sender = ScriptedService { _, _ in
      await gate.wait()
      return .sent
    }
    let fixture = QueueFixture(sender, store: try await Fixture.store())
    try await fixture.run {
      try fixture.queue.deliver(try await Fixture.item(), to: Fixture.device())
      #expect(fixture.queue.counts.queued == 1)
      gate.open()
    }
    #expect(sender.sentTo == [Fixture.appleToken])
    #expect(fixture.queue.counts == PushQueueCounts(sent: 1))
    #expect(fixture.log.withLock { $0 }.isEmpty)
  }

  @Test func `attempts come at growing distances, until the message expires`() async throws {
    let sender = ScriptedService { _, _ in .retry("503") }
    let fixture = QueueFixture(sender, store: try await Fixture.store())
    try await fixture.run {
      try fixture.queue.deliver(try await Fixture.item(lifetime: 120), to: Fixture.device())
    }
    #expect(fixture.clock.pauses == [1, 2, 4, 8, 16, 32])
    #expect(fixture.queue.counts == PushQueueCounts(retried: 6, failed: 1))
    let last = try #require(fixture.log.withLock { $0 }.last)
    #expect(last.hasPrefix("warning a push message was not delivered"))
    #expect(last.contains("message=AUTHENTICATE:1") && last.contains("device=uuid of m1"))
    #expect(last.contains("reason=503; attempt 7 was the last before it expires"))
    #expect(fixture.log.withLock { $0 }.allSatisfy { !$0.contains(Fixture.appleToken) })
  }

  @Test func `chance shortens a wait by up to a half, and no wait is longer than a minute or what is asked`()
  {
    let backoff = Backoff()
    #expect(backoff.wait(afterAttempt: 1, random: 0, asked: nil) == 0.5)
    #expect(backoff.wait(afterAttempt: 3, random: 0.5, asked: nil) == 3)
    #expect(backoff.wait(afterAttempt: 7, random: 1, asked: nil) == 60)
    #expect(backoff.wait(afterAttempt: .max, random: 1, asked: nil) == 60)
    #expect(backoff.wait(afterAttempt: 1, random: 0, asked: 90) == 90)
    #expect(backoff.wait(afterAttempt: 3, random: 1, asked: 1) == 4)
  }

  @Test(arguments: [(30.0, [30.0], 1, 0), (300, [], 0, 1)])
  func `a service that asks for time gets it`(
    seconds: TimeInterval, pauses: [TimeInterval], sent: Int, failed: Int
  ) async throws {
    let sender = ScriptedService { attempt, _ in attempt == 1 ? .retry("429", after: seconds) : .sent }
    let fixture = QueueFixture(sender, store: try await Fixture.store())
    try await fixture.run {
      try fixture.queue.deliver(try await Fixture.item(), to: Fixture.device())
    }
    #expect(fixture.clock.pauses == pauses)
    #expect(fixture.queue.counts == PushQueueCounts(sent: sent, retried: sent, failed: failed))
  }

  @Test func `a message that has expired is not sent`() async throws {
    let sender = ScriptedService { _, _ in .sent }
    let fixture = QueueFixture(sender, store: try await Fixture.store())
    fixture.clock.advance(by: 120)
    try await fixture.run {
      try fixture.queue.deliver(try await Fixture.item(), to: Fixture.device())
    }
    #expect(sender.sentTo.isEmpty)
    #expect(fixture.queue.counts == PushQueueCounts(failed: 1))
  }

  @Test func `a message that is refused is not sent again`() async throws {
    let sender = ScriptedService { _, _ in .failed("413") }
    let fixture = QueueFixture(sender, store: try await Fixture.store())
    try await fixture.run {
      try fixture.queue.deliver(try await Fixture.item(), to: Fixture.device())
    }
    #expect(sender.sentTo.count == 1)
    #expect(fixture.queue.counts == PushQueueCounts(failed: 1))
  }

  @Test func `what is not a message of this server is not taken`() async throws {
    let fixture = QueueFixture(ScriptedService { _, _ in .sent }, store: try await Fixture.store())
    #expect(throws: PushSendError.self) {
      try fixture.queue.deliver(
        PushInboxItem(messageID: "m", mechanismUID: "m1", message: "no JWS"), to: Fixture.device())
    }
    #expect(fixture.queue.counts == PushQueueCounts(failed: 1))
  }

  // MARK: Retired tokens

  @Test
  func `a dead token is noted in the store; its device gets nothing more until it tells its token again`()
    async throws
  {
    let store = try await Fixture.store(messages: ["AUTHENTICATE:1", "AUTHENTICATE:2"])
    let sender = ScriptedService { attempt, _ in attempt == 1 ? .retired("410 Unregistered") : .sent }
    let fixture = QueueFixture(sender, store: store)
    func device() async throws -> PushDeviceRecord {
      try #require(try await store.pushDevice(mechanismUID: "m1", realm: "alpha"))
    }
    try await fixture.run {
      try fixture.queue.deliver(try await Fixture.item(), to: try await device())
      await fixture.empty()
      #expect(try await device().tokenRetiredAt == noon)
      #expect(fixture.queue.counts == PushQueueCounts(retired: 1, failed: 1))
      try fixture.queue.deliver(try await Fixture.item("AUTHENTICATE:2"), to: try await device())
      #expect(fixture.queue.counts == PushQueueCounts(retired: 1, failed: 1, skipped: 1))
      #expect(
        try await store.pushInbox(mechanismUID: "m1", realm: "alpha", now: noon).count == 2,
        "the device can fetch both")
      let refresh = PushDeviceRefresh(
        deviceToken: Fixture.appleToken, communicationID: Fixture.appleToken, communicationType: "apns",
        deviceType: "ios", issuedAt: noon + 1)
      #expect(try await store.refreshPushDevice(mechanismUID: "m1", realm: "alpha", with: refresh))
      try fixture.queue.deliver(try await Fixture.item("AUTHENTICATE:2"), to: try await device())
    }
    #expect(fixture.queue.counts == PushQueueCounts(sent: 1, retired: 1, failed: 1, skipped: 1))
    #expect(fixture.log.withLock { $0 }.contains { $0.hasPrefix("notice a device's push token is dead") })
    #expect(fixture.log.withLock { $0 }.allSatisfy { !$0.contains(Fixture.appleToken) })
  }

  @Test func `a token that died before the device told it is not retired`() async throws {
    let store = try await Fixture.store()
    let fixture = QueueFixture(
      ScriptedService { _, _ in .retired("410", since: noon - 3600) }, store: store)
    try await fixture.run {
      try fixture.queue.deliver(try await Fixture.item(), to: Fixture.device())
    }
    #expect(try await store.pushDevice(mechanismUID: "m1", realm: "alpha")?.tokenRetiredAt == nil)
    #expect(fixture.queue.counts == PushQueueCounts(failed: 1))
  }

  @Test func `a device that got a new token while the message went to the old one gets it there`()
    async throws
  {
    let store = try await Fixture.store()
    let sender = ScriptedService { _, token in
      guard token == Fixture.appleToken else { return .sent }
      let refresh = PushDeviceRefresh(
        deviceToken: "beef", communicationID: "beef", communicationType: "apns", deviceType: "ios")
      _ = try? await store.refreshPushDevice(mechanismUID: "m1", realm: "alpha", with: refresh)
      return .retired("410")
    }
    let fixture = QueueFixture(sender, store: store)
    try await fixture.run {
      try fixture.queue.deliver(try await Fixture.item(), to: Fixture.device())
    }
    #expect(sender.sentTo == [Fixture.appleToken, "beef"])
    #expect(fixture.queue.counts == PushQueueCounts(sent: 1, retried: 1))
    #expect(try await store.pushDevice(mechanismUID: "m1", realm: "alpha")?.tokenRetiredAt == nil)
  }

  @Test(arguments: [true, false])
  func `there is no further attempt for a question that was answered, or a device that is gone`(
    isAnswered: Bool
  ) async throws {
    let store = try await Fixture.store()
    let sender = ScriptedService { _, _ in
      if isAnswered {
        _ = try? await store.decidePushMessage(
          id: "AUTHENTICATE:1", realm: "alpha", as: .approved, by: "m1", reason: nil, now: noon)
      } else {
        _ = try? await store.pushDevices.reset(UniversalID(username: "demo", realm: "alpha"))
      }
      return .retry("503")
    }
    let fixture = QueueFixture(sender, store: store)
    try await fixture.run {
      try fixture.queue.deliver(try await Fixture.item(), to: Fixture.device())
    }
    #expect(sender.sentTo.count == 1)
    #expect(fixture.queue.counts == PushQueueCounts(skipped: 1))
  }

  // MARK: Bounds

  @Test func `a full queue takes no more, and says so`() async throws {
    let gate = Gate()
    let sender = ScriptedService { _, _ in
      await gate.wait()
      return .sent
    }
    var limits = PushQueue.Limits()
    limits.messages = 3
    limits.atOnce = 1
    let fixture = QueueFixture(sender, store: try await Fixture.store(), limits: limits)
    let item = try await Fixture.item()
    try await fixture.run {
      for _ in 0..<3 { try fixture.queue.deliver(item, to: Fixture.device()) }
      #expect(throws: PushSendError("3 push messages are already waiting")) {
        try fixture.queue.deliver(item, to: Fixture.device())
      }
      #expect(fixture.queue.counts == PushQueueCounts(queued: 3, failed: 1))
      gate.open()
      await fixture.empty()
      #expect(throws: Never.self) { try fixture.queue.deliver(item, to: Fixture.device()) }
    }
    #expect(fixture.queue.counts == PushQueueCounts(sent: 4, failed: 1))
  }

  @Test(arguments: [(limitsLanes: false, atOnce: 5, ofOneLane: 5), (true, 16, 3)])
  func `no more are sent at once than may be, in all and of one lane`(
    limitsLanes: Bool, atOnce: Int, ofOneLane: Int
  ) async throws {
    struct Load {
      var now: [String: Int] = [:]
      var most: [String: Int] = [:]
      var mostInAll = 0
    }
    let load = Locked(Load())
    let sender = ScriptedService(lanes: { String($0.prefix(1)) }) { _, token in
      let lane = String(token.prefix(1))
      load.withLock { load in
        load.now[lane, default: 0] += 1
        load.most[lane] = max(load.most[lane] ?? 0, load.now[lane] ?? 0)
        load.mostInAll = max(load.mostInAll, load.now.values.reduce(0, +))
      }
      for _ in 0..<20 { await Task.yield() }
      load.withLock { $0.now[lane, default: 0] -= 1 }
      return .sent
    }
    var limits = PushQueue.Limits()
    limits.atOnce = atOnce
    limits.limitsLanes = limitsLanes
    let fixture = QueueFixture(sender, store: try await Fixture.store(), limits: limits)
    let item = try await Fixture.item()
    try await fixture.run {
      for number in 0..<200 {
        try fixture.queue.deliver(item, to: Fixture.device(token: number < 150 ? "a\(number)" : "b\(number)"))
      }
    }
    #expect(fixture.queue.counts == PushQueueCounts(sent: 200))
    let (most, mostInAll) = load.withLock { ($0.most, $0.mostInAll) }
    #expect((most["a"] ?? 0) <= ofOneLane && (most["b"] ?? 0) <= ofOneLane && mostInAll <= atOnce)
  }

  @Test func `a lane that does not move leaves room for the others`() async throws {
    let gate = Gate()
    let others = Gate()
    let sender = ScriptedService(lanes: { String($0.prefix(1)) }) { _, token in
      if token.hasPrefix("a") { await gate.wait() } else { others.open() }
      return .sent
    }
    var limits = PushQueue.Limits()
    limits.atOnce = 4
    limits.limitsLanes = true
    let fixture = QueueFixture(sender, store: try await Fixture.store(), limits: limits)
    let item = try await Fixture.item()
    try await fixture.run {
      for number in 0..<20 { try fixture.queue.deliver(item, to: Fixture.device(token: "a\(number)")) }
      try fixture.queue.deliver(item, to: Fixture.device(token: "b"))
      await others.wait()
      gate.open()
    }
    #expect(fixture.queue.counts == PushQueueCounts(sent: 21))
  }

  /// Messages to lanes that do not move: how many of each have a place, as they come one lane after the other, or in turn.
  @Test(arguments: [false, true])
  func `many lanes that do not move leave room for others, which have places at once`(inTurn: Bool)
    async throws
  {
    let slots = SendSlots(count: 64, limitsLanes: true)
    let lanes = inTurn ? (0..<120).map { "silent \($0 % 8)" } : (0..<120).map { "silent \($0 / 15)" }
    let taken = Locked(0)
    let timeIsUp = Signal()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for lane in lanes {
        let begun = Signal()
        group.addTask {
          begun.fire()
          await slots.acquire(lane)
          taken.withLock { $0 += 1 }
          await timeIsUp.wait()
          slots.release(lane, wasSlow: true)
        }
        await begun.wait()
      }
      try await eventually("the lanes have their places") { taken.withLock { $0 } > 40 }
      for _ in 0..<1000 { await Task.yield() }
      #expect(taken.withLock { $0 } <= 64 - 12)
      for number in 0..<4 { await slots.acquire("other \(number)") }
      for number in 0..<4 { slots.release("other \(number)", wasSlow: false) }
      timeIsUp.fire()
      try await group.waitForAll()
    }
    #expect(taken.withLock { $0 } == 120)
  }

  @Test func `a slow lane has one place until it is not slow`() async throws {
    let slots = SendSlots(count: 64, limitsLanes: true)
    await slots.acquire("a")
    slots.release("a", wasSlow: true)
    await slots.acquire("a")
    let second = Task { await slots.acquire("a") }
    let isOver = Locked(false)
    let watch = Task {
      await second.value
      isOver.withLock { $0 = true }
    }
    for _ in 0..<100 { await Task.yield() }
    #expect(!isOver.withLock { $0 })
    slots.release("a", wasSlow: false)
    await watch.value
    await slots.acquire("a")
    slots.release("a", wasSlow: false)
    slots.release("a", wasSlow: false)
  }

  // MARK: Shutdown

  @Test func `at a shutdown what is being sent comes to its end, and the rest is given up`() async throws {
    let gate = Gate()
    let sending = Gate()
    let retrying = Gate()
    let sender = ScriptedService { _, token in
      guard token == "first" else { return .retry("503") }
      sending.open()
      await gate.wait()
      return .sent
    }
    let never = Gate()
    let fixture = QueueFixture(
      sender, store: try await Fixture.store(),
      pause: { _ in
        retrying.open()
        try await withTaskCancellationHandler {
          await never.wait()
          try Task.checkCancellation()
        } onCancel: {
          never.open()
        }
      })
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let group = ServiceGroup(configuration: .init(services: [fixture.queue], logger: logger))
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await group.run() }
      try fixture.queue.deliver(try await Fixture.item(), to: Fixture.device(token: "first"))
      await sending.wait()
      try fixture.queue.deliver(try await Fixture.item(), to: Fixture.device(token: "second"))
      await retrying.wait()
      await group.triggerGracefulShutdown()
      await never.wait()
      gate.open()
      try await tasks.waitForAll()
    }
    #expect(fixture.queue.counts == PushQueueCounts(sent: 1, failed: 1))
    #expect(sender.isClosed)
    let item = try await Fixture.item()
    #expect(throws: PushSendError("the server is shutting down")) {
      try fixture.queue.deliver(item, to: Fixture.device())
    }
  }

  @Test(
    arguments: [
      ("0", 0.0), ("120", 120), ("99999999", 86_400), ("Fri, 09 Jan 2026 12:02:00 GMT", 120),
      ("Fri, 09 Jan 2026 11:00:00 GMT", 0), ("-1", nil), ("soon", nil), ("", nil),
      (String(repeating: "1", count: 65), nil),
    ] as [(String, TimeInterval?)])
  func `dates and seconds are read from Retry-After, and nothing else`(text: String, seconds: TimeInterval?) {
    #expect(RetryAfter.seconds(text, now: noon) == seconds)
  }
}

extension PushQueueCounts {
  init(queued: Int = 0, sent: Int = 0, retried: Int = 0, retired: Int = 0, failed: Int = 0, skipped: Int = 0)
  {
    self.init()
    (self.queued, self.sent, self.retried) = (queued, sent, retried)
    (self.retired, self.failed, self.skipped) = (retired, failed, skipped)
  }
}
