import CommonFixtures
import Foundation
import HTTPTypes
import StrictJSON
import Testing

@testable import Assembly
@testable import OpenIDProvider
@testable import Operations
@testable import Pages
@testable import ServerHTTP

@Suite("OpenID Connect: pages") struct ConsentPagesTests {
  private static let request = OpenIDFixture.appRequest.merging([
    "client_id": "web", "redirect_uri": OpenIDFixture.webAddress, "scope": "openid email",
  ]) { $1 }

  /// Whether the account has consented: then nobody is asked.
  private func hasConsented(_ world: OpenIDFixture, _ session: String) async throws -> Bool {
    let silent = Self.request.merging(["prompt": "none"]) { $1 }
    return try await world.get("/authorize", silent, session: session).target().parameters["code"] != nil
  }

  /// Where the page can be read in the language.
  private static func address(_ language: String, _ page: Page) throws -> String {
    let link = try #require(page.text.firstMatch(of: /href="([^"]*)" lang="(en|de)" hreflang="de"/))
    #expect(link.2 == language)
    let query = link.1.replacing("&amp;", with: "&").split(separator: "?", maxSplits: 1)
    #expect(query.first?.hasSuffix("oauth2/realms/root/realms/alpha/authorize") == true)
    return String(try #require(query.last))
  }

  @Test func `pages speak the person's language, which another can take the place of on the page`()
    async throws
  {
    try await OpenIDFixture.run { world in
      let session = try await world.local.signIn("ada")
      let german = try await world.get(
        "/authorize", Self.request, session: session, headers: ["Accept-Language": "de-AT"])
      #expect(german.text.contains("<html lang=\"de\">") && german.text.contains("The &lt;shop&gt; möchte"))
      #expect(german.text.contains("Ihre E-Mail-Adresse lesen") && german.text.contains("Erlauben</button>"))
      #expect(!german.text.contains("wants to") && !german.text.contains("{"))

      let english = try await world.get("/authorize", Self.request, session: session)
      // Clients choose their names: the page says where the answer goes, too.
      #expect(english.text.contains("Your answer and the result go to https://web.example.com."))
      #expect(german.text.contains("gehen an https://web.example.com."))
      let query = try FormParameters.parse(try Self.address("de", english))
      let again = try await world.get("/authorize", query, session: session)
      #expect(again.status == 200 && again.text.contains("möchte"))
      #expect(again.headers[values: .setCookie].contains { $0.hasPrefix("sealring-language=de") })
      // What waits is sealed: its page is another person's own, and its form counts in the session that read it.
      let allowed = try await world.post(
        "/authorize", ["consent": try again.hidden("consent"), "decision": "allow"], session: session)
      #expect(allowed.status == 303)
      #expect(try await hasConsented(world, session))
    }
  }

  @Test func `a pushed request is used up by its page, which can be read in another language all the same`()
    async throws
  {
    try await OpenIDFixture.run { world in
      let session = try await world.local.signIn("ada")
      let pushed = try await world.post("/par", Self.request, headers: OpenIDFixture.basic("web"))
      let uri = try #require(pushed["request_uri"])
      let parameters = ["client_id": "web", "request_uri": uri]
      let page = try await world.get("/authorize", parameters, session: session)
      #expect(page.status == 200)
      let query = try FormParameters.parse(try Self.address("de", page))
      #expect(query["request_uri"] == nil && query["interaction"] != nil)
      #expect(try await world.get("/authorize", query, session: session).text.contains("möchte"))
      let refused = try await world.get(
        "/authorize", parameters, session: session,
        headers: ["Accept-Language": "de", "Accept": "text/html"])
      #expect(refused.status == 400 && refused.text.contains("Das ist nicht möglich"))
      // The fault is for the client's makers, and marked as English.
      #expect(refused.text.contains("<p class=\"muted\" lang=\"en\">The request has expired or was used."))
    }
  }

  @Test(arguments: ["/authorize", "/connect/endSession"])
  func `browsers run and load nothing but this server's files, and keep no page`(path: String) async throws {
    try await OpenIDFixture.run { world in
      let session = try await world.local.signIn("ada")
      for (parameters, target) in [(Self.request, "https://web.example.com"), (["client_id": "x"], "")] {
        let page = try await world.get(
          path, path == "/authorize" ? parameters : [:], session: session, headers: ["Accept": "text/html"])
        let policy = try #require(page.headers[.contentSecurityPolicy])
        for rule in [
          "default-src 'none'", "script-src 'self';", "style-src 'self';", "base-uri 'none'",
          "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
        ] { #expect(policy.contains(rule), "\(rule)") }
        let isQuestion = path == "/authorize" && !target.isEmpty
        #expect(policy.contains(isQuestion ? "form-action 'self' \(target);" : "form-action 'self';"))
        #expect(!policy.contains("unsafe") && page.headers[.cacheControl] == "no-store")
        #expect(page.headers[.xContentTypeOptions] == "nosniff")
        for inline in ["<style", "style=", "<script", "onclick", "javascript:"] {
          #expect(!page.text.contains(inline), "\(inline)")
        }
      }
    }
  }

  @Test(arguments: [["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"], ["Origin": "null"]])
  func `a form that another site's page sends gives nothing, whatever ticket it has`(
    headers: [String: String]
  ) async throws {
    try await OpenIDFixture.run { world in
      let session = try await world.local.signIn("ada")
      let page = try await world.get("/authorize", Self.request, session: session)
      let form = ["consent": try page.hidden("consent"), "decision": "allow"]
      let refused = try await world.post("/authorize", form, session: session, headers: headers)
      #expect(refused.status == 403 && refused.headers[.location] == nil)
      #expect(try await !hasConsented(world, session))

      let asked = try await world.get("/connect/endSession", session: session)
      let out = try await world.post(
        "/connect/endSession", ["confirmation": try asked.hidden("confirmation")], session: session,
        headers: headers)
      #expect(out.status == 403)
      #expect(try await world.local.server.openID.sessions.verify(session) != nil)

      let own = ["Sec-Fetch-Site": "same-origin", "Origin": "https://id.example.com"]
      #expect(try await world.post("/authorize", form, session: session, headers: own).status == 303)
    }
  }

  @Test func `a client may still send its request as a form from its own site`() async throws {
    try await OpenIDFixture.run { world in
      let answer = try await world.post(
        "/authorize", Self.request, headers: ["Sec-Fetch-Site": "cross-site", "Origin": "null"])
      #expect(answer.status == 303 && answer.headers[.location]?.contains("/authorize?") == true)
    }
  }

  @Test func `a realm's theme is the look of these pages, too, and nothing of it is markup`() async throws {
    let folder = try TemporaryFolder.make()
    defer { withExtendedLifetime(folder) {} }
    let file = """
      {"themes": {"harbour": {"title": "Harbour & <Sons>", "logo": "harbour.svg"}},
       "use": [{"theme": "harbour", "realm": "alpha"}]}
      """
    try folder.write(Array("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8), to: "harbour.svg")
    try folder.write(Array(file.utf8), to: "themes.json")
    let themes = try PageThemes(file: folder.url.appending(path: "themes.json"))
    try await OpenIDFixture.run(configure: { $0.pageThemes = themes }) { world in
      let session = try await world.local.signIn("ada")
      let page = try await world.get("/authorize", Self.request, session: session)
      for text in [
        "href=\"../../../../../XUI/theme.css?theme=harbour\"",
        "src=\"../../../../../XUI/logo?theme=harbour\"",
        "alt=\"Harbour &amp; &lt;Sons&gt;\"",
      ] { #expect(page.text.contains(text), "\(text)") }
      let out = try await world.get("/connect/endSession", session: session)
      #expect(out.text.contains("href=\"../../../../../../XUI/theme.css?theme=harbour\""))
    }
  }
}
