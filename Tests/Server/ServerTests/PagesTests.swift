import CommonFixtures
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import StrictJSON
import Testing

@testable import Pages
@testable import ServerHTTP

@Suite("Pages") struct PagesTests {
  private func get(
    _ path: String, from server: LocalServer, headers: HTTPFields = [:]
  ) async throws -> TestResponse {
    try await server.client.executeRequest(uri: "/am/XUI/\(path)", method: .get, headers: headers, body: nil)
  }

  @Test(
    arguments: [
      ("", "text/html"), ("index.html", "text/html"), ("signin-main.js", "text/javascript"),
      ("sealring.css", "text/css"), ("texts", "application/json"),
    ])
  func `the page and its files are there, and browsers are told to run nothing else`(
    name: String, type: String
  ) async throws {
    try await LocalServer.run { server in
      let answer = try await get("\(name)?realm=/alpha", from: server)
      #expect(answer.status == .ok && answer.headers[.contentType]?.hasPrefix(type) == true)
      let policy = try #require(answer.headers[.contentSecurityPolicy])
      for rule in [
        "default-src 'none'", "script-src 'self';", "style-src 'self';", "frame-ancestors 'none'",
        "form-action 'none'",
        "base-uri 'none'", "require-trusted-types-for 'script'", "trusted-types sealring",
      ] { #expect(policy.contains(rule)) }
      #expect(!policy.contains("unsafe"))
    }
  }

  @Test func `the page and its scripts make no markup out of texts, and run nothing that is a text`() throws {
    for (name, asset) in SignInPage.files where name.hasSuffix(".js") {
      let script = String(decoding: asset.bytes, as: UTF8.self)
      for forbidden in [
        "eval(", "innerHTML", "outerHTML", "insertAdjacentHTML", "new Function", "document.write",
        "setAttribute(\"on",
        "srcdoc", "javascript:",
      ] { #expect(!script.contains(forbidden), "\(name)") }
      // One place reads markup, under the policy that the header names.
      #expect(script.contains("DOMParser") == (name == "signin-markup.js"))
    }
  }

  @Test func `every script of the page is one that the server has`() {
    for (name, asset) in SignInPage.files where name.hasSuffix(".js") {
      for line in String(decoding: asset.bytes, as: UTF8.self).split(separator: "\n")
      where line.hasPrefix("import ") {
        let file = line.split(separator: "\"").dropFirst().first.map { String($0.dropFirst(2)) }
        #expect(file.map { SignInPage.files[$0] != nil } == true, "\(name): \(line)")
      }
    }
  }

  @Test(arguments: pageLanguages) func `the whole page weighs less than 100 KB`(language: String) async throws
  {
    try await LocalServer.run { server in
      var bytes = SignInPage.files.values.map(\.bytes.count).reduce(0, +)
      for path in ["?lang=\(language)", "texts?lang=\(language)"] {
        bytes += try await get(path, from: server).body.readableBytes
      }
      #expect(bytes < 100_000)
      #expect(bytes > 30_000)
    }
  }

  @Test func `browsers that have a file of the page do not load it again`() async throws {
    try await LocalServer.run { server in
      let first = try await get("signin-main.js", from: server)
      let tag = try #require(first.headers[.eTag])
      let second = try await get("signin-main.js", from: server, headers: [.ifNoneMatch: tag])
      #expect(second.status == .notModified && second.body.readableBytes == 0)
      for path in ["/am/XUI/signin-main.js", "/am/XUI/sealring.css", "/am/assets/pages.css"] {
        func ask(_ condition: String?) async throws -> TestResponse {
          var headers = HTTPFields()
          headers[.ifNoneMatch] = condition
          return try await server.client.executeRequest(uri: path, method: .get, headers: headers, body: nil)
        }
        let whole = try await ask(nil)
        let tag = try #require(whole.headers[.eTag])
        #expect(tag.wholeMatch(of: /"[0-9a-f]{24}"/) != nil && whole.headers[.cacheControl] == "no-cache")
        for known in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
          let answer = try await ask(known)
          #expect(answer.status == .notModified && answer.body.readableBytes == 0, "\(path) \(known)")
          #expect(answer.headers[.eTag] == tag && answer.headers[.contentSecurityPolicy] != nil)
        }
        for other in ["\"other\"", "", String(tag.dropLast(2)), "\"other\", W/"] {
          #expect(try await ask(other).status == .ok, "\(path) \(other)")
        }
      }
      // What depends on the person is not kept.
      for path in ["", "texts"] {
        #expect(try await get(path, from: server).headers[.cacheControl] == "no-store")
      }
    }
  }

  @Test func `without its last slash the page is elsewhere, other names are nowhere, and it is only read`()
    async throws
  {
    try await LocalServer.run { server in
      let moved = try await server.client.executeRequest(
        uri: "/am/XUI?realm=/alpha", method: .get, headers: [:], body: nil)
      #expect(moved.status == .found && moved.headers[.location] == "XUI/?realm=/alpha")
      for path in [
        "other.js", "a/b", "theme.css", "theme.css?theme=none", "logo?theme=../x", "texts?theme=none",
      ] {
        #expect(try await server.call(.get, "/am/XUI/\(path)").status == 404, "\(path)")
      }
      #expect(try await server.call(.post, "/am/XUI/", body: [:]).status == 405)
    }
  }

  @Test func `the page speaks the language that the browser prefers, until the person chooses one`()
    async throws
  {
    try await LocalServer.run { server in
      let german: HTTPFields = [.acceptLanguage: "de-AT,en;q=0.5"]
      let page = String(buffer: try await get("?realm=/alpha", from: server, headers: german).body)
      #expect(page.contains("<html lang=\"de\">") && page.contains("Diese Seite braucht JavaScript"))
      let chosen = try await get("texts?lang=en", from: server, headers: german)
      let cookie = try #require(chosen.headers[.setCookie])
      #expect(cookie.hasPrefix("sealring-language=en;"))
      var headers = german
      headers[.cookie] = "sealring-language=en"
      #expect(
        String(buffer: try await get("", from: server, headers: headers).body).contains("<html lang=\"en\">"))
      // Neither markup nor a header comes out of what somebody puts there.
      for odd in ["%22%3E%3Cscript%3E", "xx", "de%0d%0aX-A:b"] {
        let answer = try await get("?lang=\(odd)", from: server)
        #expect(answer.headers[.setCookie] == nil)
        #expect(String(buffer: answer.body).contains("<html lang=\"en\">"))
      }
    }
  }

  @Test func `what the address names is text in the page`() async throws {
    try await LocalServer.run { server in
      let page = String(
        buffer: try await get(
          "?realm=/alpha&service=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&goto=javascript:alert(1)",
          from: server
        ).body)
      #expect(!page.contains("<script>") && page.components(separatedBy: "<script").count == 2)
    }
  }
}
