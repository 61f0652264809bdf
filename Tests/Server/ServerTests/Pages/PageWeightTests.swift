import BindingFormats
import Bytes
import CommonFixtures
import EvidenceLedger
import Foundation
import HTTPTypes
import JourneyStore
import PageTemplates
import StrictJSON
import Testing

@testable import ServerHTTP

/// What a browser loads to show a page, all of it: the page, its styles, scripts and pictures, and what those load.
@Suite("What pages weigh") struct PageWeightTests {
  /// Bytes, as they are sent without compression.
  private static let most = 100_000

  private static let account = ["", "methods", "sessions", "activity", "signatures", "password", "codes"].map
  {
    "/am/account/\($0)?realm=/alpha"
  }

  private static let administration =
    [
      "", "users", "users/ada", "signins", "signins?name=ada", "journeys", "journeys/Login", "upload",
      "ledger", "devices",
    ]
    .map { AdministrationTests.of("/am/admin/\($0)") } + ["/am/admin/verify", "/am/admin/server"]

  @Test
  func
    `every page weighs less than 100 KB with everything that it loads, and has its words in every language`()
    async throws
  {
    try await LocalServer.run { server in
      try await fill(server)
      var table: [String] = []
      for language in pageLanguages {
        let ada = try await PageReader.signedIn("ada", server, language: language)
        let administrator = try await PageReader.administrator(server, language: language)
        // The sign-in page fetches its texts.
        let pages =
          [("/am/XUI/?realm=/alpha", PageReader(server, token: nil, language: language), ["texts"])]
          + Self.account.map { ($0, ada, []) } + Self.administration.map { ($0, administrator, []) }
        for (path, reader, fetched) in pages {
          let weight = try await Self.weight(of: path, fetched, reader)
          #expect(weight.all < Self.most, "\(path) in \(language)")
          #expect(weight.html.contains("<html lang=\"\(language)\">"), "\(path)")
          let names = weight.html.matches(of: /[a-zA-Z]+\.[a-zA-Z]+/).map { String($0.0) }
          #expect(names.filter(TextCatalog.english.has) == [], "texts that \(path) lacks in \(language)")
          #expect(weight.files >= 2, "\(path) loads nothing: what it loads was not found")
          let name = path.prefix { $0 != "?" } + (path.contains("name=") ? "?name=" : "")
          if language == "en" {
            table.append("| `\(name)` | \(weight.html.utf8.count) | \(weight.files) | \(weight.all) |")
          }
        }
      }
      if ProcessInfo.processInfo.environment["SEALRING_PAGE_WEIGHTS"] != nil {
        print(table.joined(separator: "\n"))
      }
    }
  }

  /// As much as a full page of each list has.
  private func fill(_ server: LocalServer) async throws {
    for index in 0..<30 {
      let step = try await server.start()
      _ = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate",
        body: LocalServer.reply(to: step, index % 2 == 0 ? "ada" : "somebody\(index)", "wrong"))
      server.clock.advance(by: 3600)
      _ = try await server.store.addBoundDevice(
        BoundDeviceRecord(
          uuid: "d\(index)", realm: "alpha", username: "ada", deviceID: "i", deviceName: "Laptop \(index)",
          key: ["kty": "EC"], thumbprint: "t\(index)", createdDate: server.clock.now,
          lastAccessDate: server.clock.now), limit: DeviceLimit(0))
      try await server.store.createUser(
        UserRecord(
          realm: "alpha", username: "user\(index)", mail: ["user\(index)@example.org"],
          createdAt: server.clock.now))
      _ = try await server.store.addEvidence(
        EvidenceRecord(
          kind: .sign, time: server.clock.now.millisecondsSince1970, realm: "alpha", journey: "SignIn",
          nodeID: "n", username: "ada", userID: "id=ada", device: "d\(index)", key: ["kty": "EC"],
          jws: "a.b.c"),
        once: OnceKey(key: Array("\(index)".utf8), expiry: .distantFuture))
    }
    // The wrong passwords have locked her out; she has no factor that the administrator's step-up could ask for.
    _ = try await server.store.unlock(of: UniversalID(username: "ada", realm: "alpha"))
  }

  private static func weight(
    of path: String, _ fetched: [String], _ reader: PageReader
  ) async throws -> (html: String, files: Int, all: Int) {
    let page = try await reader.get(path)
    #expect(page.status == 200, "\(path)")
    var (waiting, seen) = (
      try links(in: page.html, at: path) + fetched.map { try resolve($0, at: path) }, Set<String>()
    )
    var all = page.html.utf8.count
    while let next = waiting.popLast() {
      guard seen.insert(next).inserted else { continue }
      let file = try await reader.get(next)
      #expect(file.status == 200, "\(next) of \(path)")
      all += file.html.utf8.count
      waiting += try links(in: file.html, at: next)
    }
    return (page.html, seen.count, all)
  }

  /// What is loaded without a click: files of pages, modules that modules import, and files of styles.
  private static func links(in text: String, at path: String) throws -> [String] {
    let loaded =
      text.matches(of: /<link rel="stylesheet"[^>]*href="([^"]+)"/).map(\.1)
      + text.matches(of: /<(?:script|img)[^>]*\ssrc="([^"]+)"/).map(\.1)
      + text.matches(of: /(?m)^import [^;]*"(\.[^"]+)"/).map(\.1)
      + text.matches(of: /url\("?([^")]+)"?\)/).map(\.1)
    return try loaded.filter { !$0.hasPrefix("data:") && !$0.hasPrefix("#") }.map {
      try resolve($0.replacing("&amp;", with: "&"), at: path)
    }
  }

  private static func resolve(_ link: some StringProtocol, at path: String) throws -> String {
    let base = try #require(URL(string: "http://localhost\(path)"))
    let url = try #require(URL(string: String(link), relativeTo: base)?.absoluteURL)
    return url.path(percentEncoded: true) + (url.query(percentEncoded: true).map { "?\($0)" } ?? "")
  }
}
