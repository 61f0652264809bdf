internal import Bytes

/// What a credential has besides that programs reach by CTAP, as if it were in a security key.
///
/// Its key signs without being unlocked: who asks and verifies the person is ``Authenticator/makeRoamingCredential(_:_:extensions:pin:)``'s
/// caller, as in a security key it is the firmware.
package struct RoamingDetails: Sendable, Hashable {
  /// Without which verification of the person it is not even found (`credProtect`, CTAP 2.1 §12.1).
  package enum Protection: Int, Sendable {
    case optional = 1
    /// Found by its id, or with a verification.
    case optionalWithID
    case required
  }

  /// The account's name for people.
  package internal(set) var displayName: String
  package let protection: Protection
  /// Those of `hmac-secret`; `nil` when that was not asked for.
  package let secrets: PseudoRandomSecrets?

  package init(displayName: String, protection: Protection, secrets: PseudoRandomSecrets?) {
    (self.displayName, self.protection, self.secrets) = (displayName, protection, secrets)
  }
}

/// From which a credential's pseudo-random function is computed (`hmac-secret`, CTAP 2.1 §12.5): another one when the person was verified.
package struct PseudoRandomSecrets: Sendable, Hashable, Redacted {
  package let unverified: [UInt8]
  package let verified: [UInt8]

  /// - Parameter randomBytes: As many random bytes as asked for.
  package init(randomBytes: (Int) -> [UInt8]) { (unverified, verified) = (randomBytes(32), randomBytes(32)) }

  init?(bytes: [UInt8]) {
    guard bytes.count == 64 else { return nil }
    (unverified, verified) = (Array(bytes[..<32]), Array(bytes[32...]))
  }

  var bytes: [UInt8] { unverified + verified }
}
