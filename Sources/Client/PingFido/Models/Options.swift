/// The options of a registration (WebAuthn L3 §5.4); bytes are base64url text.
public struct PublicKeyCredentialCreationOptions: Codable, Sendable, Hashable {
  public var rp: PublicKeyCredentialRpEntity
  public var user: PublicKeyCredentialUserEntity
  public var challenge: String
  public var pubKeyCredParams: [PublicKeyCredentialParameters]
  /// The time limit in milliseconds.
  public var timeout: Int?
  public var excludeCredentials: [PublicKeyCredentialDescriptor]?
  public var authenticatorSelection: AuthenticatorSelectionCriteria?
  public var attestation: AttestationConveyancePreference?
}

/// The options of an authentication (§5.5); bytes are base64url text.
public struct PublicKeyCredentialRequestOptions: Codable, Sendable, Hashable {
  public var challenge: String
  /// The time limit in milliseconds.
  public var timeout: Int?
  public var rpId: String?
  public var allowCredentials: [PublicKeyCredentialDescriptor]?
  public var userVerification: UserVerificationRequirement?
}

/// A relying party (§5.4.2).
public struct PublicKeyCredentialRpEntity: Codable, Sendable, Hashable {
  public var id: String?
  public var name: String
}

/// An account (§5.4.3).
public struct PublicKeyCredentialUserEntity: Codable, Sendable, Hashable {
  public var id: String
  public var name: String
  public var displayName: String
}

/// An acceptable algorithm (§5.3).
public struct PublicKeyCredentialParameters: Codable, Sendable, Hashable {
  public var type: PublicKeyCredentialType
  public var alg: COSEAlgorithmIdentifier
}

/// Names a credential (§5.8.3).
public struct PublicKeyCredentialDescriptor: Codable, Sendable, Hashable {
  public var type: PublicKeyCredentialType
  public var id: String
  public var transports: [AuthenticatorTransport]?
}

/// The requirements on the authenticator (§5.4.4).
public struct AuthenticatorSelectionCriteria: Codable, Sendable, Hashable {
  public var authenticatorAttachment: AuthenticatorAttachment?
  public var requireResidentKey: Bool?
  public var userVerification: UserVerificationRequirement?
}

/// A credential with the authenticator's response (§5.1).
public struct PublicKeyCredential<T: Codable>: Codable {
  public var id: String
  public var rawId: String
  public var type: PublicKeyCredentialType
  public var response: T
}

/// The answer to a registration (§5.2.1).
public struct AuthenticatorAttestationResponse: Codable, Sendable, Hashable {
  public var clientDataJSON: String
  public var attestationObject: String
}

/// The answer to an authentication (§5.2.2).
public struct AuthenticatorAssertionResponse: Codable, Sendable, Hashable {
  public var clientDataJSON: String
  public var authenticatorData: String
  public var signature: String
  public var userHandle: String?
}
