import CommonFixtures
import Concurrency
import Foundation
@testable import JourneyStore
import Testing

@testable import PushService

/// A sender that a test scripts.
private struct ScriptedSender: PushSender {
  let deliver: @Sendable () async throws -> Void

  func address(forToken token: String) async throws -> String { token }
  func deliver(_ item: PushInboxItem, to device: PushDeviceRecord) async throws { try await deliver() }
}

private func outgoing(_ id: String, type: String) -> (item: PushInboxItem, device: PushDeviceRecord) {
  let now = Date(timeIntervalSince1970: 1_800_000_000)
  return (
    PushInboxItem(messageID: "AUTHENTICATE:1", mechanismUID: id, message: ""),
    PushDeviceRecord(
      uuid: "u-\(id)", realm: "alpha", username: "mira", deviceName: "Phone", mechanismUID: id,
      issuer: "Bank", sharedSecret: StoredSecret([UInt8](repeating: 7, count: 32)), communicationType: type,
      communicationID: "token", deviceType: "linux", deviceToken: "token", createdDate: now,
      lastAccessDate: now)
  )
}

@Suite("Handing messages to senders") struct PushSendersTests {
  @Test func `a sender that takes its time is not waited for`() async throws {
    let (clock, held) = (ManualClock(), Signal())
    let wasCancelled = FirstAnswer<Bool>()
    let slow = ScriptedSender {
      clock.advance(by: PushSenders.handOverLimit)
      await held.wait()
      wasCancelled.give(Task.isCancelled)
      throw CancellationError()
    }
    let senders = PushSenders(senders: ["apns": slow], timer: clock)
    #expect(await senders.handOver([outgoing("m1", type: "apns")]).isEmpty)
    held.fire()
    #expect(await !wasCancelled.value, "it goes on alone")
  }

  @Test func `each device whose sender refuses is named, and the others get their message`() async throws {
    struct Down: Error, CustomStringConvertible { var description: String { "down" } }
    let senders = PushSenders(senders: [
      "apns": ScriptedSender { throw Down() }, "webpush": ScriptedSender {},
    ])
    let failures = await senders.handOver([
      outgoing("m1", type: "apns"), outgoing("m2", type: "webpush"), outgoing("m3", type: "poll"),
    ])
    #expect(failures.map(\.device.mechanismUID) == ["m1"] && failures.map(\.reason) == ["down"])
  }

  @Test func `devices that poll need no further sender, and unknown types have none`() {
    let senders = PushSenders(senders: ["apns": ScriptedSender {}])
    #expect(senders.sender(for: "poll") is PollWaiters && senders.sender(for: "apns") is ScriptedSender)
    #expect(senders.sender(for: "gcm") == nil)
  }

  @Test func `a message wakes those who wait for its device, whatever else delivers it`() async throws {
    let senders = PushSenders(senders: ["apns": ScriptedSender {}])
    let message = outgoing("m1", type: "apns")
    let waiter = senders.direct.waiter(for: message.device.address)
    let other = senders.direct.waiter(for: PushAddress(realm: "alpha", mechanismUID: "m2"))
    _ = await senders.handOver([message])
    senders.direct.close()
    // A wake-up that came before the end is kept.
    #expect(await waiter.wakeups.reduce(0) { count, _ in count + 1 } == 1)
    #expect(await other.wakeups.reduce(0) { count, _ in count + 1 } == 0)
  }
}

@Suite("Requests that wait for messages") struct PollWaitersTests {
  private let address = PushAddress(realm: "alpha", mechanismUID: "m")

  @Test func `one more than a device may have ends the oldest one's wait`() async {
    let waiters = PollWaiters()
    let all = (0...PollWaiters.maximumPerDevice).map { _ in waiters.waiter(for: address) }
    waiters.wake(address)
    waiters.close()
    var woken: [Int] = []
    for waiter in all { woken.append(await waiter.wakeups.reduce(0) { count, _ in count + 1 }) }
    #expect(woken == [0] + Array(repeating: 1, count: PollWaiters.maximumPerDevice))
  }

  @Test func `wake-ups that come before anybody waits are one`() async {
    let waiters = PollWaiters()
    let waiter = waiters.waiter(for: address)
    for _ in 0..<3 { waiters.wake(address) }
    waiters.end(address)
    #expect(await waiter.wakeups.reduce(0) { count, _ in count + 1 } == 1)
  }

  @Test func `who has stopped, whose device is gone, and who comes after the end waits no more`() async {
    let waiters = PollWaiters()
    let (stopped, removed) = (waiters.waiter(for: address), waiters.waiter(for: address))
    waiters.stop(stopped)
    waiters.end(address)
    #expect(waiters.listening.isEmpty)
    waiters.close()
    let late = waiters.waiter(for: address)
    for waiter in [stopped, removed, late] { for await _ in waiter.wakeups { Issue.record("woken") } }
    #expect(waiters.listening.isEmpty)
  }
}
