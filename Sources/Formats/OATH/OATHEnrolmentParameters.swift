/// The parameters of an enrolment URI (`otpauth://totp/…`, `mfauth://totp/…`) for one-time codes.
///
/// Names and forms are those of the Key URI Format that all authenticators read. The truncation offset and the checksum are
/// not part of it: an authenticator that needs them knows them already.
public struct OATHEnrolmentParameters: Sendable, Equatable, CustomStringConvertible {
  public var secret: OATHSecret
  public var profile: OATHProfile

  /// The counter of the first code; HOTP only.
  public var counter: UInt64

  public init(secret: OATHSecret, profile: OATHProfile, counter: UInt64 = 0) {
    self.secret = secret
    self.profile = profile
    self.counter = counter
  }

  /// Names and values in order; none needs percent-encoding. The values hold the secret.
  public var items: [(name: String, value: String)] {
    let moving: (String, String) =
      switch profile.factor {
      case .counter: ("counter", String(counter))
      case .time(let period): ("period", String(period))
      }
    return [
      ("secret", secret.base32), ("algorithm", profile.hash.rawValue),
      ("digits", String(profile.digits.rawValue)), moving,
    ]
  }

  /// Why a URI could not be read. The text never holds the secret.
  public struct Fault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the parameter that is wrong; `host` for the host.
    public let parameter: String

    /// Whether it is absent although it is required.
    public let isMissing: Bool

    public let description: String

    init(_ parameter: String, isMissing: Bool = false, description: String) {
      self.parameter = parameter
      self.isMissing = isMissing
      self.description = description
    }
  }

  /// Reads decoded parameters. Absent ones have the defaults of the Key URI Format: SHA1, six digits, 30 seconds.
  ///
  /// - Parameters:
  ///   - host: `totp` or `hotp`, in either case.
  ///   - secretSizes: Allowed sizes of the secret in bytes.
  ///   - value: the decoded value of a parameter, `nil` when it is not there.
  /// - Throws: ``Fault`` naming the parameter that is missing or wrong.
  public init(
    host: String, secretSizes: ClosedRange<Int> = OATHSecret.sizes, value: (String) -> String?
  ) throws(Fault) {
    func number(_ name: String, standard: Int, in range: ClosedRange<Int>) throws(Fault) -> Int {
      guard let text = value(name), !text.isEmpty else { return standard }
      guard text.utf8.count <= 18, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let number = Int(text), range.contains(number)
      else {
        throw Fault(
          name, description: "\(name) is not a whole number from \(range.lowerBound) to \(range.upperBound).")
      }
      return number
    }
    let text = value("secret") ?? ""
    guard let secret = OATHSecret(base32: text, sizes: secretSizes) else {
      throw Fault(
        "secret", isMissing: text.isEmpty,
        description:
          "secret is missing or not Base32 of \(secretSizes.lowerBound) to \(secretSizes.upperBound) bytes."
      )
    }
    let name = (value("algorithm").flatMap { $0.isEmpty ? nil : $0 } ?? "SHA1").uppercased()
    guard let hash = OATHProfile.Hash(rawValue: name.hasPrefix("HMAC") ? String(name.dropFirst(4)) : name)
    else { throw Fault("algorithm", description: "algorithm is not SHA1, SHA256 or SHA512.") }
    guard let digits = OATHProfile.Digits(rawValue: try number("digits", standard: 6, in: 4...8)) else {
      throw Fault("digits", description: "digits is not a whole number from 4 to 8.")
    }
    counter = 0
    let factor: OATHProfile.MovingFactor
    switch host.lowercased() {
    case "totp": factor = .time(period: try number("period", standard: 30, in: OATHProfile.periods))
    case "hotp":
      factor = .counter
      counter = UInt64(try number("counter", standard: 0, in: 0...Int(Int64.max >> 8)))
    default: throw Fault("host", description: "The host is neither totp nor hotp.")
    }
    self.secret = secret
    profile = OATHProfile(factor: factor, hash: hash, digits: digits)
  }

  public var description: String { "OATHEnrolmentParameters(\(profile.name), redacted)" }
}
