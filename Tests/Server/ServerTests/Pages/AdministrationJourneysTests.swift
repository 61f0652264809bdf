import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import JourneyEngine
import JourneyStore
import SecurityEvents
import StrictJSON
import Testing

@testable import Assembly
@testable import JourneyFiles
@testable import Operations
@testable import Pages
@testable import ServerHTTP

@Suite("Journeys on the pages of the administration") struct AdministrationJourneysTests {
  private static func of(_ page: String) -> String { AdministrationTests.of(page) }

  @Test func `connections have their counts, and a journey of 300 nodes is drawn`() async throws {
    try await LocalServer.run { server in
      _ = try await server.signIn("ada")
      await server.server.activity.store(everything: true)
      let reader = try await PageReader.administrator(server)
      let page = try await reader.get(Self.of("/am/admin/journeys/Login?zoom=50"))
      #expect(page.contains("<title>true 1</title>") && page.contains("<title>false</title>"))
      #expect(!page.contains(" 0</title>"), "a connection that nobody took has no number")
      let whole = try await reader.get(Self.of("/am/admin/journeys/Login?zoom=100"))
      #expect(page.html != whole.html)
      // As wide as the page, unless a size is chosen.
      let fitting = try await reader.get(Self.of("/am/admin/journeys/Login"))
      #expect(fitting.contains("class=\"journey fit\"") && fitting.contains("aria-current=\"true\">Fit</a>"))
      #expect(!whole.contains("journey fit") && whole.contains("aria-current=\"true\">100 %</a>"))
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
  private static func upload(
    _ export: String, _ reader: PageReader, isCode: Bool = false
  ) async throws -> ReadPage {
    let review = try await reader.submit(of("/am/admin/upload"), ["export": export, "do": "check"])
    let base = try #require(review.field("base"))
    let token = try #require(review.field("token"))
    var fields = ["export": export, "base": base, "do": "live"]
    if isCode { fields["scripts"] = "read" }
    return try await reader.post(of("/am/admin/upload"), token: token, fields)
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

  /// A journey whose script decides.
  private static func scripted(_ source: String, template: String = "Hello") -> String {
    var file = TestJourneys.file(
      "Risk", entry: "s",
      nodes: [
        "s": TestJourneys.Node(
          type: "ScriptedDecisionNode",
          connections: ["low": TestJourneys.success, "high": TestJourneys.failure],
          properties: ["script": "risk", "outcomes": ["low", "high"], "inputs": ["*"], "outputs": ["*"]])
      ])
    file["scripts"] = [
      "risk": [
        "_id": "risk", "name": "Risk", "language": "JAVASCRIPT", "script": .string(source),
        "context": "AUTHENTICATION_TREE_DECISION_NODE",
      ]
    ]
    file["emailTemplates"] = ["reset": ["message": ["en": .string(template)]]]
    return String(decoding: file.serialized, as: UTF8.self)
  }

  @Test func `a changed script and mail template are shown by lines, asked for again, and in the event`()
    async throws
  {
    let recorder = EventRecorder()
    try await LocalServer.run {
      $0.eventSink = recorder
    } body: { server in
      let reader = try await PageReader.administrator(server)
      let first = Self.scripted("action.goTo(measured);")
      #expect(try await Self.upload(first, reader, isCode: true).status == 303)
      let path = Self.of("/am/admin/upload")
      let changed = Self.scripted("action.goTo('low');", template: "Come to evil.example")
      let review = try await reader.submit(path, ["export": changed, "do": "check"])
      #expect(!review.contains("No difference"))
      for text in ["action.goTo(measured)", "goTo(&#39;low&#39;)", "evil.example", "SHA-256 after"] {
        #expect(review.contains(text), "\(text)")
      }
      let fields = [
        "export": changed, "base": try #require(review.field("base")), "do": "live",
      ]
      let token = try #require(review.field("token"))
      let again = try await reader.post(path, token: token, fields)
      #expect(again.status == 200 && again.contains("Read the lines below once more"))
      #expect(recorder.all(.journeyChanged).count == 1)
      let live = try await reader.post(
        path, token: token, fields.merging(["scripts": "read"]) { own, _ in own })
      #expect(live.status == 303)
      let detail = try #require(recorder.all(.journeyChanged).last).detail
      #expect(detail["counts"] == ["mail template": 1, "script": 1] && detail["changes"] == 2)
      #expect(detail["before"]?.stringValue?.count == 64 && detail["before"] != detail["after"])
      #expect(detail["parts"]?[0]?["kind"] == "script" && detail["parts"]?[0]?["linesAdded"] == 1)
      let listed = try await server.call(
        .get,
        "\(LocalServer.alpha)/realm-config/authentication/authenticationtrees/trees?_queryFilter=true",
        token: try await server.signInAdministrator())
      let journey = listed["result"]?.arrayValue?.first { $0["_id"] == "Risk" }
      #expect(journey?["hash"] == detail["after"])
    }
  }

  @Test func `journeys that share the script of an upload are shown, too`() async throws {
    let recorder = EventRecorder()
    try await LocalServer.run {
      $0.eventSink = recorder
    } body: { server in
      let reader = try await PageReader.administrator(server)
      #expect(try await Self.upload(Self.scripted("one"), reader, isCode: true).status == 303)
      var sharing = try JSONObject(parsing: Array(Self.scripted("one").utf8))
      var tree = sharing["tree"]?.objectValue ?? [:]
      tree["_id"] = "Sharing"
      sharing["tree"] = .object(tree)
      (sharing["scripts"], sharing["emailTemplates"]) = (nil, nil)
      let export = String(decoding: sharing.serialized, as: UTF8.self)
      #expect(try await Self.upload(export, reader, isCode: true).status == 303)
      let review = try await reader.submit(
        Self.of("/am/admin/upload"), ["export": Self.scripted("two"), "do": "check"])
      #expect(review.contains("<bdi>Sharing</bdi>"))
      #expect(try await Self.upload(Self.scripted("two"), reader, isCode: true).status == 303)
      #expect(Set(recorder.all(.journeyChanged).suffix(2).compactMap(\.journey)) == ["Risk", "Sharing"])
    }
  }

  @Test func `an upload neither shows nor loads what has changed in the folder of another realm`()
    async throws
  {
    let recorder = EventRecorder()
    try await LocalServer.run {
      $0.eventSink = recorder
    } body: { server in
      let folder = try #require(server.server.configuration.journeysDirectory)
      for (realm, name) in [("root", "secret of root"), ("alpha", "of this realm")] {
        let file = folder.appending(path: "\(realm)/TwoSteps.journey.json")
        try Data(Self.changed(name).utf8).write(to: file)
      }
      func description(_ realm: String) -> String? {
        server.server.catalog.summaries(realm: realm).first { $0.name == "TwoSteps" }?.description
      }
      let reader = try await Self.administrator("bea", in: "alpha", server)
      let export = Self.scripted("one")
      let review = try await reader.submit(
        Self.of("/am/admin/upload"), ["export": export, "do": "check"])
      #expect(review.contains("of this realm") && !review.contains("secret of root"))
      #expect(try await Self.upload(export, reader, isCode: true).status == 303)
      #expect(description("alpha") == "of this realm" && description("root") == "")
      #expect(recorder.all(.journeyChanged).allSatisfy { $0.realm == "alpha" })
      // Nothing of the other realm is lost.
      await server.server.realms.reloadNow()
      #expect(description("root") == "secret of root")
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

  // MARK: Two administrators

  /// Another administrator of a realm.
  private static func administrator(_ name: String, in realm: String, _ server: LocalServer) async throws
    -> PageReader
  {
    let ada = try #require(try await server.store.user(named: "ada", realm: "alpha"))
    try await server.store.createUser(
      UserRecord(
        realm: realm, username: name, passwordHash: ada.passwordHash, createdAt: server.clock.now,
        roles: [.administrator]))
    let token = try await server.signIn(
      name, password: "ada-password", realm: realm == "root" ? LocalServer.root : LocalServer.alpha)
    return PageReader(server, token: token)
  }

  private static let waiting = "/am/admin/upload?realm=/alpha&waiting=TwoSteps.journey.json"

  /// TwoSteps with another end.
  private static func changed(_ property: String = "x") -> String {
    var file = TestJourneys.twoSteps
    var tree = file["tree"]?.objectValue ?? [:]
    tree["description"] = .string(property)
    file["tree"] = .object(tree)
    return String(decoding: file.serialized, as: UTF8.self)
  }

  /// Looks at what waits, and agrees.
  private static func agree(_ reader: PageReader, base: String? = nil) async throws -> ReadPage {
    let page = try await reader.get(waiting)
    return try await reader.post(
      of("/am/admin/upload"), token: page.field("token"),
      [
        "file": "TwoSteps.journey.json", "base": base ?? page.field("base") ?? "", "do": "agree",
      ])
  }

  private func twoOfThem(_ body: @Sendable (LocalServer, PageReader, EventRecorder) async throws -> Void)
    async throws
  {
    let recorder = EventRecorder()
    try await LocalServer.run {
      $0.eventSink = recorder
      $0.journeyReview = .two
    } body: { server in
      try await body(server, try await PageReader.administrator(server), recorder)
    }
  }

  private static func description(_ server: LocalServer) -> String? {
    server.server.catalog.summaries(realm: "alpha").first { $0.name == "TwoSteps" }?.description
  }

  @Test func `with two an upload waits until another administrator agrees, and both are in the event`()
    async throws
  {
    try await twoOfThem { server, first, recorder in
      #expect(try await Self.upload(Self.changed(), first).status == 303)
      #expect(Self.description(server) == "" && recorder.all(.journeyChanged).isEmpty)
      #expect(recorder.all(.journeyProposed).first?.actor == "amAdmin@root")
      // The same person, also by a form that the page does not show.
      #expect(try await Self.agree(first).contains("Another administrator has to agree"))
      #expect(Self.description(server) == "")
      // The overview counts it among what is open, and leads to it.
      func found() async throws -> (open: Int, page: ReadPage) {
        server.clock.advance(by: ServerFindings.interval)
        let open = try await first.get("/am/admin/?realm=/alpha").html
          .firstMatch(of: /<dt>Open findings<\/dt><dd>(?:<a href="[^"]*admin\/server[^"]*">)?(\d+)/)?.1
        return (try #require(open.flatMap { Int($0) }), try await first.get("/am/admin/server"))
      }
      let waits = try await found()
      #expect(waits.page.contains("waiting for a second administrator in realm alpha: 1"))
      #expect(waits.page.html.contains(/<a href="[^"]*admin\/upload[^"]*">Go to where this is put right/))
      let second = try await Self.administrator("bea", in: "alpha", server)
      #expect(try await second.get(Self.waiting).contains("amAdmin@root"))
      #expect(try await Self.agree(second).status == 303)
      #expect(Self.description(server) == "x")
      let agreed = try await found()
      #expect(agreed.open == waits.open - 1 && !agreed.page.contains("waiting for a second administrator"))
      let event = try #require(recorder.all(.journeyChanged).first)
      #expect(event.actor == "bea@alpha" && event.detail["uploadedBy"] == "amAdmin@root")
      #expect(event.detail["agreedBy"] == "bea@alpha" && event.detail["after"]?.stringValue?.count == 64)
      #expect(try await Self.agree(second).contains("does not wait any more"))
    }
  }

  @Test
  func `agreement is to what was seen: a replaced upload and a changed journey have to be looked at again`()
    async throws
  {
    try await twoOfThem { server, first, recorder in
      let second = try await Self.administrator("bea", in: "alpha", server)
      _ = try await Self.upload(Self.changed("seen"), first)
      let base = try #require(try await second.get(Self.waiting).field("base"))
      _ = try await Self.upload(Self.changed("other"), first)
      #expect(try await Self.agree(second, base: base).contains("Look at the differences again"))
      // What is live has changed since the first one looked.
      let folder = try #require(server.server.configuration.journeysDirectory)
      try Data(Self.changed("by file").utf8).write(
        to: folder.appending(path: "alpha/TwoSteps.journey.json"))
      await server.server.realms.reloadNow()
      #expect(try await Self.agree(second).contains("Look at the differences again"))
      #expect(Self.description(server) == "by file" && recorder.all(.journeyChanged).isEmpty)
    }
  }

  @Test func `administrators of another realm cannot agree, and of two at once one does`() async throws {
    try await twoOfThem { server, first, recorder in
      _ = try await Self.upload(Self.changed(), first)
      // One without the role.
      let nobody = try await PageReader.signedIn("bob", server)
      #expect(try await nobody.get(Self.waiting).status == 403)
      let others = try await [
        Self.administrator("bea", in: "alpha", server), Self.administrator("cleo", in: "root", server),
      ]
      async let one = Self.agree(others[0])
      async let two = Self.agree(others[1])
      let answers = try await [one, two]
      #expect(answers.filter { $0.status == 303 }.count == 1)
      #expect(recorder.all(.journeyChanged).count == 1)
    }
    try await twoOfThem { server, first, _ in
      // In the root realm, of which an administrator of alpha knows nothing.
      let path = "/am/admin/upload?realm=/"
      let review = try await first.submit(path, ["export": Self.changed(), "do": "check"])
      let token = try #require(review.field("token"))
      _ = try await first.post(
        path, token: token,
        ["export": Self.changed(), "base": try #require(review.field("base")), "do": "live"])
      let alpha = try await Self.administrator("bea", in: "alpha", server)
      let own = try #require(try await alpha.get(Self.of("/am/admin/upload")).field("token"))
      let answer = try await alpha.post(
        path, token: own, ["file": "TwoSteps.journey.json", "base": "x", "do": "agree"])
      // To sign in there, or refused: never done.
      #expect(answer.status == 403 || answer.location?.contains("/XUI/") == true, "\(answer.location ?? "")")
      let live = server.server.catalog.summaries(realm: "root").first { $0.name == "TwoSteps" }
      #expect(live?.description == "")
    }
  }

  /// The role is gone, or the account with it, or another account has its name by then.
  @Test(arguments: ["demoted", "inactive", "deleted", "another"])
  func `an upload goes live only while its administrator still has the role`(_ fate: String) async throws {
    try await twoOfThem { server, first, _ in
      let author = try await Self.administrator("bea", in: "alpha", server)
      _ = try await Self.upload(Self.changed(), author)
      let account = try #require(try await server.store.user(named: "bea", realm: "alpha"))
      switch fate {
      case "demoted":
        _ = try await server.store.changeRole(
          RoleChange(.administrator, isGrant: false, username: "bea", realm: "alpha"), by: nil)
      case "inactive":
        var change = UserChange(of: account)
        change.isActive = false
        _ = try await server.store.updateUser(change)
      default: _ = try await server.store.deleteUser(account.account)
      }
      if fate == "another" { _ = try await Self.administrator("bea", in: "alpha", server) }
      #expect(try await Self.agree(first).contains("may not put journeys live any more"))
      #expect(Self.description(server) == "")
    }
  }

  @Test func `what waits is there after a restart, is not loaded, and is withdrawn with an event`()
    async throws
  {
    let folder = try TemporaryFolder.make()
    let upload = WaitingUpload(
      file: "A.journey.json", export: Self.changed(), base: "b", administrator: "ada@root", accountID: "1",
      time: LocalServer.morning)
    try WaitingUploads(in: folder.url).put(upload, realm: "alpha")
    #expect(WaitingUploads(in: folder.url).all(realm: "alpha") == [upload])
    #expect(try JourneyFolder.contents(of: folder.url).isEmpty)
    var other = upload
    other.base = "c"
    #expect(!WaitingUploads(in: folder.url).take(other, realm: "alpha"))
    #expect(WaitingUploads(in: folder.url).take(upload, realm: "alpha"))
    #expect(!WaitingUploads(in: folder.url).take(upload, realm: "alpha"))

    try await twoOfThem { server, first, recorder in
      _ = try await Self.upload(Self.changed(), first)
      let page = try await first.get(Self.waiting)
      let answer = try await first.post(
        Self.of("/am/admin/upload"), token: page.field("token"),
        ["file": "TwoSteps.journey.json", "do": "withdraw"])
      #expect(answer.status == 303 && recorder.all(.journeyWithdrawn).count == 1)
      #expect(try await first.get(Self.waiting).contains("does not wait any more"))
    }
  }
}
