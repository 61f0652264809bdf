internal import Foundation
public import KeyAttestation
internal import WebAuthnFormats

/// How a registered authenticator has proven its model.
public enum AttestationType: String, Sendable, Hashable, CaseIterable {
  /// Not at all.
  case none = "NONE"
  /// By the new key itself: it proves only that the authenticator has it.
  case selfSigned = "SELF"
  /// By a certificate whose authority is not known, or was not looked at.
  case basic = "BASIC"
  /// By a certificate that leads to a configured root or to one of the FIDO metadata.
  case ca = "CA"
}

/// The demands on attestations.
public struct AttestationPolicy: Sendable {
  /// The attestation that the client was asked for.
  public enum Conveyance: String, Sendable, Hashable, CaseIterable {
    /// Nothing. A statement that is sent anyway must be sound, but its issuer is not checked.
    case none
    /// As ``direct``.
    case indirect
    case direct
  }

  public var conveyance = Conveyance.none

  /// Roots of the certificates that attest authenticators, unless ``conveyance`` is ``Conveyance/none``. Without these and without
  /// roots in ``metadata``, a certificate's issuer is not checked; otherwise the certificate must lead to one of them.
  public var roots = TrustAnchors()
  public var revoked = RevokedSerialNumbers()

  /// The accepted types. Leave only ``AttestationType/ca`` to accept known models alone.
  public var acceptedTypes = Set(AttestationType.allCases)

  /// Whether an authenticator that attests in the form of U2F must have the AAGUID zero, because U2F has none (AM's
  /// `validateFidoU2fAaguid`).
  public var requiresZeroU2FAAGUID = true

  /// The lowest accepted security level of Android keys. At ``AndroidSecurityLevel/software`` the list that Android enforces counts,
  /// too.
  public var minimumAndroidLevel = AndroidSecurityLevel.software

  /// Whether `tpm` statements may be signed with SHA-1 (COSE's RS1), as those of Windows Hello are. It applies to the signature of that
  /// one format: certificates, names of keys, credentials and all other formats have SHA-256 at least.
  public var acceptsTPMSHA1 = false

  /// FIDO's metadata about authenticator models.
  public var metadata: AuthenticatorMetadata?

  /// The lowest level to which ``metadata`` must certify the model. When set, the attestation must be of type ``AttestationType/ca``,
  /// and only the model's roots in ``metadata`` count: a device under one of ``roots`` may claim to be any model.
  public var minimumCertification: CertificationLevel?

  public init() {}
}

/// The content of a verified attestation.
public struct AttestationResult: Sendable, Hashable {
  /// `fmt`: `none`, `packed`, `tpm`, `android-key`, `fido-u2f` or `apple`.
  public let format: String
  public let type: AttestationType

  /// The root that the certificates lead to; for ``AttestationType/ca``.
  public let root: VerifiedAttestation.Root?

  /// The certificates as sent, DER, leaf first; empty when there are none.
  public let certificates: [[UInt8]]

  /// FIDO's metadata about the model, if there is any.
  public let metadata: AuthenticatorMetadata.Entry?
}

extension AttestationPolicy {
  /// Decides about trust in a statement that was verified (WebAuthn L3 §7.1 steps 22 to 24).
  func judge(
    _ evidence: AttestationEvidence, format: String, aaguid: AAGUID, at time: Date
  ) async throws(WebAuthnFailure) -> AttestationResult {
    let entry = metadata?[aaguid]
    if let status = entry?.disqualifyingStatus {
      throw WebAuthnFailure(.attestationNotTrusted, "FIDO's status of the model \(aaguid) is \(status)")
    }
    var root: VerifiedAttestation.Root?
    if case .certified(let certified) = evidence {
      root = try await self.root(of: certified, entry, time)
      if root != nil, let fault = certified.fault {
        throw WebAuthnFailure(.attestationNotTrusted, "\(format): \(fault)")
      }
    }
    let type = evidence.type(isTrusted: root != nil)
    guard acceptedTypes.contains(type) else {
      throw WebAuthnFailure(
        .attestationNotTrusted, "an attestation of type \(type.rawValue) is not accepted here")
    }
    if let minimumCertification {
      guard type == .ca, let level = entry?.certification, level >= minimumCertification else {
        throw WebAuthnFailure(
          .attestationNotTrusted,
          "the model \(aaguid) is not proven to be certified by FIDO to \(minimumCertification.rawValue)")
      }
    }
    return AttestationResult(
      format: format, type: type, root: root, certificates: evidence.certificates, metadata: entry)
  }

  /// The root that the certificates lead to; `nil` when no attestation was requested, or no roots are known.
  private func root(
    of evidence: AttestationEvidence.Certified, _ entry: AuthenticatorMetadata.Entry?, _ time: Date
  ) async throws(WebAuthnFailure) -> VerifiedAttestation.Root? {
    guard conveyance != .none else { return nil }
    // Only the model's own roots prove its model. An Android phone's app, for example, chooses the AAGUID itself.
    let anchors =
      minimumCertification == nil
      ? entry.map { roots.union($0.roots) } ?? roots : entry?.roots ?? TrustAnchors()
    guard !anchors.isEmpty else { return nil }
    do throws(AttestationFailure) {
      if let leaf = try evidence.chain.configuredLeaf(among: anchors, revoked: revoked, at: time) {
        return leaf
      }
      return try await evidence.chain.verified(
        against: anchors, revoked: revoked, at: time, handling: evidence.handledExtensions
      ).root
    } catch {
      throw WebAuthnFailure(.attestationNotTrusted, error.description, error.chainFault)
    }
  }
}
