internal import WebAddresses

/// The address of a request as `htu` has it, normalised as RFC 9449 §4.3 asks (RFC 3986 §6.2.2, §6.2.3): scheme and host in
/// lower case, the scheme's own port and nothing the same, an empty path and `/` the same, no query, no fragment.
struct HTTPAddress: Hashable {
  private let origin: WebOrigin
  private let path: String

  /// `nil` for what is not an unambiguous `http` or `https` address.
  init?(_ text: String) {
    guard let origin = WebOrigin(address: text), let colon = text.firstIndex(of: ":") else { return nil }
    let path = text[colon...].dropFirst(3).drop { !"/?#".contains($0) }.prefix { !"?#".contains($0) }
    self.origin = origin
    self.path = path.isEmpty ? "/" : String(path)
  }
}
