internal import Bytes

/// Id and secret as HTTP Basic sends them (RFC 7617 §2).
package struct BasicCredentials: Sendable {
  /// Longest `Authorization` header that is looked at, in bytes.
  static let longestHeader = 1024

  package let id: String
  package let secret: Secret

  /// Reads the header `Authorization`; `nil` for another scheme, broken Base64 or invalid UTF-8. The id ends at the first colon.
  package init?(authorization header: String) {
    guard header.utf8.count <= Self.longestHeader else { return nil }
    let parts = header.split(separator: " ")
    guard parts.count == 2, parts[0].lowercased() == "basic",
      let bytes = PaddedBase64.decode(parts[1]), let text = String(validating: bytes, as: UTF8.self),
      // By scalars: a colon and a mark that combines with it are one character, and still a colon.
      let colon = text.unicodeScalars.firstIndex(of: ":")
    else { return nil }
    id = String(text[..<colon])
    secret = Secret(String(text[text.unicodeScalars.index(after: colon)...]))
  }
}
