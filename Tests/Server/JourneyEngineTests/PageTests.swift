import JourneyEngine
import StrictJSON
import Testing

@Suite("Page nodes")
struct PageTests {
  /// Poll (read-only), name, and a device callback whose node has two outcomes.
  private static func file(
    accept: JSONValue = .null, stage: JSONValue = "Sign", header: JSONValue = ["en": "Hi", "de": "Hallo"]
  )
    -> JSONObject
  {
    journeyFile(
      [
        FileNode(
          "p", "PageNode", ["success": .string(success), "failure": .string(failure)],
          [
            "nodes": [
              ["_id": "poll", "nodeType": "Ask", "displayName": ""],
              ["_id": "name", "nodeType": "Ask", "displayName": ""],
              ["_id": "device", "nodeType": "Ask", "displayName": ""],
            ], "pageHeader": header, "pageDescription": [:], "stage": stage,
          ])
      ],
      inner: [
        FileNode("poll", "Ask", [:], ["callbacks": [["PollingWaitCallback"]]]),
        FileNode("name", "Ask", [:], ["accept": accept]),
        FileNode(
          "device", "Ask", [:],
          [
            "callbacks": [["DeviceBindingCallback", "jws", "clientError"]],
            "outcomes": ["success", "failure"],
          ]),
      ])
  }

  private let answer: [JSONValue] = [
    posted("IDToken2", "ada"),
    [
      "type": "DeviceBindingCallback",
      "input": [["name": "IDToken3jws", "value": "x.y.z"], ["name": "IDToken3clientError", "value": ""]],
    ],
  ]

  @Test func `inputs are numbered over the whole page, read-only callbacks counted`() async throws {
    let step = try await Fixture(Self.file()).firstStep()
    #expect(
      step.callbacks.map { $0["type"] } == ["PollingWaitCallback", "NameCallback", "DeviceBindingCallback"])
    #expect(step.callbacks.map { $0["_id"] } == [0, 1, 2])
    #expect(step.callbacks[0]["input"] == nil)
    #expect(step.callbacks[1]["input"] == [["name": "IDToken2", "value": ""]])
    #expect(
      step.callbacks[2]["input"] == [
        ["name": "IDToken3jws", "value": ""], ["name": "IDToken3clientError", "value": ""],
      ])
    #expect(step.callbacks[1]["output"] == [["name": "prompt", "value": "?"]])
  }

  @Test func `header and stage are sent, an empty description is not`() async throws {
    let step = try await Fixture(Self.file()).firstStep()
    #expect(step.header == "Hallo")
    #expect(step.description == nil)
    #expect(step.stage == "Sign")
  }

  @Test(arguments: [.null, "", "null"] as [JSONValue])
  func `a page without stage has none, however the export writes it`(stage: JSONValue) async throws {
    #expect(try await Fixture(Self.file(stage: stage, header: [:])).firstStep().stage == nil)
  }

  @Test func `each inner node gets its own answers; the last one's outcome is the page's`() async throws {
    let fixture = try Fixture(Self.file())
    let end = try await fixture.success(fixture.answer(fixture.firstStep(), answer))
    #expect(end.state.shared["poll"] == [[:]])
    #expect(end.state.shared["name"] == [["": "ada"]])
    #expect(end.state.shared["device"] == [["jws": "x.y.z", "clientError": ""]])
  }

  @Test func `when one inner node asks again, the whole page is sent again and nothing else is kept`()
    async throws
  {
    let fixture = try Fixture(Self.file(accept: "eve"))
    let again = try await fixture.step(fixture.answer(fixture.firstStep(), answer))
    #expect(again.callbacks.map { $0["_id"] } == [0, 1, 2])
    var better = answer
    better[0] = posted("IDToken2", "eve")
    let end = try await fixture.success(fixture.answer(again, better))
    #expect(end.state.shared["leak"] == nil)
    #expect(end.username == "eve")
    #expect(end.state.shared["device"] != nil)
  }
}
