internal import Bytes
internal import Crypto
package import DeviceKeys

/// Further details of a credential that programs reach by CTAP, as if it were in a security key.
///
/// Its key signs without being unlocked. The caller of ``Authenticator/makeRoamingCredential(_:_:extensions:pin:)`` asks and verifies the
/// person, as the firmware of a security key does.
package struct RoamingDetails: Sendable, Hashable {
  /// The verification without which the credential is not even found (`credProtect`, CTAP 2.1 §12.1).
  package enum Protection: Int, Sendable {
    case optional = 1
    /// Found by its id, or with a verification.
    case optionalWithID
    case required
  }

  /// The account's name for people.
  package internal(set) var displayName: String
  package let protection: Protection
  /// The secrets of `hmac-secret`; `nil` when that was not asked for.
  package let secrets: PseudoRandomSecrets?

  package init(displayName: String, protection: Protection, secrets: PseudoRandomSecrets?) {
    (self.displayName, self.protection, self.secrets) = (displayName, protection, secrets)
  }
}

/// The secrets of a credential's pseudo-random function (`hmac-secret`, CTAP 2.1 §12.5): one for verified persons, one for others.
package enum PseudoRandomSecrets: Sendable, Hashable, Redacted {
  /// The secrets themselves, 32 bytes each.
  case bytes(unverified: [UInt8], verified: [UInt8])
  /// Keys in the hardware that has the credential's key, as it encrypted them for itself.
  case hardware(unverified: [UInt8], verified: [UInt8])

  /// New secrets: in the hardware when `store` makes new keys there.
  ///
  /// - Parameter randomBytes: Returns as many random bytes as asked for.
  /// - Throws: `DeviceKeyError`.
  package init(for store: any DeviceKeyStore, randomBytes: (Int) -> [UInt8]) async throws {
    let hardware = store as? any MACKeyStore
    if let unverified = try await hardware?.makeMACKey(), let verified = try await hardware?.makeMACKey() {
      self = .hardware(unverified: unverified, verified: verified)
    } else {
      self = .bytes(unverified: randomBytes(32), verified: randomBytes(32))
    }
  }

  init?(bytes: [UInt8]) {
    guard bytes.count == 64 else { return nil }
    self = .bytes(unverified: Array(bytes[..<32]), verified: Array(bytes[32...]))
  }

  /// The function's value for each salt, 32 bytes each.
  ///
  /// - Parameter store: Where the credential's key is.
  /// - Throws: `DeviceKeyError`.
  package func values(
    of salts: [[UInt8]], isVerified: Bool, in store: any DeviceKeyStore
  ) async throws -> [[UInt8]] {
    switch self {
    case .bytes(let unverified, let verified):
      let key = SymmetricKey(data: isVerified ? verified : unverified)
      return salts.map { Array(HMAC<SHA256>.authenticationCode(for: $0, using: key)) }
    case .hardware(let unverified, let verified):
      guard let hardware = store as? any MACKeyStore else {
        throw DeviceKeyError.unsupported(
          "The secret of this passkey is in hardware that this store does not have.")
      }
      return try await hardware.authenticationCodes(of: salts, by: isVerified ? verified : unverified)
    }
  }
}
