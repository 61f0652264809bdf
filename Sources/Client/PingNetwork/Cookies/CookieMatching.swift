package import Foundation
internal import WebAddresses

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

/// Which cookies go with which request, and who may set them: RFC 6265 §5.1.3, §5.1.4, §5.3 and §5.4.
package enum CookieMatching {
  /// Whether `cookie` may be sent to `url` at the time `now`.
  package static func matches(_ cookie: HTTPCookie, _ url: URL, now: Date) -> Bool {
    guard let host = url.host?.lowercased(), !host.isEmpty else { return false }
    if let expires = cookie.expiresDate, expires <= now { return false }
    if cookie.isSecure, url.scheme?.lowercased() != "https" { return false }
    let domain = cookie.domain.lowercased()
    let isForDomain =
      domain.hasPrefix(".")
      ? self.host(host, isIn: String(domain.dropFirst())) : host == domain
    return isForDomain && path(url.path, isIn: cookie.path)
  }

  /// The `cookies` that may be sent to `url`, longer paths first (§5.4 step 2).
  package static func matching(_ cookies: [HTTPCookie], _ url: URL, now: Date) -> [HTTPCookie] {
    let matching = cookies.filter { matches($0, url, now: now) }.enumerated()
    return matching.sorted {
      ($1.element.path.count, $0.offset) < ($0.element.path.count, $1.offset)
    }.map(\.element)
  }

  /// Whether the server of `url` may set `cookie`.
  package static func maySet(_ cookie: HTTPCookie, from url: URL) -> Bool {
    guard let host = url.host?.lowercased(), !host.isEmpty else { return false }
    let domain = cookie.domain.lowercased()
    return domain.hasPrefix(".") ? self.host(host, mayShare: String(domain.dropFirst())) : host == domain
  }

  /// Whether `host` may set cookies for `domain` and every host below it: `domain` is the host's own or above it (§5.3 step 6), and no
  /// public suffix, below which other owners' hosts are (step 5).
  static func host(_ host: String, mayShare domain: String) -> Bool {
    guard self.host(host, isIn: domain), let name = DomainName(domain) else { return false }
    return PublicSuffixes.suffix(of: name) != name
  }

  /// Whether `host` is `domain`, or a host name below it (§5.1.3). An address is never below anything.
  static func host(_ host: String, isIn domain: String) -> Bool {
    guard host != domain else { return true }
    return host.hasSuffix("." + domain) && !isAddress(host)
  }

  /// Whether `host` is an IPv4 or IPv6 address.
  static func isAddress(_ host: String) -> Bool {
    host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." }
  }

  /// Whether `path` is `cookiePath` or below it (§5.1.4).
  static func path(_ path: String, isIn cookiePath: String) -> Bool {
    let path = path.isEmpty ? "/" : path
    guard path.hasPrefix(cookiePath) else { return false }
    return path.count == cookiePath.count || cookiePath.hasSuffix("/")
      || path.dropFirst(cookiePath.count).hasPrefix("/")
  }

  /// The path up to its last slash (§5.1.4).
  static func defaultPath(of path: String) -> String {
    guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
      return "/"
    }
    return String(path[..<slash])
  }

  /// Whether both are the same cookie, whatever their values are: name, domain and path (§5.3 step 11).
  package static func isSame(_ one: HTTPCookie, _ other: HTTPCookie) -> Bool {
    Identity(one) == Identity(other)
  }

  /// The largest number of cookies that are kept; the oldest are removed first (§6.1 asks for 50 of a domain).
  package static let maximumCount = 200

  /// `old` and `new` together. A cookie in `new` replaces the same one in `old`; expired cookies are left out, and at most ``maximumCount``
  /// are kept.
  package static func merged(_ old: [HTTPCookie], with new: [HTTPCookie], now: Date) -> [HTTPCookie] {
    let cookies = (old + new).map { (cookie: $0, identity: Identity($0)) }
    var last: [Identity: Int] = [:]
    for (index, entry) in cookies.enumerated() { last[entry.identity] = index }
    let kept = cookies.enumerated().filter { index, entry in
      last[entry.identity] == index && entry.cookie.expiresDate.map { $0 > now } ?? true
    }
    return kept.suffix(maximumCount).map(\.element.cookie)
  }

  /// The properties that identify a cookie (§5.3 step 11).
  private struct Identity: Hashable {
    let name, domain, path: String

    init(_ cookie: HTTPCookie) {
      (name, domain, path) = (cookie.name, cookie.domain.lowercased(), cookie.path)
    }
  }
}
