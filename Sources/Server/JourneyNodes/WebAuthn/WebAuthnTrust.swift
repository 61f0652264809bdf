internal import JourneyEngine
public import KeyAttestation
internal import StrictJSON
internal import WebAuthnFormats
public import WebAuthnVerification

/// What the server trusts when authenticators are attested at registration.
public struct WebAuthnTrust: Sendable {
  /// The alias that registration nodes name unless they name another one.
  public static let standardAlias = "trustalias"

  /// Roots of authenticators' attestation certificates, by the alias that nodes name (`trustStoreAlias`).
  public var roots: [String: TrustAnchors] = [:]

  /// Revoked certificates. Without a list (`nil`), a node with `enforceRevocationCheck` accepts no
  /// certificate at all.
  public var revoked: RevokedSerialNumbers?

  /// FIDO's metadata about authenticator models, verified.
  public var metadata: AuthenticatorMetadata?

  /// Whether a TPM's statement about a new credential may be signed with SHA-1, as Windows Hello's is. No other signature may.
  public var acceptsTPMSHA1 = false

  public init() {}
}

/// The algorithms that a registration offers (`acceptedSigningAlgorithms`).
struct WebAuthnOffer {
  let algorithms: [COSEAlgorithm]
  let warnings: [String]

  init(_ definition: NodeDefinition) throws(JourneyFileError) {
    let property = "acceptedSigningAlgorithms"
    var algorithms: [COSEAlgorithm] = []
    var warnings: [String] = []
    for name in try definition.strings(property, default: ["ES256", "RS256"]) {
      // PingAM's exports may have RS1, for the first TPMs.
      if name == "RS1" {
        warnings.append("property \(property): RS1 is not offered, because it uses SHA-1")
        continue
      }
      guard let algorithm = COSEAlgorithm.allCases.first(where: { $0.name == name }) else {
        definition.repaired(
          property, "must hold names among \(COSEAlgorithm.allCases.map(\.name).joined(separator: ", "))",
          instead: "\(name.quoted) is not offered.")
        continue
      }
      if let reason = algorithm.unavailability {
        warnings.append("property \(property): \(name) is not offered, because it \(reason)")
        continue
      }
      if !algorithms.contains(algorithm) { algorithms.append(algorithm) }
    }
    guard !algorithms.isEmpty else {
      throw definition.wrong(property, "must name an algorithm that can be offered, such as ES256")
    }
    self.algorithms = algorithms
    self.warnings = warnings
  }
}

extension AttestationPolicy {
  /// A registration node's demands on attestations, with warnings for its author.
  init(
    _ definition: NodeDefinition, trust: WebAuthnTrust, warnings: inout [String]
  ) throws(JourneyFileError) {
    self.init()
    conveyance = try definition.choice("attestationPreference", default: "NONE")
    let alias = try definition.string("trustStoreAlias", default: WebAuthnTrust.standardAlias)
    roots = trust.roots[alias] ?? TrustAnchors()
    acceptsTPMSHA1 = trust.acceptsTPMSHA1
    metadata = trust.metadata
    revoked = trust.revoked ?? RevokedSerialNumbers()
    requiresZeroU2FAAGUID = try definition.flag("validateFidoU2fAaguid", default: true, instead: true)
    if conveyance != .none, alias != WebAuthnTrust.standardAlias, trust.roots[alias] == nil {
      warnings.append("property trustStoreAlias: no roots are configured as \(alias)")
    }
    if try definition.flag("enforceRevocationCheck", default: false, instead: true), conveyance != .none,
      trust.revoked == nil
    {
      acceptedTypes = [.none, .selfSigned]
      warnings.append(
        "property enforceRevocationCheck is on, but no list of revoked certificates is configured: no certificate is accepted"
      )
    }
    let level: CertificationLevel? = try definition.choice(
      "fidoCertificationLevel", default: "OFF",
      among: [("OFF", nil)] + CertificationLevel.allCases.map { ($0.rawValue, $0) })
    guard let level else { return }
    minimumCertification = level
    if conveyance == .none || metadata == nil {
      warnings.append(
        "property fidoCertificationLevel is \(level.rawValue), but without attestation and FIDO metadata no model is known: every "
          + "registration fails"
      )
    }
  }
}
