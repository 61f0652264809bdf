public import CBOR
public import Foundation
public import WebAuthnFormats

/// Verifies registrations (WebAuthn L3 §7.1).
///
/// Pure: no input or output, and the time is passed in. The caller checks whether a challenge was used before and whether a
/// credential id is registered already.
public struct RegistrationVerifier: Sendable {
  /// What is demanded.
  public struct Policy: Sendable {
    public var relyingParty: RelyingParty

    /// The algorithms that were offered.
    public var algorithms: Set<COSEAlgorithm>
    public var userVerification: UserVerificationRequirement

    /// Whether the user must have been present. Only registrations that the client makes on its own after a password (mediation
    /// `conditional`) may do without.
    public var requiresUserPresence: Bool
    public var attestation: AttestationPolicy

    public init(
      relyingParty: RelyingParty, algorithms: Set<COSEAlgorithm> = [.es256, .rs256],
      userVerification: UserVerificationRequirement = .preferred, requiresUserPresence: Bool = true,
      attestation: AttestationPolicy = AttestationPolicy()
    ) {
      self.relyingParty = relyingParty
      self.algorithms = algorithms
      self.userVerification = userVerification
      self.requiresUserPresence = requiresUserPresence
      self.attestation = attestation
    }
  }

  private let policy: Policy
  private let clock: @Sendable () -> Date

  /// - Parameter clock: the time at which certificates must be valid.
  public init(_ policy: Policy, clock: @escaping @Sendable () -> Date) {
    self.policy = policy
    self.clock = clock
  }

  /// Verifies an answer.
  ///
  /// - Parameter challenge: the bytes that were sent with the options, fresh and not used before.
  /// - Throws: ``WebAuthnFailure`` for the first check that fails.
  public func verify(
    _ response: RegistrationResponse, challenge: [UInt8]
  ) async throws(WebAuthnFailure) -> VerifiedRegistration {
    let clientData = try ClientData(
      response.clientDataJSON, of: .create, challenge: challenge, for: policy.relyingParty)
    let object: AttestationObject
    do throws(AttestationObjectError) {
      object = try AttestationObject(parsing: response.attestationObject)
    } catch { throw WebAuthnFailure(.malformedAttestationObject, error.description) }
    let data = try Self.parse(object.authenticatorData)
    try data.check(
      for: policy.relyingParty, requiresPresence: policy.requiresUserPresence, policy.userVerification)
    guard let credential = data.attestedCredential else {
      throw WebAuthnFailure(
        .malformedAuthenticatorData, "the authenticator data describes no credential (flag AT)")
    }
    guard policy.algorithms.contains(credential.publicKey.algorithm) else {
      throw WebAuthnFailure(
        .algorithmNotAllowed, "\(credential.publicKey.algorithm.name) is not among the offered algorithms")
    }
    let evidence = try AttestationStatement(
      format: object.format, members: object.statement, data: data, credential: credential,
      clientDataHash: clientData.hash
    ).verified(by: policy.attestation)
    let attestation = try await policy.attestation.judge(
      evidence, format: object.format, aaguid: credential.aaguid, at: clock())
    guard credential.id == response.credentialID else {
      throw WebAuthnFailure(
        .credentialIdMismatch, "the answer names another credential id than its attestation object")
    }
    return VerifiedRegistration(
      credentialID: credential.id, publicKey: credential.publicKey, aaguid: credential.aaguid,
      signCount: data.signCount, flags: data.flags, extensions: data.extensions, attestation: attestation,
      origin: clientData.origin)
  }

  /// Every fault is malformed data, except one of the key, which has its own check.
  private static func parse(_ bytes: [UInt8]) throws(WebAuthnFailure) -> AuthenticatorData {
    do throws(AuthenticatorDataError) { return try AuthenticatorData(parsing: bytes) } catch {
      if case .key(let reason) = error { throw WebAuthnFailure(.algorithmNotAllowed, reason.description) }
      throw WebAuthnFailure(.malformedAuthenticatorData, error.description)
    }
  }
}

/// A new credential after its registration was verified. Only ``RegistrationVerifier`` makes one.
public struct VerifiedRegistration: Sendable, Hashable {
  /// The id that the authenticator attested, 1 to 1023 bytes.
  public let credentialID: [UInt8]
  public let publicKey: COSEKey

  /// The model of the authenticator; proven only where ``attestation`` is of type ``AttestationType/ca``.
  public let aaguid: AAGUID
  public let signCount: UInt32

  /// UP, UV, BE, BS and so on.
  public let flags: AuthenticatorData.Flags

  /// The authenticator's extension data, if any.
  public let extensions: CBORMap?
  public let attestation: AttestationResult

  /// The origin at which the client ran, one of the allowed ones.
  public let origin: String

  /// The credential that later assertions are checked against.
  ///
  /// - Parameter userHandle: the bytes that were sent as user id.
  public func credential(userHandle: [UInt8]?) -> RegisteredCredential {
    RegisteredCredential(
      id: credentialID, publicKey: publicKey, signCount: signCount,
      isBackupEligible: flags.contains(.backupEligible), userHandle: userHandle)
  }
}
