public import KeyAttestation
public import WebAuthnVerification

/// What the server trusts when authenticators are attested at registration.
public struct WebAuthnTrust: Sendable {
  /// The alias that registration nodes name unless they name another one.
  public static let standardAlias = "trustalias"

  /// Roots of authenticators' attestation certificates, by the alias that nodes name (`trustStoreAlias`).
  public var roots: [String: TrustAnchors]

  /// Revoked certificates. Without a list (`nil`), a node with `enforceRevocationCheck` accepts no
  /// certificate at all.
  public var revoked: RevokedSerialNumbers?

  /// FIDO's metadata about authenticator models, verified.
  public var metadata: AuthenticatorMetadata?

  /// Whether a TPM's statement about a new credential may be signed with SHA-1, as Windows Hello's is. No other signature may.
  public var acceptsTPMSHA1: Bool

  public init(
    roots: [String: TrustAnchors] = [:], revoked: RevokedSerialNumbers? = nil,
    metadata: AuthenticatorMetadata? = nil, acceptsTPMSHA1: Bool = false
  ) {
    self.roots = roots
    self.revoked = revoked
    self.metadata = metadata
    self.acceptsTPMSHA1 = acceptsTPMSHA1
  }
}
