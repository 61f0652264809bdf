import CommonFixtures
import Foundation
import HTTPTypes
import StrictJSON
import Testing

@testable import Assembly
@testable import ServerHTTP

@Suite("What all pages share") struct PageGroundTests {
  private static let account = "/am/account/?realm=/alpha"

  @Test func `without a session a page leads to the sign-in page, which leads back, and nowhere else`()
    async throws
  {
    try await LocalServer.run { server in
      let nobody = PageReader(server, token: nil)
      let answer = try await nobody.get("/am/account/?realm=/alpha&goto=https://evil.example&page=2")
      #expect(answer.status == 303)
      #expect(
        answer.location
          == "../XUI/?realm=%2Falpha&goto=..%2Faccount%2F%3Fgoto%3Dhttps%253A%252F%252Fevil.example%26page%3D2%26realm%3D%252Falpha"
      )
      let bare = try await nobody.get("/am/account/")
      #expect(bare.location == "../XUI/?goto=..%2Faccount%2F")
      let ended = PageReader(server, token: "sst_" + String(repeating: "a", count: 43))
      #expect(try await ended.get(Self.account).status == 303)
      #expect(
        try await ended.get("/am//account//").location?.hasPrefix("../../../XUI/?goto=..%2Faccount%2F")
          == true)
      #expect(try await nobody.get("/am/account/?realm=/nowhere").status == 404)
    }
  }

  @Test func `a session counts in its own realm, and without a name of one`() async throws {
    try await LocalServer.run { server in
      let ada = try await PageReader.signedIn("ada", server)
      for path in [Self.account, "/am/account/"] {
        let page = try await ada.get(path)
        #expect(page.status == 200 && page.contains("<bdi>ada</bdi>") && page.contains("/alpha"))
      }
      #expect(
        try await ada.get("/am/account/?realm=/").location?.hasPrefix("../XUI/?realm=%2F&goto=") == true)
      #expect(try await ada.get("/am/account?x=1").location == "account/?x=1")
    }
  }

  @Test func `browsers are told to run nothing else, to keep nothing, and to frame nothing`() async throws {
    try await LocalServer.run { server in
      let ada = try await PageReader.signedIn("ada", server)
      for page in [
        try await ada.get(Self.account), try await ada.get("/am/account/nothing"), try await ada.get("/am/"),
        try await PageReader(server, token: nil).get(Self.account),
      ] {
        let policy = try #require(page.headers[.contentSecurityPolicy])
        for part in [
          "default-src 'none'", "script-src 'self';", "style-src 'self';", "form-action 'self';",
          "base-uri 'none'",
          "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
        ] { #expect(policy.contains(part)) }
        #expect(!policy.contains("unsafe") && page.headers[.cacheControl] == "no-store")
        for (name, value) in [
          ("X-Frame-Options", "DENY"), ("Referrer-Policy", "same-origin"),
          ("X-Content-Type-Options", "nosniff"),
        ] { #expect(page.headers[try #require(HTTPField.Name(name))] == value) }
        #expect(
          page.headers[try #require(HTTPField.Name("Permissions-Policy"))]?.contains("camera=()") == true)
        #expect(!page.contains(" style=") && !page.contains("<style") && !page.contains("onclick"))
      }
      let style = try await ada.get("/am/assets/pages.css")
      #expect(style.status == 200 && style.headers[.contentType]?.hasPrefix("text/css") == true)
      #expect(
        try await ada.get("/am/assets/pages.js").headers[.contentType]?.hasPrefix("text/javascript") == true)
      #expect(try await ada.get("/am/assets/other.js").status == 404)
    }
  }

  @Test func `the button signs out, the browser forgets the session, and going back asks for a new sign-in`()
    async throws
  {
    try await LocalServer.run { server in
      let ada = try await PageReader.signedIn("ada", server)
      let token = try #require(try await ada.get(Self.account).field("token"))
      let answer = try await ada.post("/am/account/signout?realm=/alpha", token: token)
      #expect(answer.status == 303 && answer.location?.hasPrefix("../XUI/?realm=%2Falpha&goto=") == true)
      #expect(ada.cookies["iPlanetDirectoryPro"] == nil)
      #expect(try await ada.get(Self.account).status == 303)
      // The form again, as a browser sends it after going back.
      #expect(try await ada.post("/am/account/signout?realm=/alpha", token: token).status == 303)
      let bob = try await PageReader.signedIn("bob", server)
      #expect(try await bob.get("/am/account/signout").location?.hasPrefix("../account/") == true)
      #expect(try await bob.get(Self.account).status == 200, "a link signs nobody out")
    }
  }

  @Test func `a form that is not this session's, or comes from another site, changes nothing`() async throws {
    try await LocalServer.run { server in
      let (ada, bob) = (
        try await PageReader.signedIn("ada", server), try await PageReader.signedIn("bob", server)
      )
      let own = try #require(try await ada.get(Self.account).field("token"))
      let foreign = try #require(try await bob.get(Self.account).field("token"))
      for token in [
        foreign, nil, "", own.withAnotherStart, own + "A", "\u{0}", String(repeating: "é", count: 32),
      ] {
        let answer = try await ada.post("/am/account/signout", token: token)
        #expect(answer.status == 303 && answer.headers[.setCookie]?.contains("layout.expired") == true)
        #expect(try await ada.get(Self.account).contains("The form had expired. Nothing was changed."))
        #expect(!(try await ada.get(Self.account).contains("The form had expired")), "said once")
      }
      for headers in [
        ["Sec-Fetch-Site": "same-site"], ["Sec-Fetch-Site": "cross-site"], ["Origin": "https://evil.example"],
        ["Origin": "null"], ["Sec-Fetch-Site": "same-origin", "Origin": "http://evil.example"],
      ] {
        #expect(try await ada.post("/am/account/signout", token: own, headers: headers).status == 403)
      }
      let json = ["Content-Type": "application/json"]
      #expect(try await ada.post("/am/account/signout", token: own, headers: json).status == 415)
      #expect(try await ada.get(Self.account).status == 200)
      #expect(
        try await ada.post(Self.account, token: own).status == 415,
        "a page that changes nothing takes no form")
    }
  }

  @Test func `a language is chosen by the link, remembered, and else the browser's`() async throws {
    try await LocalServer.run { server in
      let ada = try await PageReader.signedIn("ada", server)
      #expect(try await ada.get(Self.account).contains(#"<html lang="en">"#))
      let german = try await ada.get(Self.account + "&lang=de")
      #expect(german.contains(#"<html lang="de">"#) && german.contains("<h1>Mein Konto</h1>"))
      #expect(
        try await ada.get(Self.account).contains("Mein Konto") && ada.cookies["sealring-language"] == "de")
      #expect(try await ada.get(Self.account + "&lang=%22%3E%3Cb").contains(#"<html lang="de">"#))
      #expect(try await ada.get(Self.account + "&lang=es").contains("<h1>Mi cuenta</h1>"))
      #expect(ada.cookies["sealring-language"] == "es")
      let bob = try await PageReader.signedIn("bob", server, language: "it, de-AT;q=0.9")
      #expect(
        try await bob.get(Self.account).contains("Mein Konto") && bob.cookies["sealring-language"] == nil)
    }
  }

  @Test func `a browser reads what went wrong in words, a program as JSON`() async throws {
    try await LocalServer.run { server in
      let ada = try await PageReader.signedIn("ada", server, language: "de")
      let missing = try await ada.get("/am/account/a/b/c")
      #expect(missing.status == 404 && missing.contains("<h1>Hier ist nichts</h1>"))
      #expect(missing.contains(#"href="../../../assets/pages.css""#))
      #expect(try await ada.get("/nothing").contains(#"href="./am/assets/pages.css""#))
      for path in ["/am/json/nothing", "/am/oauth2/nothing"] {
        #expect(try await ada.get(path).headers[.contentType]?.hasPrefix("application/json") == true)
      }
      #expect(try await server.call(.get, "/am/account/nothing")["code"] == 404)
    }
  }

  @Test func `who sends too many requests is asked to wait, politely`() async throws {
    try await LocalServer.run {
      $0.limits.requestsPerAddress = 2
    } body: { server in
      let nobody = PageReader(server, token: nil)
      var last = try await nobody.get("/am/account/")
      for _ in 0..<5 { last = try await nobody.get("/am/account/") }
      #expect(last.status == 429 && last.contains("<h1>Please wait a moment</h1>"))
      #expect(last.headers[.retryAfter].flatMap { Int($0) } != nil)
    }
  }
}
