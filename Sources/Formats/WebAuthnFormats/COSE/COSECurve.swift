/// The curves of ECDSA keys (RFC 9053 §7.1), with their COSE numbers.
public enum COSECurve: Int, Sendable, Hashable, CaseIterable {
  case p256 = 1
  case p384 = 2
  case p521 = 3

  /// Bytes of one coordinate, and of one half of a raw signature: 32, 48, 66.
  public var fieldBytes: Int {
    switch self {
    case .p256: 32
    case .p384: 48
    case .p521: 66
    }
  }

  /// The name in JOSE.
  public var name: String {
    switch self {
    case .p256: "P-256"
    case .p384: "P-384"
    case .p521: "P-521"
    }
  }
}
