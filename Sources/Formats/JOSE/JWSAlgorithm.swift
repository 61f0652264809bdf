/// The signature algorithms that are understood (RFC 7518 §3.1). `none` is not one of them.
public enum JWSAlgorithm: String, Sendable, Hashable, CaseIterable {
  /// ECDSA with P-256 and SHA-256 (RFC 7518 §3.4).
  case es256 = "ES256"
  /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518 §3.3).
  case rs256 = "RS256"
  /// RSASSA-PKCS1-v1_5 with SHA-384.
  case rs384 = "RS384"
  /// RSASSA-PKCS1-v1_5 with SHA-512.
  case rs512 = "RS512"
  /// HMAC with SHA-256 (RFC 7518 §3.2).
  case hs256 = "HS256"

  /// How long a signature can be, in bytes: exactly, or within the accepted lengths of RSA keys.
  var signatureCounts: ClosedRange<Int> {
    switch self {
    case .es256: 64...64
    case .hs256: 32...32
    case .rs256, .rs384, .rs512: 256...1024
    }
  }

  /// Hashes the index, because the synthesised hash of enumerations with raw text would hash the text.
  public func hash(into hasher: inout Hasher) { hasher.combine(place) }

  private var place: Int {
    switch self {
    case .es256: 0
    case .rs256: 1
    case .rs384: 2
    case .rs512: 3
    case .hs256: 4
    }
  }

  /// Whether the key is an RSA key.
  package var isRSA: Bool { self == .rs256 || self == .rs384 || self == .rs512 }
}
