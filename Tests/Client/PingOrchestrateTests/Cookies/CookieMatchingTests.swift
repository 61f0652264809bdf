import Foundation
import PingNetwork
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private let now = Date(timeIntervalSince1970: 1_800_000_000)  // 2027-01-15T08:00:00Z

private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

@Suite("Which cookie goes where, RFC 6265 §5.4")
struct CookieMatchingTests {
  struct Match: Sendable, CustomTestStringConvertible {
    let setCookie: String
    let from: String
    let to: String
    let isSent: Bool
    var testDescription: String { "\(setCookie) from \(from) to \(to)" }
  }

  @Test(
    arguments: [
      // §5.1.3: host-only cookies stay with their host, domain cookies go below their domain, at a dot.
      Match(setCookie: "a=1", from: "https://example.com/", to: "https://example.com/", isSent: true),
      Match(setCookie: "a=1", from: "https://example.com/", to: "https://www.example.com/", isSent: false),
      Match(
        setCookie: "a=1; Domain=example.com", from: "https://am.example.com/", to: "https://www.example.com/",
        isSent: true),
      Match(
        setCookie: "a=1; Domain=.EXAMPLE.com", from: "https://am.example.com/", to: "https://example.com/",
        isSent: true),
      Match(
        setCookie: "a=1; Domain=example.com", from: "https://example.com/", to: "https://evilexample.com/",
        isSent: false),
      Match(
        setCookie: "a=1; Domain=example.com", from: "https://example.com/",
        to: "https://example.com.evil.org/", isSent: false),
      Match(setCookie: "a=1", from: "https://EXAMPLE.com/", to: "https://example.COM/", isSent: true),
      // §5.3 step 6: nobody sets cookies for others, nor for a top-level domain.
      Match(
        setCookie: "a=1; Domain=other.com", from: "https://example.com/", to: "https://other.com/",
        isSent: false),
      Match(
        setCookie: "a=1; Domain=am.example.com", from: "https://example.com/", to: "https://am.example.com/",
        isSent: false),
      Match(
        setCookie: "a=1; Domain=com", from: "https://example.com/", to: "https://bank.com/", isSent: false),
      // Addresses have no subdomains.
      Match(
        setCookie: "a=1; Domain=0.0.1", from: "http://127.0.0.1/", to: "http://127.0.0.1/", isSent: false),
      Match(
        setCookie: "a=1; Domain=127.0.0.1", from: "http://127.0.0.1/", to: "http://127.0.0.1/", isSent: true),
      Match(setCookie: "a=1", from: "http://localhost/", to: "http://localhost/", isSent: true),
      // §5.1.4: the path and what is below it, at a slash.
      Match(
        setCookie: "a=1; Path=/am", from: "https://example.com/", to: "https://example.com/am", isSent: true),
      Match(
        setCookie: "a=1; Path=/am", from: "https://example.com/", to: "https://example.com/am/json",
        isSent: true),
      Match(
        setCookie: "a=1; Path=/am/", from: "https://example.com/", to: "https://example.com/am", isSent: false
      ),
      Match(
        setCookie: "a=1; Path=/am", from: "https://example.com/", to: "https://example.com/amx", isSent: false
      ),
      Match(
        setCookie: "a=1", from: "https://example.com/am/json", to: "https://example.com/am/x", isSent: true),
      Match(setCookie: "a=1", from: "https://example.com/am/json", to: "https://example.com/", isSent: false),
      Match(
        setCookie: "a=1; Path=relative", from: "https://example.com/am/x", to: "https://example.com/am",
        isSent: true),
      // §5.4: secure cookies on secure connections only.
      Match(setCookie: "a=1; Secure", from: "https://example.com/", to: "http://example.com/", isSent: false),
      Match(setCookie: "a=1; secure", from: "https://example.com/", to: "https://example.com/", isSent: true),
      // §5.2.1, §5.2.2: Max-Age counts before Expires.
      Match(
        setCookie: "a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", from: "https://example.com/",
        to: "https://example.com/", isSent: false),
      Match(
        setCookie: "a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", from: "https://example.com/",
        to: "https://example.com/", isSent: true),
      Match(
        setCookie: "a=1; Expires=Wed, 21 Oct 2065 07:28:00 GMT; Max-Age=0", from: "https://example.com/",
        to: "https://example.com/", isSent: false),
      Match(
        setCookie: "a=1; Max-Age=-5", from: "https://example.com/", to: "https://example.com/", isSent: false),
      Match(
        setCookie: "a=1; Max-Age=soon", from: "https://example.com/", to: "https://example.com/", isSent: true
      ),
      // §5.2: no name, no cookie.
      Match(setCookie: "=1", from: "https://example.com/", to: "https://example.com/", isSent: false),
      Match(setCookie: "a", from: "https://example.com/", to: "https://example.com/", isSent: false),
    ])
  func `which cookie goes where`(_ match: Match) throws {
    let cookies = SetCookie.cookies(joinedIn: match.setCookie, for: try url(match.from), receivedAt: now)
    let sent = CookieMatching.matching(cookies, try url(match.to), now: now)
    #expect(sent.isEmpty == !match.isSent)
  }

  @Test func `longer paths come first, §5.4 step 2`() throws {
    let cookies = SetCookie.cookies(
      joinedIn: "a=1; Path=/, b=2; Path=/am/json, c=3; Path=/am, d=4; Path=/am",
      for: try url("https://example.com"),
      receivedAt: now)
    let sent = CookieMatching.matching(cookies, try url("https://example.com/am/json"), now: now)
    #expect(sent.map(\.name) == ["b", "c", "d", "a"])
  }
}
