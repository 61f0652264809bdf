internal import Bytes
package import Foundation

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

/// One `Set-Cookie` header (RFC 6265 §5.2).
///
/// Foundation's own parser differs between platforms: some ignore `Max-Age`, misread two-digit years and use `/` for an absent path, and
/// they do not know public suffixes.
package struct SetCookie {
  private let name: String
  private let value: String
  private var domain: String?
  private var path: String?
  private var expires: Date?
  private var maxAge: Int64?
  private var isSecure = false
  private var isHTTPOnly = false
  private var sameSite: String?

  /// The cookie in `header`; `nil` when it has no name or value.
  package init?(_ header: String) {
    // Splits bytes: a combining mark after a separator forms one Character with it.
    let parts = header.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    guard let (name, value) = parts.first.map(Self.pair), let value, !name.isEmpty else { return nil }
    self.name = name
    self.value = value
    for (name, value) in parts.dropFirst().lazy.map(Self.pair) {
      let value = value ?? ""
      switch name.lowercased() {
      case "domain" where !value.isEmpty:
        domain = (value.hasPrefix(".") ? String(value.dropFirst()) : value).lowercased()
      case "path": path = value.hasPrefix("/") ? value : nil
      case "expires": expires = CookieDate.parse(value) ?? expires
      case "max-age": maxAge = Int64(value) ?? maxAge
      case "secure": isSecure = true
      case "httponly": isHTTPOnly = true
      case "samesite": sameSite = value.lowercased()
      default: break
      }
    }
  }

  /// The `Set-Cookie` headers that were joined into `header` with commas, as URLSession does.
  ///
  /// Only a comma before `name=` begins a cookie; the comma in an `Expires` date does not. Cookies beyond
  /// ``CookieMatching/maximumCount`` are left out.
  package static func split(_ header: String) -> [String] {
    var cookies: [String] = []
    var rest = header[...].utf8
    var searchStart = rest.startIndex
    while cookies.count < CookieMatching.maximumCount,
      let comma = rest[searchStart...].firstIndex(of: UInt8(ascii: ","))
    {
      searchStart = rest.index(after: comma)
      let next = rest[searchStart...].drop(while: \.isBlank)
      let name = next.prefix(while: \.isTokenCharacter)
      guard !name.isEmpty, next[name.endIndex...].first == UInt8(ascii: "=") else { continue }
      cookies.append(String(decoding: rest[..<comma], as: UTF8.self))
      rest = next
      searchStart = next.startIndex
    }
    if cookies.count < CookieMatching.maximumCount { cookies.append(String(decoding: rest, as: UTF8.self)) }
    return cookies
  }

  /// The cookies in a header that several may have been joined into. Cookies that the server of `url` must not set are left out.
  package static func cookies(joinedIn header: String, for url: URL, receivedAt: Date) -> [HTTPCookie] {
    split(header).compactMap { SetCookie($0)?.cookie(for: url, receivedAt: receivedAt) }
  }

  /// The cookie as the server of `url` may set it (RFC 6265 §5.3); `nil` when the server must not set it.
  ///
  /// `HTTPCookie` has no field for the host-only flag, so its `domain` has it: with a leading dot the cookie is for the domain and every
  /// host below, without the dot for that host alone.
  ///
  /// - Parameter receivedAt: The time from which `Max-Age` counts.
  package func cookie(for url: URL, receivedAt: Date) -> HTTPCookie? {
    guard let host = url.host?.lowercased(), !host.isEmpty else { return nil }
    var properties: [HTTPCookiePropertyKey: Any] = [
      .name: name, .value: value, .domain: host,
      .path: path ?? CookieMatching.defaultPath(of: url.path),
    ]
    if let domain {
      if CookieMatching.host(host, mayShare: domain) {
        properties[.domain] = "." + domain
      } else if domain != host {
        // A host that is itself a public suffix may set cookies for itself alone (§5.3 step 5).
        return nil
      }
    }
    if let maxAge {
      // Max-Age takes precedence over Expires (§5.3 step 3). Clamped: no clock needs more, and the sum stays exact.
      properties[.expires] = receivedAt.addingTimeInterval(TimeInterval(min(max(maxAge, -1), 1 << 40)))
    } else if let expires {
      properties[.expires] = expires
    } else {
      properties[.discard] = "TRUE"
    }
    if isSecure { properties[.secure] = "TRUE" }
    if isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
    if let sameSite { properties[HTTPCookiePropertyKey("SameSite")] = sameSite }
    return HTTPCookie(properties: properties)
  }

  private static func pair(_ part: Substring.UTF8View) -> (name: String, value: String?) {
    func text(_ part: Substring.UTF8View) -> String { String(decoding: part.trimmingBlanks, as: UTF8.self) }
    guard let sign = part.firstIndex(of: UInt8(ascii: "=")) else { return (text(part), nil) }
    return (text(part[..<sign]), text(part[part.index(after: sign)...]))
  }
}
