/// The signature algorithms of credentials, by their COSE numbers (RFC 9053 §2, RFC 8812 §2, RFC 9864 §2.2, and for ML-DSA
/// draft-ietf-cose-dilithium). None of them uses SHA-1.
///
/// WebAuthn allows only one curve for each ECDSA and EdDSA algorithm (WebAuthn L3 §5.8.5).
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
  /// Ed448, where OpenSSL's libcrypto is installed.
  case ed448 = -53
  /// ML-DSA-65 (FIPS 204), which resists quantum computers.
  case mlDSA65 = -49

  /// As AM's settings and JOSE name it: `ES256`, `EDDSA`, `PS256`, `RS256`, `ED448`, `ML-DSA-65` and so on.
  public var name: String { self == .mlDSA65 ? "ML-DSA-65" : "\(self)".uppercased() }

  /// Why this machine cannot verify signatures of this algorithm, as the end of a sentence; `nil` when it can.
  public var unavailability: String? {
    switch self {
    case .ed448 where !Ed448.isAvailable: "needs OpenSSL 3 (libcrypto), which is not installed"
    case .mlDSA65 where !MLDSA65Keys.isAvailable: "needs macOS 26 or iOS 26"
    default: nil
    }
  }

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
  public var isRSA: Bool {
    switch self {
    case .ps256, .ps384, .ps512, .rs256, .rs384, .rs512: true
    case .es256, .es384, .es512, .edDSA, .ed448, .mlDSA65: false
    }
  }
}
