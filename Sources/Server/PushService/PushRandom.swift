package import JourneyStore
package import PushFormats

/// Makes secrets and challenges of push from the system's secure random source. As a generator, it feeds the numbers and codes
/// of ``PushFormats``.
package struct PushRandom: RandomNumberGenerator, Sendable {
  private let randomBytes: @Sendable (Int) -> [UInt8]

  package init(randomBytes: @escaping @Sendable (Int) -> [UInt8]) { self.randomBytes = randomBytes }

  package func next() -> UInt64 { randomBytes(8).reduce(0) { $0 << 8 | UInt64($1) } }

  /// 32 bytes: a challenge or a shared secret.
  package func secret() -> StoredSecret { StoredSecret(randomBytes(PushSecret.standardCount)) }
}

extension PushDeviceRecord {
  /// The secret in the type of the wire formats.
  ///
  /// - Throws: `PushFormatError` when the stored bytes are not a valid secret.
  package func secret() throws(PushFormatError) -> PushSecret { try PushSecret(sharedSecret.reveal()) }
}

extension StoredSecret {
  /// The stored number or code, as digits.
  package var digits: String { String(decoding: reveal(), as: UTF8.self) }
}
