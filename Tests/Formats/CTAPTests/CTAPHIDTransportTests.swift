import Testing

@testable import CTAP

struct CTAPHIDTransportTests {
  /// A security key's side, and what a client sends.
  struct Scene {
    var transport = CTAPHIDTransport()
    var now = Duration.zero

    mutating func send(_ packet: CTAPHIDPacket) -> [CTAPHIDTransport.Effect] {
      transport.receive(packet.bytes, at: now)
    }

    mutating func send(_ command: UInt8, _ payload: [UInt8], on channel: UInt32) -> [CTAPHIDTransport.Effect]
    {
      guard let command = CTAPHIDMessage.Command(rawValue: command) else { return [] }
      return CTAPHIDMessage(channel: channel, command: command, payload: payload).packets.flatMap {
        transport.receive($0.bytes, at: now)
      }
    }

    mutating func channel() throws -> UInt32 {
      let effects = send(0x06, [1, 2, 3, 4, 5, 6, 7, 8], on: 0xFFFF_FFFF)
      guard case .send(let reply) = effects.first, reply.payload.count == 17 else {
        throw UHIDError("no channel")
      }
      return reply.payload[8..<12].reduce(0) { $0 << 8 | UInt32($1) }
    }
  }

  private func failure(_ failure: CTAPHIDMessage.Failure, on channel: UInt32) -> [CTAPHIDTransport.Effect] {
    [.send(CTAPHIDMessage(channel: channel, command: .error, payload: [failure.rawValue]))]
  }

  @Test func `a client gets a channel of its own and its nonce back, with what the key can do`() throws {
    var scene = Scene()
    let effects = scene.send(0x06, [1, 2, 3, 4, 5, 6, 7, 8], on: 0xFFFF_FFFF)
    guard case .send(let reply) = effects.first else { return #expect(Bool(false)) }
    #expect(reply.channel == 0xFFFF_FFFF && reply.payload.prefix(8).elementsEqual([1, 2, 3, 4, 5, 6, 7, 8]))
    #expect(reply.payload[12] == 2 && reply.payload[16] == 0x0D)
    #expect(try scene.channel() != scene.channel())
  }

  @Test(arguments: [0, 1, 57, 58, 116, 117, 1000, 7609])
  func `what is sent in packets comes back the same`(count: Int) throws {
    var scene = Scene()
    let channel = try scene.channel()
    let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    let message = CTAPHIDMessage(channel: channel, command: .ping, payload: payload)
    #expect(message.packets.allSatisfy { $0.bytes.count == 64 && CTAPHIDPacket(parsing: $0.bytes) != nil })
    #expect(scene.send(0x01, payload, on: channel) == [.send(message)])
  }

  @Test func `a request is performed, kept alive, and answered on its channel`() throws {
    var scene = Scene()
    let channel = try scene.channel()
    #expect(scene.send(0x10, [4], on: channel) == [.perform(transaction: 1, channel: channel, request: [4])])
    #expect(
      scene.transport.keepalive(1, .userPresenceNeeded)
        == [.send(CTAPHIDMessage(channel: channel, command: .keepalive, payload: [2]))])
    #expect(
      scene.transport.finish(1, with: [0, 1])
        == [.send(CTAPHIDMessage(channel: channel, command: .cbor, payload: [0, 1]))])
    #expect(scene.transport.keepalive(1, .processing).isEmpty && scene.transport.finish(1, with: [0]).isEmpty)
  }

  @Test func `while one channel is served the others are told that it is busy, and can still begin`() throws {
    var scene = Scene()
    let (one, two) = (try scene.channel(), try scene.channel())
    _ = scene.send(0x10, [1], on: one)
    #expect(scene.send(0x10, [4], on: two) == failure(.channelBusy, on: two))
    #expect(scene.send(0x01, [4], on: one) == failure(.channelBusy, on: one))
    let third = try scene.channel()
    #expect(scene.send(0x11, [], on: third).isEmpty, "another channel cancels")
    #expect(scene.send(0x11, [], on: one) == [.cancel])
    #expect(!scene.transport.finish(1, with: [0x2D]).isEmpty)
    #expect(scene.send(0x10, [4], on: two) == [.perform(transaction: 2, channel: two, request: [4])])
  }

  @Test func `messages of two channels do not mix`() throws {
    var scene = Scene()
    let (one, two) = (try scene.channel(), try scene.channel())
    let packets = CTAPHIDMessage(channel: one, command: .ping, payload: [UInt8](repeating: 1, count: 100))
      .packets
    #expect(scene.send(packets[0]).isEmpty)
    #expect(scene.send(0x01, [2], on: two) == failure(.channelBusy, on: two))
    #expect(
      scene.send(.continuation(channel: two, sequence: 0, data: [UInt8](repeating: 2, count: 59))).isEmpty)
    guard case .send(let reply) = scene.send(packets[1]).first else { return #expect(Bool(false)) }
    #expect(reply.payload == [UInt8](repeating: 1, count: 100))
  }

  @Test func `packets out of order end the message`() throws {
    var scene = Scene()
    let channel = try scene.channel()
    let packets = CTAPHIDMessage(channel: channel, command: .ping, payload: [UInt8](repeating: 1, count: 300))
      .packets
    _ = scene.send(packets[0])
    #expect(scene.send(packets[2]) == failure(.invalidSequence, on: channel))
    #expect(scene.send(packets[1]).isEmpty, "a packet without a beginning is answered")
    _ = scene.send(packets[0])
    #expect(scene.send(packets[0]) == failure(.invalidSequence, on: channel))
    #expect(scene.send(0x01, [7], on: channel).count == 1)
  }

  @Test func `lengths that lie are refused or cut, and never waited for for ever`() throws {
    var scene = Scene()
    let channel = try scene.channel()
    let data = [UInt8](repeating: 3, count: 57)
    #expect(
      scene.send(.initial(channel: channel, command: 1, length: 7610, data: data))
        == failure(.invalidLength, on: channel))
    #expect(
      scene.send(.initial(channel: channel, command: 1, length: 3, data: data))
        == [.send(CTAPHIDMessage(channel: channel, command: .ping, payload: [3, 3, 3]))])
    #expect(scene.send(.initial(channel: channel, command: 1, length: 7609, data: data)).isEmpty)
    scene.now = .milliseconds(499)
    #expect(scene.transport.tick(at: scene.now).isEmpty && scene.transport.deadline == .milliseconds(500))
    scene.now = .milliseconds(500)
    #expect(scene.transport.tick(at: scene.now) == failure(.timeout, on: channel))
    #expect(scene.transport.deadline == nil)
    #expect(scene.send(0x10, [], on: channel) == failure(.invalidLength, on: channel))
    #expect(scene.send(0x08, [1], on: channel) == failure(.invalidLength, on: channel))
    #expect(scene.send(0x06, [1], on: channel) == failure(.invalidLength, on: channel))
  }

  @Test func `unknown channels, U2F, locks and unknown commands are refused`() throws {
    var scene = Scene()
    let channel = try scene.channel()
    for unknown in [0, 99, 0xFFFF_FFFF] as [UInt32] {
      #expect(scene.send(0x01, [1], on: unknown) == failure(.invalidChannel, on: unknown))
    }
    for command in [0x03, 0x04, 0x3B, 0x3F, 0x40, 0x7F] as [UInt8] {
      let packet = CTAPHIDPacket.initial(channel: channel, command: command, length: 1, data: [1])
      #expect(scene.send(packet) == failure(.invalidCommand, on: channel))
    }
    #expect(scene.transport.receive([1, 2, 3], at: .zero).isEmpty)
    #expect(scene.send(0x08, [], on: channel).first == .wink)
  }

  @Test func `a channel that begins anew drops its request, and the late answer goes nowhere`() throws {
    var scene = Scene()
    let channel = try scene.channel()
    _ = scene.send(0x10, [1], on: channel)
    let effects = scene.send(0x06, [8, 7, 6, 5, 4, 3, 2, 1], on: channel)
    #expect(effects.first == .cancel && effects.count == 2)
    #expect(scene.send(0x10, [4], on: channel) == [.perform(transaction: 2, channel: channel, request: [4])])
    #expect(scene.transport.finish(1, with: [0]).isEmpty)
    #expect(!scene.transport.finish(2, with: [0]).isEmpty)
  }

  @Test func `ten thousand channels take the place of quiet ones, not of the one that is served`() throws {
    var scene = Scene()
    let channel = try scene.channel()
    _ = scene.send(0x10, [1], on: channel)
    for _ in 0..<10_000 { _ = try scene.channel() }
    #expect(scene.send(0x11, [], on: channel) == [.cancel])
    #expect(!scene.transport.finish(1, with: [0]).isEmpty)
    let last = try scene.channel()
    #expect(scene.send(0x01, [1], on: last).count == 1)
  }

  @Test func `nobody waits any more when the last client is gone`() throws {
    var scene = Scene()
    let channel = try scene.channel()
    _ = scene.send(0x10, [1], on: channel)
    #expect(scene.transport.close() == [.cancel])
    #expect(scene.transport.finish(1, with: [0]).isEmpty && scene.transport.close().isEmpty)
    #expect(scene.send(0x01, [1], on: channel) == failure(.invalidChannel, on: channel))
  }
}
