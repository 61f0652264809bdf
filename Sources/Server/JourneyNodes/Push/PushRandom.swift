internal import JourneyStore
internal import PushFormats

/// Secrets, challenges and ids of push, from the system's secure source, made anew for each message. As a generator it
/// feeds the numbers and codes of ``PushFormats``.
struct PushRandom: RandomNumberGenerator, Sendable {
  let randomBytes: @Sendable (Int) -> [UInt8]

  func next() -> UInt64 { randomBytes(8).reduce(0) { $0 << 8 | UInt64($1) } }

  /// 32 bytes: a challenge or a shared secret.
  func secret() -> StoredSecret { StoredSecret(randomBytes(PushSecret.standardCount)) }

  /// A UUID of version 4 (RFC 9562), in lower case.
  func uuid() -> String {
    var bytes = randomBytes(16)
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let hex = bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }
    return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { hex[$0].joined() }.joined(separator: "-")
  }
}

extension PushDeviceRecord {
  /// The secret as the wire formats need it.
  ///
  /// - Throws: `PushFormatError` when what is stored is none.
  func secret() throws(PushFormatError) -> PushSecret { try PushSecret(sharedSecret.reveal()) }
}
