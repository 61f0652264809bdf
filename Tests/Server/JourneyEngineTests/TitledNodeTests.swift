import JourneyEngine
import StrictJSON
import Testing

/// Texts around the callbacks, and words at the end, that a node gives.
private struct Speaker: TitledNode {
  let outcomes = ["outcome"]

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard context.reply != nil else {
      context.notes["title"] = "Hello"
      context.state.failureMessage = "Come back tomorrow"
      return .callbacks([OutgoingCallback(type: "NameCallback", outputs: [], inputs: [.init("", "")])])
    }
    return .outcome("outcome")
  }

  func texts(notes: JSONObject) -> StepTexts {
    StepTexts(header: notes["title"]?.stringValue, description: "Text", stage: "stage")
  }
}

@Suite struct TitledNodeTests {
  private let registry = NodeRegistry(["Speaker": { _ in Speaker() }])

  @Test func `a node's own texts stand in its step, and its words in the failure of a later request`()
    async throws
  {
    let fixture = try Fixture(
      journeyFile([FileNode("a", "Speaker", ["outcome": .string(failure)])]), registry: registry)
    let step = try await fixture.firstStep()
    #expect(step.header == "Hello" && step.description == "Text" && step.stage == "stage")
    let end = try await fixture.failure(fixture.answer(step, [posted("IDToken1", "ada")]))
    #expect(end.message == "Come back tomorrow")
  }

  @Test func `a page's texts win over those of its nodes`() async throws {
    let fixture = try Fixture(
      journeyFile(
        [
          FileNode(
            "page", "PageNode", ["outcome": .string(success)],
            [
              "nodes": [["_id": "a", "nodeType": "Speaker", "displayName": "A"]],
              "pageHeader": ["en": "Page"],
            ])
        ], inner: [FileNode("a", "Speaker", [:])]), registry: registry)
    let step = try await fixture.firstStep()
    #expect(step.header == "Page" && step.description == nil)
  }

  @Test func `session properties come out with a success`() async throws {
    var state = JourneyState()
    state.sessionProperties = ["a": "b"]
    #expect(state.secure.count == 1 && state.shared.isEmpty && state.transient.isEmpty)
    state.sessionProperties = [:]
    #expect(state.secure.isEmpty)
  }
}
