internal import Bytes
internal import Crypto

/// Makes and checks the one-time codes of one authenticator: HOTP (RFC 4226) and, where the moving factor is a time step,
/// TOTP (RFC 6238).
public struct OneTimePassword: Sendable, Equatable, CustomStringConvertible {
  public let profile: OATHProfile
  private let secret: OATHSecret

  public init(secret: OATHSecret, profile: OATHProfile) {
    self.secret = secret
    self.profile = profile
  }

  /// The most factors that one check tries.
  public static let maximumWindow = 1000

  /// The code of a moving factor: a counter, or a time step (RFC 4226 §5.3, RFC 6238 §4.2).
  public func code(at factor: UInt64) -> String {
    let mac = mac(of: factor)
    var offset = Int((mac.last ?? 0) & 0x0F)
    if let fixed = profile.truncationOffset, (0..<mac.count - 4).contains(fixed) { offset = fixed }
    let binary = mac[offset..<offset + 4].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & 0x7FFF_FFFF
    var number = binary % (0..<profile.digits.rawValue).reduce(UInt64(1)) { power, _ in power * 10 }
    if profile.addsChecksum { number = number * 10 + Self.checksum(of: number) }
    let digits = String(number)
    return String(repeating: "0", count: profile.codeLength - digits.count) + digits
  }

  /// The factor among `factors` that has `code`; the nearest to `center` when several do, and `nil` when none does.
  ///
  /// The time does not depend on where the code is found or how much of it is right. At most ``maximumWindow`` factors are tried, from
  /// the lowest on.
  public func match(_ code: String, in factors: ClosedRange<UInt64>, nearest center: UInt64) -> UInt64? {
    let given = Array(code.utf8)
    guard given.count == profile.codeLength else { return nil }
    let width = min(factors.upperBound - factors.lowerBound, UInt64(Self.maximumWindow - 1))
    var found: UInt64?
    for factor in factors.lowerBound...factors.lowerBound + width {
      let isRight = ConstantTime.areEqual(self.code(at: factor).utf8, given)
      let isNearer = found.map { Self.distance(factor, center) < Self.distance($0, center) } ?? true
      if isRight, isNearer { found = factor }
    }
    return found
  }

  private static func distance(_ one: UInt64, _ other: UInt64) -> UInt64 { max(one, other) - min(one, other) }

  private func mac(of factor: UInt64) -> [UInt8] {
    let message = factor.bigEndianBytes
    switch profile.hash {
    case .sha1: return Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: secret.key))
    case .sha256: return Array(HMAC<SHA256>.authenticationCode(for: message, using: secret.key))
    case .sha512: return Array(HMAC<SHA512>.authenticationCode(for: message, using: secret.key))
    }
  }

  /// The digit of RFC 4226 appendix C: from the right, every other digit counts double, with the digits of the double added.
  static func checksum(of number: UInt64) -> UInt64 {
    var rest = number
    var sum: UInt64 = 0
    var doubles = true
    while rest > 0 {
      let digit = rest % 10
      sum += doubles ? digit * 2 / 10 + digit * 2 % 10 : digit
      doubles.toggle()
      rest /= 10
    }
    return (10 - sum % 10) % 10
  }

  public var description: String { "OneTimePassword(\(profile.name), redacted)" }
}

extension OATHProfile.MovingFactor {
  /// The time step of a moment (RFC 6238 §4.2, with T0 = 0); `nil` for counters and before 1970.
  public func step(at secondsSince1970: Double) -> UInt64? {
    guard case .time(let period) = self, period > 0 else { return nil }
    return UInt64(exactly: (secondsSince1970 / Double(period)).rounded(.down))
  }
}
