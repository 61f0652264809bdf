/// A whole message of a channel (CTAP 2.1 §11.2.4).
package struct CTAPHIDMessage: Sendable, Hashable {
  /// §11.2.9.
  package enum Command: UInt8, Sendable {
    case ping = 0x01
    /// A message of U2F.
    case message = 0x03
    case lock = 0x04
    case initialize = 0x06
    case wink = 0x08
    case cbor = 0x10
    case cancel = 0x11
    case keepalive = 0x3B
    case error = 0x3F
  }

  /// §11.2.9.1.6.
  package enum Failure: UInt8, Sendable {
    case invalidCommand = 0x01
    case invalidParameter = 0x02
    case invalidLength = 0x03
    case invalidSequence = 0x04
    case timeout = 0x05
    case channelBusy = 0x06
    case invalidChannel = 0x0B
    case other = 0x7F
  }

  /// The status in a keepalive (§11.2.9.1.7).
  package enum Status: UInt8, Sendable {
    case processing = 1
    /// A person is being asked.
    case userPresenceNeeded = 2
  }

  /// The channel on which clients ask for channels.
  package static let broadcast: UInt32 = 0xFFFF_FFFF

  /// The most bytes of a message: what 129 packets carry.
  package static let maximumBytes = CTAPHIDPacket.initialData + 128 * CTAPHIDPacket.continuationData

  package let channel: UInt32
  package let command: Command
  package let payload: [UInt8]

  package init(channel: UInt32, command: Command, payload: [UInt8]) {
    (self.channel, self.command, self.payload) = (channel, command, payload)
  }

  static func failure(_ failure: Failure, on channel: UInt32) -> CTAPHIDMessage {
    CTAPHIDMessage(channel: channel, command: .error, payload: [failure.rawValue])
  }

  /// The packets that carry the message. A message that is too long is replaced by an error.
  package var packets: [CTAPHIDPacket] {
    guard payload.count <= Self.maximumBytes else { return Self.failure(.other, on: channel).packets }
    var packets = [
      CTAPHIDPacket.initial(
        channel: channel, command: command.rawValue, length: payload.count,
        data: Array(payload.prefix(CTAPHIDPacket.initialData)))
    ]
    var rest = payload.dropFirst(CTAPHIDPacket.initialData)
    var sequence: UInt8 = 0
    while !rest.isEmpty {
      packets.append(
        .continuation(
          channel: channel, sequence: sequence, data: Array(rest.prefix(CTAPHIDPacket.continuationData))))
      rest = rest.dropFirst(CTAPHIDPacket.continuationData)
      sequence += 1
    }
    return packets
  }
}
