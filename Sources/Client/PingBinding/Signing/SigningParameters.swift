public import DeviceKeys
public import Foundation
public import JOSE

/// What the proof of a new key is made of.
public struct SigningParameters: Sendable {
  public let algorithm: JWSAlgorithm
  public let keyPair: KeyPair
  public let kid: String
  /// The user as the server names it; goes into `sub` as it is.
  public let userId: String
  /// As the server sent it.
  public let challenge: String
  public let issueTime: Date
  public let notBeforeTime: Date
  public let expiration: Date
  public let attestation: Attestation
  /// `iss`; signing without it fails.
  public let applicationId: String?

  public init(
    algorithm: JWSAlgorithm = .es256, keyPair: KeyPair, kid: String, userId: String, challenge: String,
    issueTime: Date, notBeforeTime: Date, expiration: Date, attestation: Attestation = .none,
    applicationId: String? = Bundle.main.bundleIdentifier
  ) {
    self.algorithm = algorithm
    self.keyPair = keyPair
    self.kid = kid
    self.userId = userId
    self.challenge = challenge
    self.issueTime = issueTime
    self.notBeforeTime = notBeforeTime
    self.expiration = expiration
    self.attestation = attestation
    self.applicationId = applicationId
  }
}

/// What the proof of a bound key is made of.
public struct UserKeySigningParameters {
  public let algorithm: JWSAlgorithm
  public let userKey: UserKey
  /// Unlocked.
  public let privateKey: any DeviceKey
  public let publicKey: JWK
  /// As the server sent it.
  public let challenge: String
  public let issueTime: Date
  public let notBeforeTime: Date
  public let expiration: Date
  /// See ``DeviceBindingConfig/claims``.
  public let customClaims: [String: Any]
  /// `iss`; signing without it fails.
  public let applicationId: String?

  /// The id of the transaction that was shown and approved, which goes into the claim `txn` (RFC 8417 §2.2); `nil` when
  /// none was. Only ``DeviceSigningVerifierCallback/sign(config:)`` sets it.
  public internal(set) var transactionID: String?

  public init(
    algorithm: JWSAlgorithm = .es256, userKey: UserKey, privateKey: any DeviceKey, publicKey: JWK,
    challenge: String, issueTime: Date, notBeforeTime: Date, expiration: Date,
    customClaims: [String: Any] = [:], applicationId: String? = Bundle.main.bundleIdentifier
  ) {
    self.algorithm = algorithm
    self.userKey = userKey
    self.privateKey = privateKey
    self.publicKey = publicKey
    self.challenge = challenge
    self.issueTime = issueTime
    self.notBeforeTime = notBeforeTime
    self.expiration = expiration
    self.customClaims = customClaims
    self.applicationId = applicationId
  }
}
