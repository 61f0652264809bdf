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
  @Test func `headers joined with commas are taken apart at cookies only`() {
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

  @Test func `header names are compared without case`() {
    let response = response(["SET-cookie": ["a=1"], "X-Name": ["1", "2"]])
    #expect(response.getCookieStrings() == ["a=1"])
    #expect(response.getHeaders(name: "X-NAME") == ["1", "2"])
    #expect(response.getHeader(name: "x-name") == "1" && response.getHeaders(name: "other") == nil)
  }

  @Test func `a header's name keeps the case that it came with`() {
    let response = response([
      "X-Name": ["1"], "Content-Type": ["text/plain"], "x-name": ["2"], "X-NAME": ["0"],
    ])
    #expect(response.headers == ["X-NAME": ["0", "1", "2"], "Content-Type": ["text/plain"]])
    #expect(response.getHeaders(name: "x-Name") == ["0", "1", "2"])
  }

  @Test func `attributes are read`() throws {
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
}
