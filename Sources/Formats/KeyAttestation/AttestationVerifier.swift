public import Foundation
internal import JOSE
public import StrictJSON

/// Verifies the attestation that a client's proof carries for a new key.
///
/// Pure: no input or output, and the time is passed in. See `docs/attestation.md` for the forms.
public struct AttestationVerifier: Sendable {
  /// What is trusted and demanded.
  public struct Configuration: Sendable, Hashable {
    /// Roots of Android's key attestation. Empty: every such attestation is refused.
    public var androidRoots: TrustAnchors

    /// Roots of TPMs' attestation keys. Empty: every such attestation is refused.
    public var tpmRoots: TrustAnchors

    /// Roots of Apple's App Attest, for nodes that ask which app it is (`docs/attestation.md`). Apple's published one, unless others are
    /// given.
    public var appAttestRoots: TrustAnchors

    public var android: AndroidPolicy

    /// Certificates that are not trusted any more, wherever they stand in a chain.
    public var revoked: RevokedSerialNumbers

    public init(
      androidRoots: TrustAnchors = TrustAnchors(), tpmRoots: TrustAnchors = TrustAnchors(),
      android: AndroidPolicy = AndroidPolicy(), revoked: RevokedSerialNumbers = RevokedSerialNumbers(),
      appAttestRoots: TrustAnchors = .appleAppAttest
    ) {
      self.androidRoots = androidRoots
      self.tpmRoots = tpmRoots
      self.android = android
      self.revoked = revoked
      self.appAttestRoots = appAttestRoots
    }

    /// Whether no attestation of a bound key can pass, because no roots are configured.
    public var trustsNothing: Bool { androidRoots.isEmpty && tpmRoots.isEmpty }
  }

  private let configuration: Configuration
  private let clock: @Sendable () -> Date

  /// - Parameter clock: the time at which certificates must be valid.
  public init(_ configuration: Configuration, clock: @escaping @Sendable () -> Date) {
    self.configuration = configuration
    self.clock = clock
  }

  /// Verifies the attestation of a proof's key.
  ///
  /// - Parameters:
  ///   - jwk: the member `jwk` of the proof's header, as sent. The caller has verified the proof with it. With a
  ///     member `tpm` it is a TPM's attestation, with `x5c` alone an Android key store's.
  ///   - challenge: the bytes of the challenge that the proof answers, not their Base64.
  ///   - requiresLockout: whether the key is unlocked by a PIN, whose wrong tries the TPM must count.
  ///   - requiresPerson: whether an Android key store must recognise somebody before it uses the key.
  /// - Throws: ``AttestationFailure`` for the first check that fails.
  public func verify(
    jwk json: JSONObject, challenge: [UInt8], requiresLockout: Bool, requiresPerson: Bool = false
  ) async throws(AttestationFailure) -> VerifiedAttestation {
    let key: JWK
    do throws(JOSEError) { key = try JWK(json: json) } catch {
      throw AttestationFailure(.keyRefused, error.reason)
    }
    guard !key.certificateChain.isEmpty else {
      throw AttestationFailure(.evidenceMissing, "the proof brings no certificate chain (x5c)")
    }
    if let member = json["tpm"] {
      let statement = try TPMStatement(json: member)
      let chain = try await UnverifiedChain(der: key.certificateChain).verified(
        against: configuration.tpmRoots, revoked: configuration.revoked, at: clock(),
        handling: TPMKeyUsage.handledExtensions)
      let properties = try TPMAttestation(requiresLockout: requiresLockout).verify(
        statement, chain, key: key, challenge: challenge)
      return VerifiedAttestation(.tpm(properties), root: chain.root)
    }
    let chain = try await UnverifiedChain(der: key.certificateChain).verified(
      against: configuration.androidRoots, revoked: configuration.revoked, at: clock())
    let properties = try AndroidAttestation(policy: configuration.android).verify(
      chain, key: key, challenge: challenge, requiresPerson: requiresPerson)
    return VerifiedAttestation(.android(properties), root: chain.root)
  }
}
