/// How an authenticator makes its codes: what both sides agree on besides the secret.
public struct OATHProfile: Sendable, Hashable {
  /// The hash of the HMAC. RFC 4226 knows SHA-1 only; RFC 6238 §1.2 adds the others.
  public enum Hash: String, Codable, Sendable, Hashable, CaseIterable {
    case sha1 = "SHA1"
    case sha256 = "SHA256"
    case sha512 = "SHA512"

    /// Bytes of its results.
    public var byteCount: Int {
      switch self {
      case .sha1: 20
      case .sha256: 32
      case .sha512: 64
      }
    }
  }

  /// Decimal digits of a code, without the checksum. RFC 4226 §4 R4 asks for six at least; some services give out fewer.
  public enum Digits: Int, Codable, Sendable, Hashable, CaseIterable {
    case four = 4
    case five = 5
    case six = 6
    case seven = 7
    case eight = 8
  }

  /// The moving factor of the codes.
  public enum MovingFactor: Sendable, Hashable {
    /// HOTP (RFC 4226): the factor rises by one with each code.
    case counter
    /// TOTP (RFC 6238): the factor rises by one with each period, in seconds since 1970.
    case time(period: Int)
  }

  public var factor: MovingFactor
  public var hash: Hash
  public var digits: Digits

  /// The offset in the HMAC from which the code is taken (RFC 4226 appendix C). `nil`, or an offset outside the HMAC, means the dynamic
  /// truncation of §5.3, the only one that common authenticators know.
  public var truncationOffset: Int?

  /// Whether a code ends in a checksum digit, which reveals most typing errors (RFC 4226 appendix C and E.1). Common authenticators
  /// know no checksum.
  public var addsChecksum: Bool

  /// Allowed periods of a time factor, in seconds.
  public static let periods = 1...3600

  public init(
    factor: MovingFactor = .time(period: 30), hash: Hash = .sha1, digits: Digits = .six,
    truncationOffset: Int? = nil, addsChecksum: Bool = false
  ) {
    self.factor = factor
    self.hash = hash
    self.digits = digits
    self.truncationOffset = truncationOffset
    self.addsChecksum = addsChecksum
  }

  /// Characters of a code, with the checksum.
  public var codeLength: Int { digits.rawValue + (addsChecksum ? 1 : 0) }

  /// The period of a time factor, in seconds; `nil` for a counter.
  public var period: Int? { if case .time(let period) = factor { period } else { nil } }

  /// `totp` or `hotp`, the host of enrolment URIs.
  public var name: String { if case .time = factor { "totp" } else { "hotp" } }
}
