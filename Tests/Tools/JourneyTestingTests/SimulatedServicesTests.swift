import CommonFixtures
import Foundation
import JourneyTesting
import SealringTesting
import StrictJSON
import Testing

@Suite("Tests of journeys that ask services of others") struct SimulatedServicesTests {
  /// Asks for a name, then for signals, and signs in whom the service finds harmless.
  private static let journey: JSONObject = {
    let (success, failure) = ("70e691a5-1e33-4ac3-a356-e7b6d60d92e0", "e301438c-0bd0-429c-ab0c-66126501069a")
    return [
      "nodes": [
        "n": ["_id": "n", "_type": ["_id": "UsernameCollectorNode"]],
        "p": ["_id": "p", "_type": ["_id": "product-PingOneProtectEvaluationNode"]],
      ],
      "tree": [
        "_id": "Risky", "entryNodeId": "n",
        "nodes": [
          "n": ["connections": ["outcome": "p"], "nodeType": "UsernameCollectorNode", "displayName": "Name"],
          "p": [
            "connections": [
              "low": .string(success), "high": .string(failure), "clientError": .string(failure),
              "medium": .string(failure), "exceed": .string(failure), "failure": .string(failure),
            ], "nodeType": "product-PingOneProtectEvaluationNode", "displayName": "Risk",
          ],
        ],
      ],
    ]
  }()

  private static let file = """
    users: {mira: correct horse}
    journeys: Risky.journey.json
    simulate: {protect: low}
    tests:
      - name: harmless
        steps:
          - start: Risky
          - answer: [mira]
            expect: {callbacks: [PingOneProtectEvaluationCallback]}
          - answer: [{signals: collected}]
            expect: {outcome: success, user: mira, visited: ["Risk: low"]}
      - name: an app without the module
        steps:
          - start: Risky
          - answer: [mira]
          - answer: {PingOneProtectEvaluationCallback: {clientError: no SDK}}
            expect: {outcome: failure, visited: ["Risk: clientError"]}
      - name: dangerous
        simulate: {protect: high}
        steps:
          - start: Risky
          - answer: [mira]
          - answer: [{signals: collected}]
            expect: {outcome: failure, visited: ["Risk: high"]}
    """

  @Test func `a file chooses outcomes, a test its own, and answers as the app's module does`() async throws {
    let folder = try TemporaryFolder.make()
    try folder.write(Self.journey.serialized, to: "Risky.journey.json")
    try folder.write(Array(Self.file.utf8), to: "risky.yaml")
    let report = try await JourneyTests().run([folder.file("risky.yaml")])
    #expect(report.isSuccess, "\(report.text())")
    // Without a choice the node fails.
    let silent = Self.file.replacing("simulate: {protect: low}\n", with: "")
    try folder.write(Array(silent.utf8), to: "silent.yaml")
    let failing = try await JourneyTests(filter: "harmless").run([folder.file("silent.yaml")])
    #expect(!failing.isSuccess)
    #expect(failing.text().contains("--simulate protect="), "\(failing.text())")
    // An answer that the callback does not take says what it does.
    let wrong = Self.file.replacing("{signals: collected}", with: "{signal: collected}")
    try folder.write(Array(wrong.utf8), to: "wrong.yaml")
    let told = try await JourneyTests(filter: "harmless").run([folder.file("wrong.yaml")])
    #expect(told.text().contains("has no input signal;"), "\(told.text())")
  }

  @Test func `an app's own tests choose outcomes, too`() async throws {
    try await TestServer.run(simulating: ["protect=low", "captcha=true"]) { server in
      #expect(server.log.lines.allSatisfy { !$0.contains("refused") })
    }
    await #expect(throws: (any Error).self) {
      try await TestServer.run(simulating: ["protect=great"]) { _ in }
    }
  }

  @Test func `node types beside one export come along, with their scripts`() throws {
    let folder = try TemporaryFolder.make()
    try folder.write(Self.journey.serialized, to: "in/Risky.json")
    try folder.write(
      Array(#"{"nodeTypes": {"a-1": {"script": "file://a.nodeTypes.js"}}}"#.utf8), to: "in/a.nodeTypes.json")
    try folder.write(Array("1".utf8), to: "in/a.nodeTypes.js")
    for (number, source) in ["in/Risky.json", "in"].enumerated() {
      let target = folder.file("out\(number)")
      let place = try JourneyLayout.layOut(folder.file(source), realm: "alpha", in: target)
        .appending(path: "alpha")
      let names = try FileManager.default.contentsOfDirectory(atPath: place.path).sorted()
      #expect(names == ["Risky.journey.json", "a.nodeTypes.js", "a.nodeTypes.json"])
    }
  }
}
