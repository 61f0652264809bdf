public import WebAuthnFormats

/// The relying party's requirements for a new credential (WebAuthn L3 §6.3.2).
public struct MakeCredentialRequest: Sendable, Hashable {
  /// Whether the authenticator attests the credential.
  public enum Attestation: String, Sendable, Hashable, CaseIterable {
    /// It does not.
    case none
    /// The TPM that has the key attests it, where it can; otherwise the new key signs for itself.
    case direct
  }

  /// SHA-256 of the client data.
  public var clientDataHash: [UInt8]
  public var relyingPartyID: String
  public var relyingPartyName: String
  public var userHandle: [UInt8]
  public var userName: String
  public var userDisplayName: String

  /// COSE numbers in the order of preference. Unknown ones are skipped.
  public var algorithms: [Int]

  /// Ids of credentials that must not be on this device already.
  public var excluded: [[UInt8]]

  /// Whether the credential has to be discoverable: found without its id.
  public var requiresResidentKey: Bool

  /// Whether the person is verified, and not only asked.
  public var verifiesUser: Bool
  public var attestation: Attestation

  /// The server and realm that ask, as the device knows them. Credentials of another scope count as if they were not there.
  public var scope: CredentialScope?

  public init(
    clientDataHash: [UInt8], relyingPartyID: String, relyingPartyName: String, userHandle: [UInt8],
    userName: String, userDisplayName: String, algorithms: [Int], excluded: [[UInt8]] = [],
    requiresResidentKey: Bool = false, verifiesUser: Bool, attestation: Attestation = .none,
    scope: CredentialScope? = nil
  ) {
    self.clientDataHash = clientDataHash
    self.relyingPartyID = relyingPartyID
    self.relyingPartyName = relyingPartyName
    self.userHandle = userHandle
    self.userName = userName
    self.userDisplayName = userDisplayName
    self.algorithms = algorithms
    self.excluded = excluded
    self.requiresResidentKey = requiresResidentKey
    self.verifiesUser = verifiesUser
    self.attestation = attestation
    self.scope = scope
  }
}

/// A new credential, and what the relying party is told of it.
public struct MadeCredential: Sendable, Hashable {
  public let source: PublicKeyCredentialSource
  public let attestationObject: AttestationObject
}

/// The relying party's requirements for an assertion (WebAuthn L3 §6.3.3).
public struct GetAssertionRequest: Sendable, Hashable {
  /// SHA-256 of the client data.
  public var clientDataHash: [UInt8]
  public var relyingPartyID: String

  /// Ids of the credentials that will do; empty for every discoverable one.
  public var allowed: [[UInt8]]

  /// Whether the person is verified. Keys that were made with a verification always verify.
  public var verifiesUser: Bool

  /// The server and realm that ask, as the device knows them. Credentials of another scope count as if they were not there.
  public var scope: CredentialScope?

  public init(
    clientDataHash: [UInt8], relyingPartyID: String, allowed: [[UInt8]] = [], verifiesUser: Bool,
    scope: CredentialScope? = nil
  ) {
    self.clientDataHash = clientDataHash
    self.relyingPartyID = relyingPartyID
    self.allowed = allowed
    self.verifiesUser = verifiesUser
    self.scope = scope
  }
}

/// An assertion: proof that this device has a credential.
public struct AuthenticatorAssertion: Sendable, Hashable {
  /// The credential, with the signature count that was saved before the signature was made.
  public let source: PublicKeyCredentialSource
  public let authenticatorData: AuthenticatorData

  /// DER for ECDSA (WebAuthn L3 §6.5.5).
  public let signature: [UInt8]
}
