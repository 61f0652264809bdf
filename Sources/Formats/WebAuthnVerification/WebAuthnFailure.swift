public import KeyAttestation

/// Why a ceremony was not accepted: which check failed, and a sentence for the operator.
///
/// A client learns no more than that it failed; this text is for log and audit.
public struct WebAuthnFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The checks of WebAuthn L3 §7.1 and §7.2, each with its own name. More may be added, so compare with the known ones.
  public enum Check: String, Sendable, Hashable {
    /// The answer does not have all its parts, or the client data is not a JSON object with the members that it must have.
    case malformedResponse
    /// The client data is of another ceremony.
    case wrongCeremonyType
    /// Another challenge was answered.
    case challengeMismatch
    /// The challenge was answered before; found by the caller, who keeps the records.
    case challengeReused
    /// The answer came after the challenge's time; found by the caller.
    case challengeExpired
    /// The client ran at an origin that is not allowed.
    case originNotAllowed
    /// The client ran in a frame of another origin, and that, or the page's origin, is not allowed.
    case crossOriginNotAllowed
    /// The attestation object is not a CBOR map of the three members.
    case malformedAttestationObject
    /// The credential belongs to another relying party.
    case rpIdMismatch
    /// The user was not present (UP).
    case userNotPresent
    /// The user was not verified (UV), and that is required.
    case userNotVerified
    /// The authenticator data does not have the form that its flags announce, or that the ceremony demands.
    case malformedAuthenticatorData
    /// The key or its algorithm is not among those that were offered, or is not an acceptable key.
    case algorithmNotAllowed
    /// The format of the attestation statement is unknown, or refused for good.
    case unsupportedAttestationFormat
    /// The attestation statement does not prove what it says.
    case attestationInvalid
    /// The attestation is sound, but not of a kind or from an authority that is trusted.
    case attestationNotTrusted
    /// The attested credential has another id than the answer.
    case credentialIdMismatch
    /// Some account has a credential of this id already; found by the caller.
    case credentialAlreadyRegistered
    /// The answer belongs to another credential than the one it is checked against.
    case unknownCredential
    /// The user handle is another account's.
    case userHandleMismatch
    /// The backup flags contradict each other or what was registered.
    case backupStateInvalid
    /// The signature is not the credential's.
    case invalidSignature
    /// The counter did not advance: there may be a copy of the credential.
    case signCountMismatch
  }

  public let check: Check

  /// What was found and, where that is open, what to do. Never contains key material.
  public let detail: String

  /// The reason why certificates do not lead to a root, for ``Check/attestationNotTrusted``. ``detail`` says it, too.
  public let chainFault: ChainFault?

  public init(_ check: Check, _ detail: String) { self.init(check, detail, nil) }

  init(_ check: Check, _ detail: String, _ chainFault: ChainFault?) {
    self.check = check
    self.detail = detail
    self.chainFault = chainFault
  }

  public var description: String { "\(check): \(detail)" }
}
