/// The signature algorithms of credentials, by their COSE numbers (RFC 9053 §2, RFC 8812 §2). None of them uses SHA-1.
///
/// Of each ECDSA algorithm, WebAuthn allows one curve only (WebAuthn L3 §5.8.5).
public enum COSEAlgorithm: Int, Sendable, Hashable, CaseIterable {
  /// ECDSA on P-256 with SHA-256.
  case es256 = -7
  /// Ed25519.
  case edDSA = -8
  /// ECDSA on P-384 with SHA-384.
  case es384 = -35
  /// ECDSA on P-521 with SHA-512.
  case es512 = -36
  /// RSASSA-PSS with SHA-256 and a salt as long as the digest.
  case ps256 = -37
  case ps384 = -38
  case ps512 = -39
  /// RSASSA-PKCS1-v1_5 with SHA-256.
  case rs256 = -257
  case rs384 = -258
  case rs512 = -259

  /// As AM's settings and JOSE name it: `ES256`, `EDDSA`, `PS256`, `RS256` and so on.
  public var name: String { "\(self)".uppercased() }

  /// The one curve of an ECDSA algorithm, else `nil`.
  public var curve: COSECurve? {
    switch self {
    case .es256: .p256
    case .es384: .p384
    case .es512: .p521
    default: nil
    }
  }

  /// Whether its keys are RSA keys.
  public var isRSA: Bool { rawValue <= -37 }
}
