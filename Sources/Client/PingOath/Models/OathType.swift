/// What advances a credential from one code to the next.
public enum OathType: String, CaseIterable, Codable, Sendable {
  /// The time (RFC 6238).
  case totp = "totp"

  /// A counter (RFC 4226).
  case hotp = "hotp"

  /// The type of that name, whatever its case.
  ///
  /// - Throws: ``OathError/invalidOathType(_:)``
  public static func fromString(_ string: String) throws -> OathType {
    guard let type = OathType(rawValue: string.lowercased()) else { throw OathError.invalidOathType(string) }
    return type
  }
}

/// The hash that codes are generated with.
public enum OathAlgorithm: String, CaseIterable, Codable, Sendable {
  case sha1 = "SHA1"
  case sha256 = "SHA256"
  case sha512 = "SHA512"

  /// The algorithm of that name: `SHA1`, `SHA-1` or `HmacSHA1`, in any case; likewise for the others.
  ///
  /// - Throws: ``OathError/invalidAlgorithm(_:)``
  public static func fromString(_ string: String) throws -> OathAlgorithm {
    let name = string.uppercased().filter { $0 != "-" && $0 != "_" }
    guard let algorithm = OathAlgorithm(rawValue: name.hasPrefix("HMAC") ? String(name.dropFirst(4)) : name)
    else { throw OathError.invalidAlgorithm(string) }
    return algorithm
  }
}
