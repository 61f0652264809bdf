import Foundation
import PingNetwork
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Cookies of a response")
struct CookieTests {
  private static let now = Date(timeIntervalSince1970: 1_767_225_600)

  private func response(_ headers: [String: [String]], url: String = "https://am.example.com/am/json")
    -> any HttpResponse
  {
    let request = URLSessionHttpRequest()
    request.url = url
    return URLSessionHttpResponse(
      request: request, status: 200, headers: headers, body: nil, httpURLResponse: nil, receivedAt: Self.now)
  }

  // Weak point elsewhere: splitting at commas broke `Expires`, and the header was counted twice.
  @Test func headersJoinedWithCommasAreTakenApartAtCookiesOnly() {
    let response = response([
      "Set-Cookie": [
        "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/, b=2; HttpOnly,c=x=y==; Expires=Wednesday, 21-Oct-26 07:28:00 GMT",
        "d=4",
      ]
    ])
    #expect(
      response.getCookieStrings() == [
        "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/", "b=2; HttpOnly",
        "c=x=y==; Expires=Wednesday, 21-Oct-26 07:28:00 GMT", "d=4",
      ])
    #expect(response.getCookies().map(\.name) == ["a", "b", "c", "d"])
    #expect(response.getCookies().map(\.value) == ["1", "2", "x=y==", "4"])
  }

  @Test func headerNamesAreComparedWithoutCase() {
    let response = response(["SET-cookie": ["a=1"], "X-Name": ["1", "2"]])
    #expect(response.getCookieStrings() == ["a=1"])
    #expect(response.headers["x-name"] == ["1", "2"])
    #expect(response.getHeaders(name: "X-NAME") == ["1", "2"])
  }

  @Test func attributesAreRead() throws {
    let cookie = try #require(
      response([
        "set-cookie": ["iPlanetDirectoryPro=t; Domain=example.com; Path=/am; Secure; HttpOnly; Max-Age=60"]
      ])
      .getCookies().first)
    #expect(cookie.domain == ".example.com")
    #expect(cookie.path == "/am")
    #expect(cookie.isSecure)
    #expect(cookie.expiresDate == Self.now.addingTimeInterval(60))
  }

  @Test(arguments: [
    ("https://am.example.com/am/json/x", "/am/json"), ("https://am.example.com/am", "/"),
    ("https://am.example.com", "/"),
  ])
  func anAbsentPathIsTheRequestsFolder(url: String, path: String) {
    let cookie = response(["set-cookie": ["a=1"]], url: url).getCookies().first
    #expect(cookie?.path == path)
    #expect(cookie?.domain == "am.example.com")
  }

  // Weak point elsewhere: a plain suffix match let `evilexample.com` set cookies of `example.com`.
  @Test(arguments: [
    ("am.example.com", "example.com", true), ("am.example.com", ".example.com", true),
    ("am.example.com", "AM.example.com", true), ("evilexample.com", "example.com", false),
    ("am.example.com", "other.com", false), ("example.com", "am.example.com", false),
    ("am.example.com", "com", false), ("10.0.0.1", "0.0.1", false),
  ])
  func aServerMaySetCookiesForItsOwnDomainOnly(host: String, domain: String, isAllowed: Bool) {
    let cookies = response(["set-cookie": ["a=1; Domain=\(domain)"]], url: "https://\(host)/").getCookies()
    #expect(cookies.isEmpty == !isAllowed)
  }

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    "Sun, 06-Nov-1994 08:49:37 GMT",
  ])
  func datesOfAllFormsAreRead(date: String) {
    let cookie = response(["set-cookie": ["a=1; Expires=\(date)"]]).getCookies().first
    #expect(cookie?.expiresDate == Date(timeIntervalSince1970: 784_111_777))
  }

  @Test(arguments: [
    "", "yesterday", "Sun, 31 Feb 2027 08:49:37 GMT", "Sun, 06 Nov 1994 25:00:00 GMT", "06 Nov 1994",
  ])
  func datesThatAreNoneMakeASessionCookie(date: String) {
    let cookie = response(["set-cookie": ["a=1; Expires=\(date)"]]).getCookies().first
    #expect(cookie?.expiresDate == nil)
  }

  @Test func maxAgeWinsOverExpires() {
    let cookie = response(["set-cookie": ["a=1; Max-Age=0; Expires=Wed, 21 Oct 2099 07:28:00 GMT"]])
      .getCookies().first
    #expect(cookie?.expiresDate == Self.now)
  }

  @Test(arguments: ["", "=1", "a", ";", "; Path=/"])
  func whatHasNoNameIsNoCookie(header: String) {
    #expect(response(["set-cookie": [header]]).getCookies().isEmpty)
  }
}
