import CommonFixtures
import Concurrency
import CTAP
import Testing

@testable import CTAPAuthenticator

struct SessionTests {
  /// A session by a clock that stands still, and what it sent.
  private struct Scene {
    let clock = ManualClock()
    let sent = Locked<[CTAPHIDPacket]>([])
    let key: SecurityKeyScene
    let session: CTAPHIDSession

    init() throws {
      key = try SecurityKeyScene()
      let sent = sent
      session = CTAPHIDSession(key.key, clock: clock) { report in
        if let packet = CTAPHIDPacket(parsing: report) { sent.withLock { $0.append(packet) } }
      }
    }

    func send(_ command: CTAPHIDMessage.Command, _ payload: [UInt8], on channel: UInt32, packets: Int = .max)
      async
    {
      let message = CTAPHIDMessage(channel: channel, command: command, payload: payload)
      for packet in message.packets.prefix(packets) { await session.receive(packet.bytes) }
    }

    func begin() async -> UInt32 {
      await send(.initialize, [1, 2, 3, 4, 5, 6, 7, 8], on: CTAPHIDMessage.broadcast)
      guard case .initial(_, _, _, let data)? = sent.withLock({ $0.popLast() }) else { return 0 }
      return data[8..<12].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The commands and first bytes of what was sent.
    var answers: [[UInt8]] {
      sent.withLock { sent in
        sent.compactMap {
          if case .initial(_, let command, _, let data) = $0 { [command, data.first ?? 0] } else { nil }
        }
      }
    }
  }

  @Test func `a message whose packets stop coming is given up after half a second`() async throws {
    let scene = try Scene()
    let channel = await scene.begin()
    await scene.send(.ping, [UInt8](repeating: 1, count: 100), on: channel, packets: 1)
    try await eventually("the time is measured") { scene.clock.sleeperCount == 1 }
    scene.clock.advance(by: .milliseconds(500))
    try await eventually("the client is told") { scene.answers == [[0x3F, 0x05]] }
    await scene.send(.ping, [7], on: channel)
    #expect(scene.answers.last == [0x01, 7])
  }

  @Test func `a client that waits is told so every 100 milliseconds, and that a person is asked`()
    async throws
  {
    let scene = try Scene()
    let channel = await scene.begin()
    // The question that nobody answers keeps the next request waiting.
    let task = Task { try await scene.key.register("wait.example").status }
    try await eventually("somebody is asked") { scene.key.key.isAsking }
    await scene.send(.cbor, [0x0B], on: channel)
    try await eventually("the time is measured") { scene.clock.sleeperCount == 1 }
    scene.clock.advance(by: .milliseconds(100))
    try await eventually("the client is told") { scene.answers.contains([0x3B, 0x02]) }
    task.cancel()
    #expect(try await task.value == .keepaliveCancel)
    try await eventually("the next one has its turn") { scene.answers.last == [0x10, 0x00] }
  }

  @Test func `a client that goes away takes its question with it`() async throws {
    let scene = try Scene()
    let channel = await scene.begin()
    let task = Task { try await scene.key.register("wait.example").status }
    try await eventually("somebody is asked") { scene.key.key.isAsking }
    await scene.send(.cbor, [0x0B], on: channel)
    await scene.session.close()
    task.cancel()
    _ = try await task.value
    #expect(try await scene.key.send(4).status == .success)
    #expect(scene.key.person.wasAsked([.register]), "the selection was still asked")
    #expect(scene.answers.allSatisfy { $0[0] != 0x10 })
  }
}
