import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import StrictJSON
import Testing

@testable import JourneyServer

@Suite("Pages") struct PagesTests {
  @Test(
    arguments: [
      ("", "text/html"), ("index.html", "text/html"), ("sealring.js", "text/javascript"),
      ("sealring.css", "text/css"),
    ])
  func `the page and its files are there, and browsers are told to run nothing else`(
    name: String, type: String
  ) async throws {
    try await LocalServer.run { server in
      let answer = try await server.client.executeRequest(
        uri: "/am/XUI/\(name)?realm=/alpha", method: .get, headers: [:], body: nil)
      #expect(answer.status == .ok && answer.headers[.contentType]?.hasPrefix(type) == true)
      let policy = try #require(answer.headers[.contentSecurityPolicy])
      #expect(policy.contains("default-src 'none'") && policy.contains("script-src 'self';"))
      #expect(!policy.contains("unsafe"))
      #expect(String(buffer: answer.body).contains("Sealring") || type == "text/css")
    }
  }

  @Test func `the page contains no script or style of its own, which its policy would stop`() {
    let page = String(decoding: PackageResources.index_html, as: UTF8.self)
    #expect(!page.contains("style=") && !page.contains("<style") && !page.contains("onclick"))
    #expect(
      page.components(separatedBy: "<script").count == 2 && page.contains(#"<script src="sealring.js""#))
    let script = String(decoding: PackageResources.sealring_js, as: UTF8.self)
    for forbidden in ["eval(", "innerHTML", "new Function", "document.write"] {
      #expect(!script.contains(forbidden))
    }
  }

  @Test func `without its last slash the page is elsewhere, other names are nowhere, and it is only read`()
    async throws
  {
    try await LocalServer.run { server in
      let moved = try await server.client.executeRequest(
        uri: "/am/XUI?realm=/alpha", method: .get, headers: [:], body: nil)
      #expect(moved.status == .found && moved.headers[.location] == "/am/XUI/?realm=/alpha")
      #expect(try await server.call(.get, "/am/XUI/other.js").status == 404)
      #expect(try await server.call(.get, "/am/XUI/a/b").status == 404)
      #expect(try await server.call(.post, "/am/XUI/", body: [:]).status == 405)
    }
  }
}
