internal import WebAddresses

/// The address of a request in `htu`, normalised as RFC 9449 §4.3 asks (RFC 3986 §6.2.2, §6.2.3): scheme and host are in lower case,
/// the scheme's default port is left out, an empty path is `/`, and there is no query or fragment.
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
