import CBOR
import CTAP

extension FuzzTarget {
  /// What asks a security key: the kernel's events, packets, requests. What is read is written the same, each packet has a few answers at
  /// most, and after any of them a channel can be had.
  static let ctap = FuzzTarget { bytes in
    if let event = try? UHIDEvent(parsing: bytes) {
      expect(event.bytes.count <= UHIDEvent.maximumBytes, "an event is too long")
      if case .create = event {
      } else {
        expect((try? UHIDEvent(parsing: event.bytes)) == event, "an event changes")
      }
    }
    if let packet = CTAPHIDPacket(parsing: bytes) {
      expect(CTAPHIDPacket(parsing: packet.bytes) == packet, "a packet changes")
    }
    if let request = try? CTAPRequest(parsing: bytes) {
      if case .makeCredential(let made) = request {
        expect((1...64).contains(made.user.id.count) && made.user.name.utf8.count <= 64, "a name is too long")
      }
      if case .getAssertion(let got) = request {
        expect(!got.relyingPartyID.contains { $0.isWhitespace || $0.isNewline }, "an id is no domain")
        expect((got.allowed ?? []).count <= CTAPRequest.maximumCredentials, "a list is too long")
      }
    }
    // The input as a stream of packets of one client, after it has a channel.
    var transport = CTAPHIDTransport()
    let begin = CTAPHIDMessage(
      channel: CTAPHIDMessage.broadcast, command: .initialize, payload: [1, 2, 3, 4, 5, 6, 7, 8])
    for packet in begin.packets { _ = transport.receive(packet.bytes, at: .zero) }
    var now = Duration.zero
    for start in stride(from: 0, to: bytes.count, by: CTAPHIDPacket.byteCount) {
      let part = Array(bytes[start...].prefix(CTAPHIDPacket.byteCount))
      now += .milliseconds(Int(part[0]))
      let packet = part + [UInt8](repeating: 0, count: CTAPHIDPacket.byteCount - part.count)
      for effect in transport.receive(packet, at: now) {
        switch effect {
        case .send(let message):
          expect(message.payload.count <= CTAPHIDMessage.maximumBytes, "a message is too long")
          expect(message.packets.count <= 129, "a message has too many packets")
        case .perform(let transaction, _, let request):
          expect(!request.isEmpty && transport.performing == transaction, "another request is performed")
          if packet.last == 0 { _ = transport.finish(transaction, with: [0]) }
        case .cancel, .wink: break
        }
      }
    }
    let effects = begin.packets.flatMap { transport.receive($0.bytes, at: now) }
    expect(
      effects.contains { if case .send(let reply) = $0 { reply.command == .initialize } else { false } },
      "no channel")
  }
}
