public import KeyAttestation

/// Why a ceremony was not accepted: which check failed, and a sentence for the operator.
///
/// A client learns no more than that it failed; this text is for log and audit.
public struct WebAuthnFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The checks of WebAuthn L3 §7.1 and §7.2, each with its own name. More may be added, so compare with the known ones.
  public struct Check: Sendable, Hashable, CustomStringConvertible {
    public let description: String
    private init(_ name: String) { description = name }

    /// The answer does not have all its parts, or the client data is not a JSON object with the members that it must have.
    public static let malformedResponse = Check("malformedResponse")
    /// The client data is of another ceremony.
    public static let wrongCeremonyType = Check("wrongCeremonyType")
    /// Another challenge was answered.
    public static let challengeMismatch = Check("challengeMismatch")
    /// The challenge was answered before; found by the caller, who keeps the records.
    public static let challengeReused = Check("challengeReused")
    /// The answer came after the challenge's time; found by the caller.
    public static let challengeExpired = Check("challengeExpired")
    /// The client ran at an origin that is not allowed.
    public static let originNotAllowed = Check("originNotAllowed")
    /// The client ran in a frame of another origin, and that, or the page's origin, is not allowed.
    public static let crossOriginNotAllowed = Check("crossOriginNotAllowed")
    /// The attestation object is not a CBOR map of the three members.
    public static let malformedAttestationObject = Check("malformedAttestationObject")
    /// The credential belongs to another relying party.
    public static let rpIdMismatch = Check("rpIdMismatch")
    /// The user was not present (UP).
    public static let userNotPresent = Check("userNotPresent")
    /// The user was not verified (UV), and that is required.
    public static let userNotVerified = Check("userNotVerified")
    /// The authenticator data does not have the form that its flags announce, or that the ceremony demands.
    public static let malformedAuthenticatorData = Check("malformedAuthenticatorData")
    /// The key or its algorithm is not among those that were offered, or is not an acceptable key.
    public static let algorithmNotAllowed = Check("algorithmNotAllowed")
    /// The format of the attestation statement is unknown, or refused for good.
    public static let unsupportedAttestationFormat = Check("unsupportedAttestationFormat")
    /// The attestation statement does not prove what it says.
    public static let attestationInvalid = Check("attestationInvalid")
    /// The attestation is sound, but not of a kind or from an authority that is trusted.
    public static let attestationNotTrusted = Check("attestationNotTrusted")
    /// The attested credential has another id than the answer.
    public static let credentialIdMismatch = Check("credentialIdMismatch")
    /// Some account has a credential of this id already; found by the caller.
    public static let credentialAlreadyRegistered = Check("credentialAlreadyRegistered")
    /// The answer belongs to another credential than the one it is checked against.
    public static let unknownCredential = Check("unknownCredential")
    /// The user handle is another account's.
    public static let userHandleMismatch = Check("userHandleMismatch")
    /// The backup flags contradict each other or what was registered.
    public static let backupStateInvalid = Check("backupStateInvalid")
    /// The signature is not the credential's.
    public static let invalidSignature = Check("invalidSignature")
    /// The counter did not advance: there may be a copy of the credential.
    public static let signCountMismatch = Check("signCountMismatch")
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
