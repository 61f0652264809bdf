internal import Foundation

/// A domain name in the ASCII form that names are compared in: lower case, labels of other scripts as Punycode (RFC 5891 §5).
///
/// IP addresses are not domain names, nor are names whose last label is a number: URL parsers read those as addresses.
package struct DomainName: Sendable, Hashable, CustomStringConvertible {
  /// The name, 1 to 253 bytes.
  package let ascii: String

  /// `nil` when `text` is not a domain name. A final full stop is refused: browsers treat that as another name.
  package init?(_ text: String) {
    guard (1...1024).contains(text.utf8.count) else { return nil }
    var name: [UInt8] = []
    for label in Self.mapped(text).split(separator: ".", omittingEmptySubsequences: false) {
      guard let label = Self.ascii(label) else { return nil }
      if !name.isEmpty { name.append(UInt8(ascii: ".")) }
      name += label
    }
    guard name.count <= 253 else { return nil }
    ascii = String(decoding: name, as: UTF8.self)
    guard let last = labels.last, !Self.isNumber(last) else { return nil }
  }

  /// The labels, top-level domain last.
  package var labels: [Substring] { ascii.split(separator: ".") }

  package var description: String { ascii }

  /// Whether this name is a subdomain of `other`, at any depth.
  package func isBelow(_ other: DomainName) -> Bool { ascii.hasSuffix("." + other.ascii) }

  /// In lower case, without compatibility forms (UTS #46 §4, without its tables: unusual characters are refused later).
  private static func mapped(_ text: String) -> String {
    guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text.lowercased() }
    return text.precomposedStringWithCompatibilityMapping.lowercased()
      .precomposedStringWithCompatibilityMapping.replacingOccurrences(of: "\u{3002}", with: ".")
  }

  private static func ascii(_ label: Substring) -> [UInt8]? {
    let isASCII = label.utf8.allSatisfy { $0 < 0x80 }
    guard label.unicodeScalars.allSatisfy({ $0.isASCII ? isPlain($0) : isLetterOrNumber($0) }) else {
      return nil
    }
    let bytes =
      isASCII ? Array(label.utf8) : Punycode.encode(label.unicodeScalars).map { Array("xn--".utf8) + $0 }
    guard let bytes, (1...63).contains(bytes.count) else { return nil }
    return bytes
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "0"..."9", "-", "_": true
    default: false
    }
  }

  private static func isLetterOrNumber(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .lowercaseLetter, .modifierLetter, .otherLetter, .nonspacingMark, .spacingMark, .decimalNumber: true
    default: false
    }
  }

  private static func isNumber(_ label: Substring) -> Bool {
    if label.hasPrefix("0x") { return label.dropFirst(2).allSatisfy(\.isHexDigit) }
    return label.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }
}
