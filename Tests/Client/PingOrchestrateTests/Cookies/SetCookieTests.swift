import Foundation
import PingNetwork
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private let now = Date(timeIntervalSince1970: 1_800_000_000)  // 2027-01-15T08:00:00Z

private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

@Suite("Set-Cookie, RFC 6265 §5.2 and §5.3")
struct SetCookieTests {
  private func cookies(_ header: String, from address: String = "https://am.example.com/am/json") throws
    -> [HTTPCookie]
  {
    SetCookie.cookies(joinedIn: header, for: try url(address), receivedAt: now)
  }

  @Test func `joined Set-Cookie fields are told apart from the commas of dates and values`() throws {
    let header = "a=1; Expires=Wed, 21 Oct 2065 07:28:00 GMT; Path=/, b=x,y; HttpOnly,c=p=q; Secure"
    let cookies = SetCookie.cookies(joinedIn: header, for: try url("https://example.com"), receivedAt: now)
    #expect(cookies.map(\.name) == ["a", "b", "c"])
    #expect(cookies.map(\.value) == ["1", "x,y", "p=q"])
    #expect(cookies.map(\.isHTTPOnly) == [false, true, false])
    #expect(cookies.map(\.isSecure) == [false, false, true])
    #expect(cookies.first?.expiresDate == Date(timeIntervalSince1970: 3_023_335_680))
  }

  @Test(arguments: [
    ("https://am.example.com/am/json/x", "/am/json"), ("https://am.example.com/am", "/"),
    ("https://am.example.com", "/"),
  ])
  func `an absent path is the request's folder`(url: String, path: String) throws {
    let cookie = try cookies("a=1", from: url).first
    #expect(cookie?.path == path)
    #expect(cookie?.domain == "am.example.com")
  }

  // Weak point elsewhere: a plain suffix match let `evilexample.com` set cookies of `example.com`.
  @Test(arguments: [
    ("am.example.com", "example.com", true), ("am.example.com", ".example.com", true),
    ("am.example.com", "AM.example.com", true), ("evilexample.com", "example.com", false),
    ("am.example.com", "other.com", false), ("example.com", "am.example.com", false),
    ("am.example.com", "com", false), ("10.0.0.1", "0.0.1", false),
    ("am.example.co.uk", "example.co.uk", true),
    ("am.example.co.uk", "co.uk", false), ("shop.github.io", "github.io", false),
    ("a.shop.github.io", "shop.github.io", true), ("am.example.com", "example.com.", false),
  ])
  func `a server may set cookies for its own domain only`(host: String, domain: String, isAllowed: Bool)
    throws
  {
    let cookies = try cookies("a=1; Domain=\(domain)", from: "https://\(host)/")
    #expect(cookies.isEmpty == !isAllowed)
  }

  // A registry's name is a host, too; below it are strangers.
  @Test(arguments: ["github.io", "co.uk", "localhost", "10.0.0.1"])
  func `a cookie of a public suffix's own host is for that host alone`(host: String) throws {
    let cookie = try #require(try cookies("a=1; Domain=\(host)", from: "https://\(host)/").first)
    #expect(cookie.domain == host)
  }

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    "Sun, 06-Nov-1994 08:49:37 GMT",
  ])
  func `dates of all forms are read`(date: String) throws {
    let cookie = try cookies("a=1; Expires=\(date)").first
    #expect(cookie?.expiresDate == Date(timeIntervalSince1970: 784_111_777))
  }

  @Test(arguments: [
    "", "yesterday", "Sun, 31 Feb 2027 08:49:37 GMT", "Sun, 06 Nov 1994 25:00:00 GMT", "06 Nov 1994",
  ])
  func `dates that are none make a session cookie`(date: String) throws {
    let cookie = try cookies("a=1; Expires=\(date)").first
    #expect(cookie?.expiresDate == nil)
  }

  @Test func `Max-Age wins over expires`() throws {
    let cookie = try cookies("a=1; Max-Age=0; Expires=Wed, 21 Oct 2099 07:28:00 GMT").first
    #expect(cookie?.expiresDate == now)
  }

  @Test(arguments: ["", "=1", "a", ";", "; Path=/"])
  func `what has no name is no cookie`(header: String) throws {
    #expect(try cookies(header).isEmpty)
  }

  // Weak point elsewhere: as a domain cookie, `.127.0.0.1` was for nobody.
  @Test func `a cookie of an address is for that address alone`() throws {
    #expect(try cookies("a=1; Domain=127.0.0.1", from: "http://127.0.0.1/").first?.domain == "127.0.0.1")
  }

  @Test func `the last path counts and a relative one is the request's folder`() throws {
    #expect(try cookies("a=1; Path=/x; Path=/am").first?.path == "/am")
    #expect(try cookies("a=1; Path=/x; Path=relative").first?.path == "/am")
  }

  @Test func `separators count whatever follows them, and only spaces and tabs are taken off`() throws {
    let read = try cookies("a=1 \u{A0};\u{301}; \tSecure\t, b = \u{301}2 ")
    #expect(read.map(\.name) == ["a"])
    #expect(read.map(\.value) == ["1 \u{A0}"] && read.map(\.isSecure) == [false])
    #expect(try cookies("a=1;\u{301}; \tSecure\t").map(\.isSecure) == [true])
    #expect(try cookies("a=1,b=2").map(\.name) == ["a", "b"])
  }

  @Test func `what a server sets is bounded, and of more the latest are kept`() throws {
    let header = (0..<1000).map { "n\($0)=1" }.joined(separator: ", ")
    #expect(try cookies(header).count == CookieMatching.maximumCount)
    let earlier = try (0..<150).compactMap { try cookies("old\($0)=1").first }
    let later = try (0..<150).compactMap { try cookies("new\($0)=1").first }
    let kept = CookieMatching.merged(earlier, with: later, now: now)
    #expect(kept.map(\.name) == (100..<150).map { "old\($0)" } + (0..<150).map { "new\($0)" })
  }

  @Test func `a cookie takes the place of the same one, and an expired one leaves nothing`() throws {
    let old = try cookies("a=1; Path=/, b=1; Path=/, a=1; Path=/x")
    let new = try cookies("a=2; Path=/, b=; Path=/; Max-Age=0, a=3; Domain=am.example.com; Path=/x")
    let merged = CookieMatching.merged(old, with: new, now: now)
    #expect(merged.map(\.value) == ["1", "2", "3"])
    #expect(merged.map(\.path) == ["/x", "/", "/x"])
  }
}
