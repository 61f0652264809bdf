import HTTPTypes
import StrictJSON
import Testing

@testable import ServerHTTP

@Suite("What the overview's plots ask for while somebody looks at them") struct LivePlotsTests {
  private static func ask(
    _ reader: PageReader, after mark: String?, realm: String = "/alpha"
  ) async throws -> (status: Int, json: JSONValue) {
    let path = "/am/admin/plots?realm=\(realm)&span=hour" + (mark.map { "&after=\($0)" } ?? "")
    let answer = try await reader.get(path, headers: ["Accept": "*/*"])
    return (answer.status, (try? JSONValue(parsing: Array(answer.html.utf8))) ?? .null)
  }

  private static func versions(_ page: ReadPage) -> [String] {
    page.html.matches(of: /<figure class="card" data-version="([^"]*)"/).map { String($0.1) }
  }

  @Test func `it gets nothing but the mark while nothing changes, and else the plots as they are now`()
    async throws
  {
    try await LocalServer.run { server in
      let reader = try await PageReader.administrator(server)
      let page = try await reader.get("/am/admin/?realm=/alpha&span=hour")
      let mark = String(try #require(page.html.firstMatch(of: /data-mark="([^"]*)"/)).1)
      let before = Self.versions(page)
      #expect(before.count == 4 && mark == before.joined(separator: "-"))
      #expect(page.contains("data-every=\"15\"") && page.contains("assets/plots.js"))
      #expect(
        page.contains("data-live=\"../admin/plots?span=hour&amp;realm=%2Falpha\""),
        "\(page.html.prefix(4000))")

      let step = try await server.start()
      _ = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, "ada", "wrong"))
      let news = try await Self.ask(reader, after: mark).json
      let plots = news["plots"]?.arrayValue ?? []
      let after = plots.compactMap { $0["version"]?.stringValue }
      #expect(after.count == 4 && news["mark"]?.stringValue == after.joined(separator: "-"))
      #expect(after[0] != before[0] && plots[0]["legend"]?[1]?["total"] == "1")
      #expect(plots[0]["bars"]?[0]?["hover"]?.stringValue?.isEmpty == false)
      // The page that is loaded now has the same.
      #expect(
        Self.versions(try await reader.get("/am/admin/?realm=/alpha&span=hour")).prefix(3)
          == after.prefix(3))
    }
  }

  @Test func `what has not changed is not sent again`() async throws {
    try await LocalServer.run { server in
      let reader = try await PageReader.administrator(server)
      let first = try await Self.ask(reader, after: nil).json
      #expect(first["plots"]?.arrayValue?.count == 4)
      let mark = try #require(first["mark"]?.stringValue)
      // The load is among the plots, and asking does not add to it.
      for _ in 1...3 {
        #expect(try await Self.ask(reader, after: mark).json == ["mark": .string(mark)])
      }
      for odd in ["", "x", String(repeating: "a", count: 2000)] {
        #expect(try await Self.ask(reader, after: odd).json["plots"]?.arrayValue?.count == 4)
      }
    }
  }

  @Test func `it is for administrators of the realm, and says so when the session has ended`() async throws {
    try await LocalServer.run { server in
      #expect(try await Self.ask(PageReader(server, token: nil), after: nil).status == 401)
      let ada = try await PageReader.signedIn("ada", server)
      #expect(try await Self.ask(ada, after: nil).status == 403)
    }
  }
}
