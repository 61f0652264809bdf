import Testing
import WebAddresses

@Suite("The name of a session's cookie") struct SessionCookieNameTests {
  @Test(
    arguments: [
      "iPlanetDirectoryPro", "session", "a", "8f2c3b1d9e0a7f6", "__Host-sealring", "my.company_sso~1",
      String(repeating: "a", count: 128),
    ])
  func `what servers call it`(name: String) { #expect(SessionCookieName(name)?.text == name) }

  @Test(
    arguments: [
      "", " ", "a b", "a:b", "a=b", "a;b", "a,b", "\"a\"", "a\r\nX-Evil: 1", "a\n", "a\u{0}", "ä", "a/b",
      String(repeating: "a", count: 129),
    ])
  func `a name that would break a header is none`(name: String) { #expect(SessionCookieName(name) == nil) }

  @Test(
    arguments: [
      "Host", "host", "CONTENT-LENGTH", "Transfer-Encoding", "Cookie", "Authorization", "Connection",
      "X-OpenAM-Username", "X-Forwarded-For", "Proxy-Authorization", "Accept-API-Version", "X-Requested-With",
      "Sec-Fetch-Site", "DPoP", "Origin",
    ])
  func `a server has the session sent in a header that means something else`(name: String) {
    #expect(SessionCookieName(name) == nil)
  }
}
