public import Foundation

/// A WebAuthn credential that was registered for one user (reference webauthn §5.4).
public struct WebAuthnDeviceRecord: DeviceRecord, Hashable {
  /// The server's own id of the record; the REST `_id`.
  public var uuid: String
  public var realm: String
  public var username: String

  /// The friendly name, 1 to 120 characters.
  public var deviceName: String

  /// 1 to 1023 bytes, as the authenticator attested them. Unique in its realm.
  public var credentialID: [UInt8]

  /// A COSE_Key (RFC 9052 §7) in the canonical encoding.
  public var publicKey: [UInt8]

  /// The counter of the last accepted assertion or of the registration; it never falls.
  public var signCount: UInt32

  /// The bytes that were sent as user id.
  public var userHandle: [UInt8]

  /// The relying party's id at registration.
  public var relyingPartyID: String

  /// The authenticator's model, as a UUID.
  public var aaguid: String

  /// `fmt` of the attestation: `none`, `packed` and so on.
  public var attestationFormat: String

  /// What the attestation proves: `NONE`, `SELF`, `BASIC` or `CA`.
  public var attestationType: String

  /// `platform` or `cross-platform`, if the client said.
  public var attachment: String?

  /// How the client reaches the authenticator (`internal`, `usb`, …), as far as it said.
  public var transports: [String]

  /// BE: the credential may be copied to other devices. Never changes.
  public var isBackupEligible: Bool

  /// BS: the credential is copied, as of the last ceremony.
  public var isBackedUp: Bool

  /// Whether the authenticator has ever verified the person (UV).
  public var isUserVerificationInitialized: Bool
  public var createdDate: Date

  /// Moment of registration, then of each accepted assertion.
  public var lastAccessDate: Date

  public init(
    uuid: String, realm: String, username: String, deviceName: String, credentialID: [UInt8],
    publicKey: [UInt8], signCount: UInt32, userHandle: [UInt8], relyingPartyID: String, aaguid: String,
    attestationFormat: String, attestationType: String, attachment: String? = nil, transports: [String] = [],
    isBackupEligible: Bool, isBackedUp: Bool, isUserVerificationInitialized: Bool, createdDate: Date,
    lastAccessDate: Date
  ) {
    self.uuid = uuid
    self.realm = realm
    self.username = username
    self.deviceName = deviceName
    self.credentialID = credentialID
    self.publicKey = publicKey
    self.signCount = signCount
    self.userHandle = userHandle
    self.relyingPartyID = relyingPartyID
    self.aaguid = aaguid
    self.attestationFormat = attestationFormat
    self.attestationType = attestationType
    self.attachment = attachment
    self.transports = transports
    self.isBackupEligible = isBackupEligible
    self.isBackedUp = isBackedUp
    self.isUserVerificationInitialized = isUserVerificationInitialized
    self.createdDate = createdDate
    self.lastAccessDate = lastAccessDate
  }
}

/// What an accepted assertion changes in its record.
public struct WebAuthnUse: Sendable, Hashable {
  /// The counter that the authenticator signed; 0 when it does not count.
  public var signCount: UInt32
  public var isBackedUp: Bool
  public var isUserVerified: Bool
  public var date: Date

  public init(signCount: UInt32, isBackedUp: Bool, isUserVerified: Bool, date: Date) {
    self.signCount = signCount
    self.isBackedUp = isBackedUp
    self.isUserVerified = isUserVerified
    self.date = date
  }
}

/// The outcome of ``ServerStore/recordWebAuthnUse(_:credentialID:realm:)``.
public enum WebAuthnUseResult: Sendable, Hashable {
  case recorded
  /// The rest is stored, but the counter did not advance: there may be a copy of the credential.
  case counterNotAdvanced
  /// The device was deleted meanwhile.
  case noSuchDevice
}
