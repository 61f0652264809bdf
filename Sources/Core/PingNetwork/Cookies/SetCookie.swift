internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// One `Set-Cookie` header (RFC 6265 §5.2).
///
/// Foundation's own reading differs between platforms: some ignore `Max-Age`, misread two-digit years and use `/` for an
/// absent path.
struct SetCookie {
  var name: String
  var value: String
  var domain: String?
  var path: String?
  var expires: Date?
  var maxAge: Int64?
  var isSecure = false
  var isHTTPOnly = false
  var sameSite: String?

  /// The cookie in `header`; `nil` when it has no name.
  init?(_ header: String) {
    let parts = header.split(separator: ";", omittingEmptySubsequences: false)
    guard let (name, value) = parts.first.flatMap(Self.pair), let value, !name.isEmpty else { return nil }
    self.name = name
    self.value = value
    for (name, value) in parts.dropFirst().compactMap(Self.pair) {
      let value = value ?? ""
      switch name.lowercased() {
      case "domain" where !value.isEmpty:
        domain = (value.hasPrefix(".") ? String(value.dropFirst()) : value).lowercased()
      case "path": path = value.hasPrefix("/") ? value : nil
      case "expires": expires = cookieDate(value) ?? expires
      case "max-age": maxAge = Int64(value) ?? maxAge
      case "secure": isSecure = true
      case "httponly": isHTTPOnly = true
      case "samesite": sameSite = value.lowercased()
      default: break
      }
    }
  }

  /// The cookies of a header that several `Set-Cookie` headers were joined into with commas, as URLSession does.
  ///
  /// Only a comma before `name=` begins a cookie: the one in an `Expires` date does not.
  static func split(_ header: String) -> [String] {
    var cookies: [String] = []
    var rest = header[...]
    var searchStart = rest.startIndex
    while let comma = rest[searchStart...].firstIndex(of: ",") {
      searchStart = rest.index(after: comma)
      let next = rest[searchStart...].drop { $0 == " " || $0 == "\t" }
      let name = next.prefix { !"=;, \t".contains($0) }
      guard !name.isEmpty, next[name.endIndex...].first == "=" else { continue }
      cookies.append(String(rest[..<comma]))
      rest = next
      searchStart = next.startIndex
    }
    return cookies + [String(rest)]
  }

  /// The cookie as `url`'s server may set it (RFC 6265 §5.3); `nil` when it may not.
  func cookie(for url: URL, receivedAt: Date) -> HTTPCookie? {
    guard let host = url.host?.lowercased(), !host.isEmpty else { return nil }
    if let domain, domain != host,
      !(host.hasSuffix("." + domain) && domain.contains(".") && !Self.isAddress(host))
    {
      return nil
    }
    var properties: [HTTPCookiePropertyKey: Any] = [
      .name: name, .value: value, .path: path ?? Self.defaultPath(of: url),
      // A leading dot is how HTTPCookie tells a cookie for sub-domains from one for the host alone.
      .domain: domain.map { "." + $0 } ?? host,
    ]
    if let maxAge {
      // Bounded: no clock needs more, and the sum stays exact.
      properties[.expires] = receivedAt.addingTimeInterval(TimeInterval(min(max(maxAge, -1), 1 << 40)))
    } else {
      properties[.expires] = expires
    }
    if isSecure { properties[.secure] = "TRUE" }
    if isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
    #if canImport(Darwin)
      if let sameSite { properties[.sameSitePolicy] = sameSite }
    #endif
    return HTTPCookie(properties: properties)
  }

  private static func pair(_ part: Substring) -> (name: String, value: String?)? {
    let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      .map { $0.trimmingCharacters(in: .whitespaces) }
    return halves.first.map { ($0, halves.count == 2 ? halves[1] : nil) }
  }

  /// RFC 6265 §5.1.4.
  private static func defaultPath(of url: URL) -> String {
    let path = url.path
    guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
      return "/"
    }
    return String(path[..<slash])
  }

  private static func isAddress(_ host: String) -> Bool {
    host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." }
  }
}
