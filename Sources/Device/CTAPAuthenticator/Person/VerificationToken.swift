internal import Bytes
internal import Crypto
internal import CTAP

/// The token that a platform gets for the PIN or a verification, and whose possession it proves later (`pinUvAuthToken`, CTAP 2.1
/// §6.5.2.1). There is one at a time.
struct VerificationToken: Redacted {
  /// The time within which the token has to be used first.
  static let firstUse = Duration.seconds(30)
  static let lifetime = Duration.seconds(600)
  /// How long a person who was asked for the token need not be asked again about its first use.
  static let presence = Duration.seconds(30)

  let bytes: [UInt8]
  let madeAt: Duration
  /// What the token may still be used for.
  private(set) var permissions: CTAPPermissions
  /// The relying party that the token may be used with; the first one it is used with, when none was named.
  private(set) var relyingPartyID: String?
  private var isUsed = false
  /// What the person was asked when the token was made, and agreed to.
  private var agreed: CTAPPermissions

  init(
    _ permissions: CTAPPermissions, relyingPartyID: String?, agreed: CTAPPermissions, at now: Duration,
    randomBytes: (Int) -> [UInt8]
  ) {
    bytes = randomBytes(32)
    madeAt = now
    (self.permissions, self.relyingPartyID, self.agreed) = (permissions, relyingPartyID, agreed)
  }

  /// Whether `parameter` proves possession of the token, and the token permits this use. A token is bound to the first relying party that
  /// it is used with.
  mutating func isProved(
    by parameter: [UInt8], of message: [UInt8], version: PINProtocol, for permission: CTAPPermissions,
    relyingPartyID party: String?, at now: Duration
  ) -> Bool {
    guard now - madeAt < (isUsed ? Self.lifetime : Self.firstUse), permissions.contains(permission),
      version.verify(parameter, of: message, with: SymmetricKey(data: bytes))
    else { return false }
    if let party {
      guard relyingPartyID == nil || relyingPartyID == party else { return false }
      relyingPartyID = party
    }
    isUsed = true
    return true
  }

  /// Whether the person agreed to this use when the token was made: agreeing to a new passkey is not agreeing to a sign-in.
  func provesPresence(for permission: CTAPPermissions, at now: Duration) -> Bool {
    agreed.contains(permission) && now - madeAt < Self.presence
  }

  /// Ends the token's use after a credential was made or used with it: it is good for no other one.
  mutating func spend() {
    agreed = []
    permissions = []
  }
}
