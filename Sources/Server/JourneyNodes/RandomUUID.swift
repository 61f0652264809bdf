internal import Bytes

/// UUIDs of version 4 (RFC 9562) from the server's own source of randomness, in lower case.
enum RandomUUID {
  static func make(_ randomBytes: (Int) -> [UInt8]) -> String {
    var bytes = randomBytes(16)
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    return Hexadecimal.uuid(bytes)
  }
}
