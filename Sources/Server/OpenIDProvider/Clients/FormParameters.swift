internal import Bytes

/// The parameters of OAuth requests, in a query or a form. No parameter may occur twice (RFC 6749 §3.1, §3.2).
package enum FormParameters {
  private static let maximumCount = 64

  package static func parse(_ text: String) throws(OAuthError) -> [String: String] {
    var parameters: [String: String] = [:]
    // Bytes: an ampersand and a mark after it are one `Character`.
    let parts = text.parts(separatedBy: UInt8(ascii: "&")).filter { !$0.isEmpty }
    guard parts.count <= maximumCount else {
      throw OAuthError(.invalidRequest, "There are too many parameters.")
    }
    for part in parts {
      let sides = part.parts(separatedBy: UInt8(ascii: "="), most: 2)
      guard let name = decoded(sides[0]), let value = decoded(sides.count > 1 ? sides[1] : "") else {
        throw OAuthError(.invalidRequest, "The parameters have a bad percent-encoding.")
      }
      guard parameters[name] == nil else {
        throw OAuthError(.invalidRequest, "A parameter occurs twice.")
      }
      parameters[name] = value
    }
    // A parameter without a value counts as absent (RFC 6749 §3.1).
    return parameters.filter { !$0.value.isEmpty }
  }

  private static func decoded(_ text: Substring) -> String? {
    PercentEncoding.decode(
      String(decoding: text.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }, as: UTF8.self))
  }
}
