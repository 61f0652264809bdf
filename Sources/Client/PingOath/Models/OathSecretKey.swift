internal import Bytes
internal import Foundation
internal import OATH

/// The Base32 text of a credential's secret. Never printed.
struct OathSecretKey: Sendable, Codable, Redacted {
  let base32: String

  init(_ base32: String) { self.base32 = base32 }

  init(from decoder: any Decoder) throws {
    base32 = try decoder.singleValueContainer().decode(String.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(base32)
  }

  /// The secret, ready to generate codes with.
  ///
  /// Accepts blanks and hyphens between groups of characters, and left-over bits.
  /// - Throws: ``OathError/invalidSecret(_:)``
  func secret() throws(OathError) -> OATHSecret {
    guard let bytes = Self.bytes(of: base32),
      let secret = OATHSecret(bytes, sizes: OATHSecret.sizesOfOthers)
    else {
      let sizes = OATHSecret.sizesOfOthers
      throw .invalidSecret("It is not Base32 of \(sizes.lowerBound) to \(sizes.upperBound) bytes.")
    }
    return secret
  }

  /// Compares in constant time. Unusable secrets are never equal.
  func isSame(as other: OathSecretKey) -> Bool {
    guard let one = try? secret(), let two = try? other.secret() else { return false }
    return one == two
  }

  static func bytes(of text: String) -> [UInt8]? {
    guard text.utf8.count <= Base32.maximumBytes else { return nil }
    return Base32.decodeLenient(text.filter { !$0.isWhitespace && $0 != "-" })
  }
}
