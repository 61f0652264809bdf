import AuthorizationPolicies
import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import JourneyEngine
import Logging
import StrictJSON
import Testing

@testable import Assembly
@testable import JourneyFiles
@testable import Operations
@testable import ServerHTTP

@Suite("Policies beside the journeys") struct PolicyFolderTests {
  private static func file(_ isAllowed: String) -> String {
    """
    {"policyset": {"shop": {"name": "shop"}}, "policy": {"read": {"name": "read", "applicationName": "shop",
      "resources": ["*"], "actionValues": {"GET": \(isAllowed)}, "subject": {"type": "AuthenticatedUsers"}}}}
    """
  }

  private func write(_ text: String, to name: String, in folder: URL) throws {
    let place = folder.appending(path: name)
    try FileManager.default.createDirectory(
      at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: place)
  }

  private func answer(_ policies: PolicyFolder, realm: String = "alpha") throws -> [String: Bool]? {
    var budget = PolicyBudget()
    let request = PolicyRequest(
      requester: .init(account: ["_id": "1", "userName": "ada"]), application: "shop", resources: ["x"],
      realm: realm, now: LocalServer.morning)
    return try policies.policies(realm: realm).evaluate(request, &budget).first?.actions
  }

  @Test func `each realm has its own, and a realm without files has none`() throws {
    let folder = TemporaryFolder()
    try write(Self.file("true"), to: "alpha/shop.policyset.authz.json", in: folder.url)
    try write(Self.file("false"), to: "bravo/shop.policyset.authz.json", in: folder.url)
    try write("not read", to: "bravo/notes.json", in: folder.url)
    let policies = try PolicyFolder(folder.url, logger: Logger(label: "test"))
    #expect(try answer(policies) == ["GET": true])
    #expect(try answer(policies, realm: "bravo") == ["GET": false])
    #expect(throws: PolicyRequestError.self) { try answer(policies, realm: "root") }
    #expect(throws: PolicyRequestError.self) {
      try answer(try PolicyFolder(nil, logger: Logger(label: "test")))
    }
    withExtendedLifetime(folder) {}
  }

  @Test func `a changed file is loaded again, and one that does not load leaves all as they were`() throws {
    let (folder, lines) = (TemporaryFolder(), Locked<[String]>([]))
    try write(Self.file("true"), to: "alpha/shop.policyset.authz.json", in: folder.url)
    let policies = try PolicyFolder(
      folder.url, logger: Logger(label: "test") { _ in LogRecorder(lines: lines) })
    try write(Self.file("false"), to: "alpha/shop.policyset.authz.json", in: folder.url)
    policies.reload()
    #expect(try answer(policies) == ["GET": false])
    try write(Self.file("\"yes\""), to: "alpha/shop.policyset.authz.json", in: folder.url)
    policies.reload()
    #expect(try answer(policies) == ["GET": false])
    #expect(lines.withLock { $0 }.contains { $0.contains("shop.policyset.authz.json") && $0.contains("GET") })
    withExtendedLifetime(folder) {}
  }

  @Test func `a server does not start without a denial that it should have`() async throws {
    let folder = TemporaryFolder()
    try write(Self.file("\"no\""), to: "alpha/shop.policyset.authz.json", in: folder.url)
    var configuration = LocalServer.configuration()
    configuration.journeysDirectory = folder.url
    let error = await #expect(throws: ServerSetupError.self) {
      _ = try await SealringServer.make(configuration)
    }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains("shop.policyset.authz.json") && text.contains(#""read": actionValues.GET"#))
    withExtendedLifetime(folder) {}
  }

  /// Runs with a real worker: the `sealring` that was built with these tests.
  @Test func `a journey's script is answered by the policies beside the journey`() async throws {
    let folder = TemporaryFolder()
    var journey = TestJourneys.file(
      "Pay", entry: "name",
      nodes: [
        "name": TestJourneys.Node(type: "UsernameCollectorNode", connections: ["outcome": "decide"]),
        "decide": TestJourneys.Node(
          type: "ScriptedDecisionNode",
          connections: ["true": TestJourneys.success, "false": TestJourneys.failure],
          properties: ["script": "s", "outcomes": ["true", "false"]]),
      ])
    journey["scripts"] = [
      "s": [
        "_id": "s", "name": "Decide", "language": "JAVASCRIPT", "evaluatorVersion": "2.0",
        "script": [
          "const [d] = policy.evaluate(nodeState.get('username'), 'shop', 'x', {});",
          "action.goTo(d.actions.get('GET') === true ? 'true' : 'false');",
        ],
      ]
    ]
    try write(
      String(decoding: journey.serialized, as: UTF8.self), to: "alpha/Pay.journey.json", in: folder.url)
    try write(Self.file("true"), to: "alpha/shop.policyset.authz.json", in: folder.url)
    try await LocalServer.run {
      $0.journeysDirectory = folder.url
      $0.scripts.program = BuiltProgram.path("ScriptHost")
    } body: { server in
      func signIn(_ name: String) async throws -> Answer {
        try await server.call(
          .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: server.start("Pay"), name))
      }
      #expect(try await signIn("ada")["tokenId"]?.stringValue?.isEmpty == false)
      #expect(try await signIn("zoe").status == 401)
      try write(Self.file("false"), to: "alpha/shop.policyset.authz.json", in: folder.url)
      await server.server.realms.reloadNow()
      #expect(try await signIn("ada").status == 401)
    }
    withExtendedLifetime(folder) {}
  }
}
