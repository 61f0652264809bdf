package import StrictJSON

/// The audience of a token: the claim `aud`, one text or several (RFC 7519 §4.1.3).
package struct TokenAudience: Sendable, Hashable, Codable {
  package let names: [String]

  package init(_ names: [String]) { self.names = names }

  /// The audience in a claim; empty when the claim is missing or of another form.
  package init(claim: JSONValue?) {
    names = claim?.stringValue.map { [$0] } ?? claim?.arrayValue?.compactMap(\.stringValue) ?? []
  }

  package init(from decoder: any Decoder) throws {
    self.init(claim: try JSONValue(from: decoder))
  }

  package func encode(to encoder: any Encoder) throws {
    if names.count == 1 { try names[0].encode(to: encoder) } else { try names.encode(to: encoder) }
  }
}
