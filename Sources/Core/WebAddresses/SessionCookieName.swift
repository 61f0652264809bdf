internal import Bytes

/// The name of a session's cookie, which is also the name of the header in which programs send the session (PingAM's convention).
///
/// A server tells the name to anybody (`serverinfo`), and a client sends a secret in the header of that name. So the name must be a
/// token of limited length, and not a standard header: a server that calls its cookie `Host` or `Content-Length` could otherwise change
/// a client's requests.
package struct SessionCookieName: Sendable, Hashable {
  package let text: String

  /// PingAM's standard name.
  package static let standard = SessionCookieName(known: "iPlanetDirectoryPro")

  /// The longest name, in bytes.
  package static let longest = 128

  /// `nil` unless `text` is a token (RFC 6265 §4.1.1, RFC 9110 §5.6.2) of at most ``longest`` bytes that is not the name of a header
  /// with a meaning of its own.
  package init?(_ text: String) {
    guard (1...Self.longest).contains(text.utf8.count), text.utf8.allSatisfy(\.isTokenCharacter),
      !Self.hasMeaning(text.lowercased())
    else { return nil }
    self.text = text
  }

  private init(known text: String) { self.text = text }

  private static func hasMeaning(_ name: String) -> Bool {
    meaningful.contains(name) || meaningfulPrefixes.contains { name.hasPrefix($0) }
  }

  /// The header names of HTTP, of proxies and browsers, and of this protocol.
  private static let meaningful: Set<String> = [
    "accept", "age", "allow", "alt-svc", "authorization", "cache-control", "connection", "cookie", "date",
    "dpop", "etag", "expect", "expires", "forwarded", "from", "host", "http2-settings", "keep-alive",
    "last-modified", "location", "max-forwards", "origin", "pragma", "prefer", "priority", "range", "referer",
    "retry-after", "server", "set-cookie", "te", "trailer", "transfer-encoding", "upgrade", "user-agent",
    "vary", "via", "warning", "www-authenticate", "x-http-method-override", "x-method-override", "x-real-ip",
    "x-request-id", "traceparent", "tracestate",
  ]

  private static let meaningfulPrefixes = [
    "accept-", "access-control-", "content-", "if-", "proxy-", "sec-", "x-forwarded-", "x-openam-",
    "x-original-", "x-requested-", "x-rewrite-",
  ]
}
