import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import HummingbirdTesting
import StrictJSON
import Testing

@testable import Assembly
@testable import Operations
@testable import ServerHTTP

@Suite("The server's base path") struct BasePathTests {
  @Test(arguments: ["/openam", "/sso", "/sso/openam", "/a.b-c_d/2/3/4", "/am/am", "/json", "/AM"])
  func `everything is there, and nothing at am`(path: String) async throws {
    try await LocalServer.run(.router, { $0.basePath = path }) { server async throws in
      let alpha = "\(path)/json/realms/root/realms/alpha"
      let token = try await server.signIn("ada", realm: alpha)
      #expect(try await server.call(.get, "\(alpha)/users/ada", token: token).status == 200)
      for found in ["", "/XUI/", "/assets/pages.css", "/health", "/health/ready", "/json/serverinfo/*"] {
        #expect(try await server.call(.get, path + found).status == 200, "\(found)")
      }
      for found in ["/", "/health", "/health/live"] {
        #expect(try await server.call(.get, found).status == 200, "\(found)")
      }
      for missing in [
        "/am/json/serverinfo/*", "/am", "/am/", "/am/XUI/", "//am/json/serverinfo/*",
        "/%61m/json/serverinfo/*",
        "/am/oauth2/.well-known/openid-configuration", "\(path)x/json/serverinfo/*", "/json/serverinfo/*",
        "\(path)/../am/json/serverinfo/*", "/x\(path)/json/serverinfo/*", "\(path)/am/json/serverinfo/*",
        "/-/json/serverinfo/*",
      ] where !missing.hasPrefix(path + "/json") {
        #expect(try await server.call(.get, missing).status == 404, "\(missing)")
      }
    }
  }

  @Test func `addresses that go out have it`() async throws {
    try await LocalServer.run(.router, { $0.basePath = "/sso/openam" }) { server async throws in
      let discovery = try await server.call(
        .get, "/sso/openam/oauth2/realms/root/realms/alpha/.well-known/openid-configuration")
      for name in ["issuer", "authorization_endpoint", "token_endpoint", "jwks_uri"] {
        #expect(
          discovery[name]?.stringValue?.contains("/sso/openam/oauth2/realms/root/realms/alpha")
            == true, "\(name)")
      }
      #expect(server.server.report(port: 8080).address == "http://127.0.0.1:8080/sso/openam")
      #expect(server.server.report(port: 8080).page == "http://localhost:8080/sso/openam/XUI/?realm=/alpha")
      // What the operator reads is what the client has asked for.
      _ = try await server.call(.get, "/sso/openam/json/nothing/here")
      #expect(server.log.withLock { $0 }.contains { $0.contains("/sso/openam/json/nothing/here") })
    }
  }

  /// Where a page's link leads, as a browser finds it.
  private func target(of link: String, on page: String) -> String? {
    URL(string: link, relativeTo: URL(string: "http://host\(page)"))?.absoluteURL.path()
  }

  @Test(arguments: ["/am", "/openam", "/sso/openam"])
  func `links of pages lead below it, from wherever they stand`(base: String) async throws {
    try await LocalServer.run(.router, { $0.basePath = base }) { server async throws in
      let reader = PageReader(server, token: nil)
      for place in ["/", base, "\(base)/", "\(base)/nothing/here", "/nothing", "/nothing/at/all", "/am/x/y"] {
        let page = try await reader.get(place, headers: ["Accept": "text/html"])
        let style = try #require(
          page.html.components(separatedBy: "href=\"").map { String($0.prefix { $0 != "\"" }) }
            .first { $0.hasSuffix("pages.css") }, "\(place)")
        #expect(target(of: style, on: place) == "\(base)/assets/pages.css", "\(place)")
      }
      let account = try await reader.get("\(base)/account/?realm=/alpha")
      let location = try #require(account.location)
      #expect(target(of: location, on: "\(base)/account/") == "\(base)/XUI/", "\(location)")
      // Without its slash, the folder's page is next to itself, and on no other host.
      for place in ["\(base)/XUI", "/\(base)/XUI"] {
        let folder = try await server.call(.get, "\(place)?realm=/alpha")
        guard folder.status != 404 else { continue }
        #expect(folder.status == 302 && folder.headers[.location] == "XUI/?realm=/alpha", "\(place)")
      }
    }
  }

  @Test func `pages of other origins may use it as they may at am`() async throws {
    try await LocalServer.run(
      .router,
      {
        $0.basePath = "/openam"
        $0.crossOrigin.origins = ["alpha": ["https://app.example.com"]]
      }
    ) { server async throws in
      let answer = try await server.call(
        .get, "/openam/json/realms/root/realms/alpha/serverinfo/*",
        headers: ["Origin": "https://app.example.com"])
      let allowed = try #require(HTTPField.Name("Access-Control-Allow-Origin"))
      #expect(answer.headers[allowed] == "https://app.example.com")
    }
  }

  @Test(
    arguments: [
      "", "/", "am", "/am/", "//am", "/a//b", "/..", "/a/..", "/.well-known", "/health", "/health/x", "/a b",
      "/a%20b", "/ä", "/a?b", "/a#b", "/-", "/a/b/c/d/e", "/a\n", "http://host/am",
      "/" + String(repeating: "a", count: 128),
    ])
  func `what is no path stops the start`(path: String) async throws {
    var configuration = LocalServer.configuration()
    configuration.basePath = path
    let error = await #expect(throws: ServerSetupError.self) { try await SealringServer.make(configuration) }
    #expect(error?.description.contains("base path") == true)
  }

  @Test(arguments: ["Host", "Content-Length", "X-OpenAM-Username", "a b", "", "Cookie"])
  func `a cookie's name that no session can be sent by stops the start`(name: String) async throws {
    var configuration = LocalServer.configuration()
    configuration.cookieName = name
    let error = await #expect(throws: ServerSetupError.self) { try await SealringServer.make(configuration) }
    #expect(error?.description.contains("cookie name") == true)
  }
}
