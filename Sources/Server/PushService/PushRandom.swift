internal import JourneyStore
internal import PushFormats

/// Secrets, challenges and ids of push, from the system's secure source, made anew for each message. As a generator it
/// feeds the numbers and codes of ``PushFormats``.
struct PushRandom: RandomNumberGenerator, Sendable {
  let randomBytes: @Sendable (Int) -> [UInt8]

  func next() -> UInt64 { randomBytes(8).reduce(0) { $0 << 8 | UInt64($1) } }

  /// 32 bytes: a challenge or a shared secret.
  func secret() -> StoredSecret { StoredSecret(randomBytes(PushSecret.standardCount)) }

  func uuid() -> String { RandomUUID.make(randomBytes) }
}

extension PushDeviceRecord {
  /// The secret as the wire formats need it.
  ///
  /// - Throws: `PushFormatError` when what is stored is none.
  func secret() throws(PushFormatError) -> PushSecret { try PushSecret(sharedSecret.reveal()) }
}
