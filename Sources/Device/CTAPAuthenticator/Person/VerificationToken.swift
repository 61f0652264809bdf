internal import Bytes
internal import Crypto
internal import CTAP

/// What a platform gets for the PIN or a verification, and proves later that it has (`pinUvAuthToken`, CTAP 2.1 §6.5.2.1). There is one at
/// a time.
struct VerificationToken: Redacted {
  /// It is first used within this time, or never.
  static let firstUse = Duration.seconds(30)
  static let lifetime = Duration.seconds(600)
  /// For so long, a person who was asked for the token need not be asked again about its first use.
  static let presence = Duration.seconds(30)

  let bytes: [UInt8]
  let madeAt: Duration
  /// What it may be used for; less after each use.
  private(set) var permissions: CTAPPermissions
  /// With what relying party; the first one, when none was named.
  private(set) var relyingPartyID: String?
  private var isUsed = false
  /// What a person was asked for it about, and has agreed to.
  private var agreed: CTAPPermissions

  init(
    _ permissions: CTAPPermissions, relyingPartyID: String?, agreed: CTAPPermissions, at now: Duration,
    randomBytes: (Int) -> [UInt8]
  ) {
    bytes = randomBytes(32)
    madeAt = now
    (self.permissions, self.relyingPartyID, self.agreed) = (permissions, relyingPartyID, agreed)
  }

  /// Whether `parameter` proves the possession, and the token is good for this. A token is bound to the first relying party that it is
  /// used with.
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

  /// Whether the person who was asked for it has agreed to the use at hand: not to a sign-in, when a new passkey was what the question said.
  func provesPresence(for permission: CTAPPermissions, at now: Duration) -> Bool {
    agreed.contains(permission) && now - madeAt < Self.presence
  }

  /// A credential was made or used with it: it is good for no other one.
  mutating func spend() {
    agreed = []
    permissions = []
  }
}
