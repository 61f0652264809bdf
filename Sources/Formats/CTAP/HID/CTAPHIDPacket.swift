internal import Bytes

/// One report of a security key, in either direction: the beginning of a message or a further part of one (CTAP 2.1 §11.2.4).
package enum CTAPHIDPacket: Sendable, Hashable {
  /// - Parameters:
  ///   - length: The stated length of the whole message; nothing guarantees that so much follows.
  ///   - data: The part of the message in this packet: at most 57 bytes.
  case initial(channel: UInt32, command: UInt8, length: Int, data: [UInt8])
  /// - Parameter sequence: 0 to 127.
  case continuation(channel: UInt32, sequence: UInt8, data: [UInt8])

  /// Bytes of every packet.
  package static let byteCount = 64
  static let initialData = byteCount - 7
  static let continuationData = byteCount - 5

  /// Reads a packet; `nil` unless there are 64 bytes.
  package init?(parsing bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    let channel = bytes[..<4].reduce(0) { $0 << 8 | UInt32($1) }
    if bytes[4] & 0x80 != 0 {
      let length = Int(bytes[5]) << 8 | Int(bytes[6])
      self = .initial(
        channel: channel, command: bytes[4] & 0x7F, length: length, data: Array(bytes[7...].prefix(length)))
    } else {
      self = .continuation(channel: channel, sequence: bytes[4], data: Array(bytes[5...]))
    }
  }

  /// 64 bytes, zeros at the end.
  package var bytes: [UInt8] {
    let bytes =
      switch self {
      case .initial(let channel, let command, let length, let data):
        channel.bigEndianBytes + [command | 0x80] + UInt16(truncatingIfNeeded: length).bigEndianBytes
          + data.prefix(Self.initialData)
      case .continuation(let channel, let sequence, let data):
        channel.bigEndianBytes + [sequence & 0x7F] + data.prefix(Self.continuationData)
      }
    return bytes + [UInt8](repeating: 0, count: Self.byteCount - bytes.count)
  }
}
