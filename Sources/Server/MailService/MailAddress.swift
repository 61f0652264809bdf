internal import Bytes

/// An address of a mailbox (RFC 5321 §4.1.2) without a name beside it: a local part without quotation marks, `@`, a domain.
///
/// No address contains characters that could end a header or an SMTP command.
public struct MailAddress: Sendable, Hashable, CustomStringConvertible {
  public let text: String

  /// The sender when nothing is configured (RFC 2606 reserves the domain).
  public static let standard = MailAddress(known: "sealring@localhost.invalid")

  private init(known text: String) { self.text = text }

  /// Longest address (RFC 5321 §4.5.3.1.3).
  private static let maximumBytes = 254
  private static let localCharacters = Set("!#$%&'*+-/=?^_`{|}~.".utf8)

  /// - Returns: `nil` for a text that is not an address, or that needs SMTPUTF8 (RFC 6531) before the `@`.
  public init?(_ text: String) {
    guard text.utf8.count <= Self.maximumBytes, let at = text.lastIndex(of: "@") else { return nil }
    let (local, domain) = (text[..<at], text[text.index(after: at)...])
    guard (1...64).contains(local.utf8.count), !local.hasPrefix("."), !local.hasSuffix("."),
      !local.contains(".."),
      local.utf8.allSatisfy({ $0.isASCIILetterOrDigit || Self.localCharacters.contains($0) })
    else { return nil }
    let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
    guard !labels.isEmpty,
      labels.allSatisfy({ label in
        (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
          && label.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") }
      })
    else { return nil }
    self.text = text
  }

  /// Whether a text could be an address, including addresses with letters that this server cannot send mail to: two parts around one `@`,
  /// without blanks, control characters and separators of addresses.
  public static func isPlausible(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    return text.utf8.count <= maximumBytes && parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
      && !text.unicodeScalars.contains { scalar in
        scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
          || "<>,;\"()[]\\".unicodeScalars.contains(scalar)
      }
  }

  public var description: String { text }

  /// The form for logs: the domain, and one character of the local part.
  public var shortened: String {
    guard let at = text.lastIndex(of: "@") else { return "…" }
    return "\(text.prefix(1))…\(text[at...])"
  }
}
