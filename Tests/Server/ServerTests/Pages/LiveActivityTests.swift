import CommonFixtures
import Foundation
import HTTPTypes
import StrictJSON
import Testing

@testable import Assembly
@testable import Pages
@testable import ServerHTTP

@Suite("What a page asks for while somebody looks at it") struct LiveActivityTests {
  private static let page = "/am/admin/signins?realm=/alpha"

  private static func refuse(_ name: String, _ server: LocalServer) async throws {
    let step = try await server.start()
    _ = try await server.call(
      .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, name, "wrong"))
  }

  private static func ask(
    _ reader: PageReader, after mark: String?, name: String? = nil, realm: String = "/alpha"
  ) async throws -> (status: Int, json: JSONValue) {
    var query = "realm=\(realm)"
    if let mark {
      query += "&after=\(mark.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
    }
    if let name { query += "&name=\(name)" }
    let answer = try await reader.get("/am/admin/activity?\(query)", headers: ["Accept": "*/*"])
    return (answer.status, (try? JSONValue(parsing: Array(answer.html.utf8))) ?? .null)
  }

  private static func mark(_ page: ReadPage) throws -> String {
    String(try #require(page.html.firstMatch(of: /data-mark="([^"]*)"/)).1)
  }

  @Test func `it gets what is new or has gone on since its mark, once, and else nothing but the mark`()
    async throws
  {
    try await LocalServer.run { server in
      let reader = try await PageReader.administrator(server)
      try await Self.refuse("ada", server)
      let page = try await reader.get(Self.page)
      #expect(
        page.contains("data-live=\"../admin/activity?realm=%2Falpha\"") && page.contains("id=\"again\""))
      let first = try Self.mark(page)
      let none = try await Self.ask(reader, after: first)
      #expect(none.status == 200 && none.json == ["mark": .string(first)])

      // Later than what could come late.
      server.clock.advance(by: 120)
      let step = try await server.start()
      let open = try await Self.ask(reader, after: first).json
      // What could have come late comes again; the page recognises it by its version.
      #expect(open["attempts"]?.arrayValue?.map { $0["state"] } == ["Not finished", "Refused"])
      let second = try #require(open["mark"]?.stringValue)
      server.clock.advance(by: 3)
      _ = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, "bob", "wrong"))
      let ended = try await Self.ask(reader, after: second).json["attempts"]?.arrayValue ?? []
      #expect(ended.map { $0["account"] } == ["bob"] && ended[0]["state"] == "Refused")
      #expect(ended[0]["run"] == open["attempts"]?[0]?["run"], "it is the same run")
      #expect(ended[0]["version"] != open["attempts"]?[0]?["version"], "and has gone on")
      #expect(ended[0]["attemptLink"]?.stringValue?.hasPrefix("../admin/signins/") == true)
    }
  }

  @Test func `whatever the mark is, it never gets more than a page has`() async throws {
    try await LocalServer.run { server in
      let reader = try await PageReader.administrator(server)
      for index in 0..<AdministrationSignIns.pageSize + 5 {
        try await Self.refuse("somebody\(index)", server)
      }
      let good = try Self.mark(try await reader.get(Self.page))
      for mark in [
        nil, "", "x", "0-", "-1-0123456789abcdef", "0-0123456789ABCDEF",
        "9223372036854775808-0123456789abcdef",
        "\(good)x", "\(good)-", String(repeating: "0", count: 5000), "0-0123456789abcdef", "'; DROP--",
      ] {
        server.clock.advance(by: 5)
        let answer = try await Self.ask(reader, after: mark)
        #expect(answer.status == 200, "\(mark ?? "none")")
        #expect(
          answer.json["attempts"]?.arrayValue?.count == AdministrationSignIns.pageSize, "\(mark ?? "none")")
        #expect(answer.json["mark"]?.stringValue == good)
      }
      // A mark of the future is no reason to show anything.
      let late = try await Self.ask(reader, after: "9007199254740991-0123456789abcdef")
      #expect(late.json["attempts"] == [])
    }
  }

  @Test func `others get nothing, and whoever's session has ended is told so without a page`() async throws {
    try await LocalServer.run {
      $0.sessionIdleTime = 300
    } body: { server in
      try await Self.refuse("ada", server)
      let (nobody, bob) = (PageReader(server, token: nil), try await PageReader.signedIn("bob", server))
      #expect(try await Self.ask(nobody, after: nil).status == 401)
      #expect(try await Self.ask(bob, after: nil).status == 403)
      #expect(try await Self.ask(bob, after: nil, realm: "/").status == 401)
      let reader = try await PageReader.administrator(server)
      #expect(try await Self.ask(reader, after: nil, realm: "/nowhere").status == 404)
      // A page that stays open on an empty desk does not keep its session alive.
      var statuses: [Int] = []
      for _ in 0..<5 {
        statuses.append(try await Self.ask(reader, after: nil).status)
        server.clock.advance(by: 100)
      }
      #expect(statuses.first == 200 && statuses.last == 401, "\(statuses)")
      #expect(try await reader.get(Self.page).contains("id=\"asRoot\""), "the page itself asks who signs in")
    }
  }

  @Test func `for a name it also gets what the server knows of it, and another realm's runs never`()
    async throws
  {
    try await LocalServer.run { server in
      let reader = try await PageReader.administrator(server)
      let page = try await reader.get("\(Self.page)&name=ada")
      #expect(page.contains("data-live=\"../admin/activity?name=ada&amp;realm=%2Falpha\""))
      let mark = try Self.mark(page)
      server.clock.advance(by: 5)
      try await Self.refuse("bob", server)
      #expect(try await Self.ask(reader, after: mark, name: "ada").json["attempts"] == nil)
      server.clock.advance(by: 5)
      try await Self.refuse("ada", server)
      let news = try await Self.ask(reader, after: mark, name: "ada").json
      #expect(news["attempts"]?.arrayValue?.map { $0["account"] } == ["ada"])
      #expect(news["findings"]?[0]?["isBad"] == true)
      #expect(
        try await Self.ask(reader, after: nil, realm: "/").json["attempts"]?.arrayValue?.contains {
          $0["account"] == "ada"
        } == false)
    }
  }

  @Test func `a name that is markup arrives as text, in an answer that no browser takes for a page`()
    async throws
  {
    try await LocalServer.run { server in
      try await Self.refuse("<img src=x onerror=alert(1)>", server)
      let reader = try await PageReader.administrator(server)
      let answer = try await reader.get("/am/admin/activity?realm=/alpha", headers: ["Accept": "*/*"])
      #expect(answer.headers[.contentType]?.hasPrefix("application/json") == true)
      #expect(answer.headers[try #require(HTTPField.Name("X-Content-Type-Options"))] == "nosniff")
      #expect(answer.headers[.cacheControl] == "no-store")
      let link = try JSONValue(parsing: Array(answer.html.utf8))["attempts"]?[0]?["accountLink"]?.stringValue
      #expect(link?.hasPrefix("../admin/signins?name=%3Cimg") == true)
    }
  }

  @Test func `without scripts the page has a link to load it again, and earlier pages do not change`()
    async throws
  {
    try await LocalServer.run { server in
      try await Self.refuse("ada", server)
      let reader = try await PageReader.administrator(server)
      let page = try await reader.get(Self.page)
      #expect(page.contains("<button type=\"button\" class=\"quiet small\" id=\"livePause\" hidden>"))
      #expect(page.contains("Load the page again</a>"))
      let earlier = try await reader.get("\(Self.page)&before=\(server.clock.now.timeIntervalSince1970 + 60)")
      #expect(
        earlier.contains("id=\"attempts\"") && !earlier.contains("activity.js")
          && !earlier.contains("data-live"))
      let script = try await reader.get("/am/assets/activity.js")
      #expect(script.headers[.contentType]?.hasPrefix("text/javascript") == true)
      for sink in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("] {
        #expect(!script.contains(sink), "\(sink)")
      }
    }
  }
}
