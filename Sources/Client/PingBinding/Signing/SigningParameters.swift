public import DeviceKeys
public import Foundation
public import JOSE

/// The content of a new key's proof.
///
/// `algorithm` is `SecKeyAlgorithm` on Apple platforms and `JWSAlgorithm` elsewhere: ES256 on all.
public struct SigningParameters: Sendable {
  let jwsAlgorithm: JWSAlgorithm
  public let keyPair: KeyPair
  public let kid: String
  /// The user as the server names it; the unchanged value of `sub`.
  public let userId: String
  /// The challenge as the server sent it.
  public let challenge: String
  public let issueTime: Date
  public let notBeforeTime: Date
  public let expiration: Date
  public let attestation: Attestation
  /// `iss`; `nil` is the default, see ``BindingModule/applicationId``.
  public let applicationId: String?

  public init(
    algorithm: JWSAlgorithm = .es256, keyPair: KeyPair, kid: String, userId: String, challenge: String,
    issueTime: Date, notBeforeTime: Date, expiration: Date, attestation: Attestation = .none,
    applicationId: String? = BindingModule.applicationId
  ) {
    jwsAlgorithm = algorithm
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

/// The content of a bound key's proof.
///
/// `algorithm`, `privateKey` and `publicKey` have Apple's types on Apple platforms; see ``KeyPair``.
public struct UserKeySigningParameters {
  let jwsAlgorithm: JWSAlgorithm
  public let userKey: UserKey
  /// The private key, unlocked.
  public let deviceKey: any DeviceKey
  /// The public key.
  public let jwk: JWK
  /// The challenge as the server sent it.
  public let challenge: String
  public let issueTime: Date
  public let notBeforeTime: Date
  public let expiration: Date
  /// See ``DeviceBindingConfig/claims``.
  public let customClaims: [String: Any]
  /// `iss`; `nil` is the default, see ``BindingModule/applicationId``.
  public let applicationId: String?

  /// The id of the transaction that was shown and approved, for the claim `txn` (RFC 8417 §2.2); `nil` without a transaction.
  /// Only ``DeviceSigningVerifierCallback/sign(config:)`` sets it.
  public internal(set) var transactionID: String?

  public init(
    algorithm: JWSAlgorithm = .es256, userKey: UserKey, privateKey: any DeviceKey, publicKey: JWK,
    challenge: String, issueTime: Date, notBeforeTime: Date, expiration: Date,
    customClaims: [String: Any] = [:], applicationId: String? = BindingModule.applicationId
  ) {
    jwsAlgorithm = algorithm
    self.userKey = userKey
    deviceKey = privateKey
    jwk = publicKey
    self.challenge = challenge
    self.issueTime = issueTime
    self.notBeforeTime = notBeforeTime
    self.expiration = expiration
    self.customClaims = customClaims
    self.applicationId = applicationId
  }
}
