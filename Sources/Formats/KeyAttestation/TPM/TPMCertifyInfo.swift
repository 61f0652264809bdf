/// What TPM2_Certify signs: TPMS_ATTEST with TPMS_CERTIFY_INFO (TPM 2.0 Library, Part 2, §10.12).
package struct TPMCertifyInfo: Sendable, Hashable {
  /// Longest accepted encoding in bytes; the longest possible one has about 330.
  static let maximumBytes = 512

  /// TPM_GENERATED: a restricted key signs no outside data that begins with it.
  static let magic: UInt32 = 0xFF54_4347

  /// TPM_ST_ATTEST_CERTIFY.
  static let certify: UInt16 = 0x8017

  /// TPM2B_NAME: an algorithm and the longest digest, or a handle.
  private static let maximumNameBytes = 2 + 64

  /// The data that the caller of TPM2_Certify had signed along, at most 66 bytes.
  package let extraData: [UInt8]
  let firmwareVersion: UInt64

  /// The Name of the certified object.
  package let name: [UInt8]

  /// - Parameter checksClockFlag: whether the flag of the clock must be 0 or 1. It decides nothing; the test vectors of WebAuthn have
  ///   another value there.
  package init(_ encoded: [UInt8], checksClockFlag: Bool = true) throws(AttestationFailure) {
    do throws(TPMReader.Malformed) {
      var reader = try TPMReader(encoded, atMost: Self.maximumBytes)
      guard try reader.integer() == Self.magic else {
        throw TPMReader.Malformed(reason: "it does not begin with ff544347, so no TPM made it")
      }
      guard try reader.integer() == Self.certify else {
        throw TPMReader.Malformed(reason: "its type is not 8017, so it does not come from TPM2_Certify")
      }
      // Skips the signer's qualified name: the certificate identifies the signer.
      _ = try reader.sized(atMost: Self.maximumNameBytes)
      extraData = try reader.sized(atMost: 2 + 64)
      // TPMS_CLOCK_INFO: clock, reset count, restart count, and whether the clock is safe.
      _ = try reader.integer(UInt64.self)
      _ = try reader.integer(UInt32.self)
      _ = try reader.integer(UInt32.self)
      guard try reader.integer(UInt8.self) <= 1 || !checksClockFlag else {
        throw TPMReader.Malformed(reason: "the clock's flag is neither 0 nor 1")
      }
      firmwareVersion = try reader.integer()
      name = try reader.sized(atMost: Self.maximumNameBytes)
      _ = try reader.sized(atMost: Self.maximumNameBytes)
      try reader.end()
    } catch {
      throw AttestationFailure(.certifyInfoMalformed, "certInfo cannot be read: \(error.reason)")
    }
  }
}
