import CommonFixtures
import Foundation
import HTTPTypes
import StrictJSON
import Testing

@testable import ServerHTTP

@Suite("OpenID Connect: how refusals read") struct AuthorizeErrorTests {
  /// Firefox's, Chromium's, and one that asks for a page among others.
  static let browsers = [
    "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8",
    "application/json, text/html;q=0.5",
  ]

  static let others = ["", "*/*", "application/json", "application/json, text/plain, */*"]

  static let stranger = ["client_id": "stranger"]

  static func accepting(_ accept: String) -> [String: String] { accept.isEmpty ? [:] : ["Accept": accept] }

  @Test(arguments: others) func `an SDK got a page: programs get the error as JSON`(accept: String)
    async throws
  {
    try await OpenIDFixture.run { world in
      let session = try await world.local.signIn("ada")
      for (change, code) in [
        (Self.stranger, "invalid_client"), (["redirect_uri": "https://evil.example/"], "invalid_request"),
        (["request_uri": "urn:x"], "invalid_request"), (["interaction": "x"], "invalid_request"),
      ] {
        let page = try await world.get(
          "/authorize", OpenIDFixture.appRequest.merging(change) { $1 }, session: session,
          headers: Self.accepting(accept))
        #expect(page.status == 400 && page.headers[.location] == nil)
        #expect(page.error == code && page["error_description"]?.isEmpty == false)
        #expect(page.headers[.contentType]?.hasPrefix("application/json") == true)
        #expect(page.headers[.cacheControl] == "no-store" && !page.text.contains("evil"))
      }
      let out = try await world.get(
        "/connect/endSession", ["id_token_hint": "x"], session: session, headers: Self.accepting(accept))
      #expect(out.status == 400 && out.error == "invalid_request")
    }
  }

  @Test(arguments: browsers) func `people read a page`(accept: String) async throws {
    try await OpenIDFixture.run { world in
      let headers = Self.accepting(accept)
      for (path, parameters) in [
        ("/authorize", OpenIDFixture.appRequest.merging(Self.stranger) { $1 }),
        ("/connect/endSession", ["id_token_hint": "x"]),
      ] {
        let page = try await world.get(path, parameters, headers: headers)
        #expect(page.status == 400 && page.headers[.contentType]?.hasPrefix("text/html") == true)
        #expect(page.text.contains("<html"))
        let posted = try await world.post(
          path, path == "/authorize" ? ["consent": "x", "decision": "allow"] : parameters, headers: headers)
        #expect(posted.status == 400 && posted.text.contains("<html"))
      }
      // What a client may be told goes to it, whoever reads.
      let session = try await world.local.signIn("ada")
      let page = try await world.get(
        "/authorize", OpenIDFixture.appRequest.merging(["scope": "phone"]) { $1 }, session: session,
        headers: headers)
      #expect(page.status == 302)
      #expect(try page.target().parameters["error"] == "invalid_scope")
    }
  }

  @Test(arguments: ["", "text/html"])
  func `who decides for the person is a program, and decides nothing by it`(
    accept: String
  ) async throws {
    try await OpenIDFixture.run { world in
      let session = try await world.local.signIn("ada")
      let name = "iPlanetDirectoryPro"
      let headers = Self.accepting(accept).merging([name: session]) { $1 }
      let deciding = OpenIDFixture.appRequest.merging(["decision": "allow", "csrf": session]) { $1 }
      let unknown = deciding.merging(Self.stranger) { $1 }
      #expect(try await world.get("/authorize", unknown, headers: headers).error == "invalid_client")
      let posted = try await world.post("/authorize", unknown, headers: headers)
      #expect(posted.status == 400 && posted.error == "invalid_client")

      // The SDK's way: the session in a header, a form, and the redirect that it reads.
      for page in [
        try await world.get("/authorize", deciding, headers: headers),
        try await world.post("/authorize", deciding, headers: headers),
      ] {
        #expect(page.status == 302)
        #expect(try page.target().parameters["code"] != nil)
      }
      let refused = try await world.post(
        "/authorize", deciding.merging(["scope": "phone"]) { $1 }, headers: headers)
      #expect(try refused.status == 302 && refused.target().parameters["error"] == "invalid_scope")

      // No consent comes of it, and no other site's form gets a code by a cookie.
      let web = deciding.merging(["client_id": "web", "redirect_uri": OpenIDFixture.webAddress]) { $1 }
      for page in [
        try await world.get("/authorize", web, headers: headers),
        try await world.post("/authorize", web, headers: headers),
      ] { #expect(page.status == 200 && page.headers[.location] == nil) }
      let silent = try await world.get("/authorize", web.merging(["prompt": "none"]) { $1 }, session: session)
      #expect(try silent.target().parameters["error"] == "consent_required")
      let foreign = try await world.post("/authorize", deciding, session: session)
      #expect(foreign.status == 303 && foreign.headers[.location]?.contains("/authorize?") == true)
    }
  }

  /// A form is not to be sent on to the client.
  @Test func `a GET is redirected as PingAM does it, and a browser's form never with its method`()
    async throws
  {
    try await OpenIDFixture.run { world in
      let session = try await world.local.signIn("ada")
      #expect(try await world.get("/authorize", OpenIDFixture.appRequest, session: session).status == 302)
      #expect(try await world.get("/authorize", OpenIDFixture.appRequest).status == 302)
      let web = OpenIDFixture.appRequest.merging([
        "client_id": "web", "redirect_uri": OpenIDFixture.webAddress,
      ]) { $1 }
      let ticket = try await world.get("/authorize", web, session: session).hidden("consent")
      let allowed = try await world.post(
        "/authorize", ["consent": ticket, "decision": "allow"], session: session)
      #expect(allowed.status == 303)
    }
  }
}
