import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import JourneyEngine
import SecurityEvents
import StrictJSON
import Testing

@testable import JourneyFiles
@testable import JourneyServer
@testable import Operations
@testable import ServerHTTP

@Suite("Journeys on the pages of the administration") struct AdministrationJourneysTests {
  private static func of(_ page: String) -> String { AdministrationTests.of(page) }

  @Test func `connections have their counts, and a journey of 300 nodes is drawn`() async throws {
    try await LocalServer.run { server in
      _ = try await server.signIn("ada")
      await server.server.activity.store(everything: true)
      let reader = try await PageReader.administrator(server)
      let page = try await reader.get(Self.of("/am/admin/journeys/Login?zoom=50"))
      #expect(page.contains("<title>true 1</title>") && page.contains("<title>false 0</title>"))
      let whole = try await reader.get(Self.of("/am/admin/journeys/Login?zoom=100"))
      #expect(page.html != whole.html)
      #expect(try await reader.get(Self.of("/am/admin/journeys/Login?zoom=9999999999999")).status == 200)
      #expect(try await reader.get(Self.of("/am/admin/journeys/Nothing")).status == 404)

      let large = Self.chain(300, name: "Large")
      let live = try await Self.upload(String(decoding: large.serialized, as: UTF8.self), reader)
      #expect(live.status == 303)
      let drawn = try await reader.get(Self.of("/am/admin/journeys/Large"))
      #expect(drawn.html.matches(of: /class="box node/).count == 300)
    }
  }

  private static func chain(_ count: Int, name: String, first: String = "n0") -> JSONObject {
    var nodes: [String: TestJourneys.Node] = [:]
    for index in 0..<count {
      nodes["n\(index)"] = TestJourneys.Node(
        type: "PasswordCollectorNode",
        connections: ["outcome": index + 1 < count ? "n\(index + 1)" : TestJourneys.success])
    }
    return TestJourneys.file(name, entry: first, nodes: nodes)
  }

  /// Compares, then puts live what was compared.
  private static func upload(_ export: String, _ reader: PageReader) async throws -> ReadPage {
    let review = try await reader.submit(of("/am/admin/upload"), ["export": export, "do": "check"])
    let base = try #require(review.field("base"))
    let token = try #require(review.field("token"))
    return try await reader.post(
      of("/am/admin/upload"), token: token, ["export": export, "base": base, "do": "live"])
  }

  @Test func `an upload shows its differences first, and is live after the second form only`() async throws {
    let recorder = EventRecorder()
    try await LocalServer.run {
      $0.eventSink = recorder
    } body: { server in
      let reader = try await PageReader.administrator(server)
      let path = Self.of("/am/admin/upload")
      var changed = TestJourneys.twoSteps
      let text = String(decoding: changed.serialized, as: UTF8.self).replacing(
        "\"more\":{\"connections\":{\"outcome\":\"\(TestJourneys.success)\"}",
        with: "\"more\":{\"connections\":{\"outcome\":\"\(TestJourneys.failure)\"}")
      changed = try JSONObject(parsing: Array(text.utf8))
      try #require(changed != TestJourneys.twoSteps)
      let export = String(decoding: changed.serialized, as: UTF8.self)
      let review = try await reader.submit(path, ["export": export, "do": "check"])
      #expect(review.status == 200 && review.contains("connections.outcome"))
      #expect(review.contains("TwoSteps.journey.json"))
      #expect(server.server.catalog.document(journey: "TwoSteps", realm: "alpha") == TestJourneys.twoSteps)
      // Live without having looked, or at something else than was looked at.
      let token = try #require(review.field("token"))
      let bases = [nil, "x", review.field("base")]
      for base in bases {
        var fields = ["export": export + (base?.count == 1 ? "" : " "), "do": "live"]
        fields["base"] = base
        let answer = try await reader.post(path, token: token, fields)
        #expect(answer.contains("Look at the differences again"))
      }
      #expect(recorder.all(.journeyChanged).isEmpty)
      #expect(try await Self.upload(export, reader).status == 303)
      #expect(server.server.catalog.document(journey: "TwoSteps", realm: "alpha") == changed)
      let event = try #require(recorder.all(.journeyChanged).first)
      #expect(event.journey == "TwoSteps" && event.actor == "amAdmin@root")
    }
  }

  @Test func `what the server would not load is refused with the reason, and changes nothing`() async throws {
    try await LocalServer.run { server in
      let reader = try await PageReader.administrator(server)
      for (export, word) in [
        ("", "id=\"problem\""), ("<html>", "id=\"problem\""), ("{}", "id=\"problem\""),
        (String(decoding: Self.chain(1, name: "J", first: "gone").serialized, as: UTF8.self), "entryNodeId"),
      ] {
        let page = try await reader.submit(
          Self.of("/am/admin/upload"), ["export": export, "do": "check"])
        #expect(page.status == 200 && page.contains(word), "\(export.prefix(40))")
        #expect(!page.contains("id=\"live\""))
      }
      // A name that is a path stays in the folder.
      let hostile = Self.chain(1, name: "../../escape/<b>")
      let live = try await Self.upload(String(decoding: hostile.serialized, as: UTF8.self), reader)
      #expect(live.status == 303)
      #expect(
        server.server.catalog.document(journey: "../../escape/<b>", realm: "alpha") != nil)
      let folder = try #require(server.server.configuration.journeysDirectory)
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "alpha").path)
      #expect(files.contains { $0.contains("escape") && !$0.contains("/") })
      #expect(try await reader.get(Self.of("/am/admin/journeys")).contains("&lt;b&gt;"))
    }
  }

  @Test func `one bad journey does not stop the others of an upload, unless it would take a live one away`()
    async throws
  {
    try await LocalServer.run { server in
      let reader = try await PageReader.administrator(server)
      func file(_ bad: String) -> String {
        let trees: JSONObject = [
          "Good": .object(Self.chain(1, name: "Good")),
          "Bad": .object(Self.chain(1, name: bad, first: "gone")),
          "Doubtful": .object(TestJourneys.wrongProperty),
        ]
        return JSONValue.object(["trees": .object(trees)]).text
      }
      let live = try await reader.submit(
        Self.of("/am/admin/upload"), ["export": file("Login"), "do": "check"])
      #expect(live.contains("id=\"problem\"") && !live.contains("id=\"live\""))
      let new = try await reader.submit(Self.of("/am/admin/upload"), ["export": file("New"), "do": "check"])
      #expect(new.contains("id=\"live\""))
      // What is left out and what fails when it is reached is said before anything is live.
      #expect(new.contains("entryNodeId") && new.contains("authLevelIncrement"))
      #expect(try await Self.upload(file("New"), reader).status == 303)
      let names = server.server.catalog.summaries(realm: "alpha").map(\.name)
      #expect(names.contains("Good") && names.contains("Wrong") && !names.contains("New"))
    }
  }

  @Test func `without a folder of journeys there is a sentence in place of the form`() async throws {
    try await LocalServer.run {
      $0.journeysDirectory = nil
      $0.bundledJourneys = .everywhere
    } body: { server in
      let reader = PageReader(
        server,
        token: try await server.call(
          .post, "\(LocalServer.root)/authenticate", body: [:],
          headers: [
            "X-OpenAM-Username": "amAdmin", "X-OpenAM-Password": LocalServer.administratorPassword,
          ])["tokenId"]?.stringValue)
      let page = try await reader.get(Self.of("/am/admin/upload"))
      #expect(page.contains("Start it with --journeys DIR") && !page.contains("uploadForm"))
      let answer = try await reader.submit(Self.of("/am/admin/upload"), ["export": "{}", "do": "live"])
      #expect(answer.contains("Start it with --journeys DIR"))
    }
  }
}
