import JourneyEngine
import StrictJSON
import Testing

@Suite("Matching answers to callbacks")
struct ReplyMatchingTests {
  /// A name, a read-only text, a password, another name, a device callback.
  private static let file = journeyFile([
    FileNode(
      "a", "Ask", ["outcome": .string(success)],
      [
        "callbacks": [
          ["NameCallback", ""], ["TextOutputCallback"], ["PasswordCallback", ""], ["NameCallback", ""],
          ["DeviceSigningVerifierCallback", "jws", "clientError"],
        ]
      ])
  ])

  struct Reply: CustomTestStringConvertible {
    let testDescription: String
    let posted: [JSONValue]
    let expected: JSONValue

    init(_ title: String, _ posted: [JSONValue], _ expected: JSONValue) {
      testDescription = title
      self.posted = posted
      self.expected = expected
    }
  }

  private static func input(_ name: String, _ value: JSONValue) -> JSONValue {
    ["name": .string(name), "value": value]
  }

  static let replies: [Reply] = [
    Reply(
      "all by name, in another order",
      [
        posted("IDToken4", "d"), posted("IDToken3", "c", type: "PasswordCallback"), posted("IDToken1", "a"),
        [
          "type": "DeviceSigningVerifierCallback",
          "input": [input("IDToken5clientError", "Abort"), input("IDToken5jws", "j")],
        ],
      ], [["": "a"], [:], ["": "c"], ["": "d"], ["jws": "j", "clientError": "Abort"]]),
    Reply(
      "names count even when `_id` says otherwise", [posted("IDToken4", "d", id: 0)],
      [[:], [:], [:], ["": "d"], [:]]),
    Reply(
      "names count without a type", [posted("IDToken3", "c", type: nil)], [[:], [:], ["": "c"], [:], [:]]),
    Reply(
      "`_id` when the names say nothing", [posted("token", "d", id: 3), posted("", "a", id: 0)],
      [["": "a"], [:], [:], ["": "d"], [:]]),
    Reply(
      "`_id` when the name's place has another type", [posted("IDToken3", "d", id: 3)],
      [[:], [:], [:], ["": "d"], [:]]),
    Reply(
      "order of the type when there is neither",
      [posted("x", "a"), posted("y", "d"), posted("z", "c", type: "PasswordCallback")],
      [["": "a"], [:], ["": "c"], ["": "d"], [:]]),
    Reply(
      "order of the type skips what is answered by name", [posted("x", "d"), posted("IDToken1", "a")],
      [["": "a"], [:], [:], ["": "d"], [:]]),
    Reply(
      "suffixes alone",
      [
        [
          "type": "DeviceSigningVerifierCallback",
          "input": [input("clientError", "Abort"), input("jws", "")],
        ]
      ],
      [[:], [:], [:], [:], ["jws": "", "clientError": "Abort"]]),
    Reply(
      "inputs without names by their place",
      [["type": "DeviceSigningVerifierCallback", "input": [["value": "j"], ["value": "e"]]]],
      [[:], [:], [:], [:], ["jws": "j", "clientError": "e"]]),
    Reply(
      "callbacks that were not asked are ignored",
      [posted("IDToken9", "x", type: "MetadataCallback"), posted("IDToken1", "a")],
      [["": "a"], [:], [:], [:], [:]]),
    Reply(
      "echoed read-only callbacks are not an answer",
      [["type": "TextOutputCallback", "output": [], "_id": 1], posted("IDToken1", "a")],
      [["": "a"], [:], [:], [:], [:]]),
    Reply(
      "null is not an answer, an empty text is one", [posted("IDToken1", .null), posted("IDToken4", "")],
      [[:], [:], [:], ["": ""], [:]]),
    Reply(
      "numbers and booleans stay what they are", [posted("IDToken1", 7), posted("IDToken4", true)],
      [["": 7], [:], [:], ["": true], [:]]),
  ]

  @Test(arguments: replies)
  func `by input names, then by _id, then by order of type`(_ reply: Reply) async throws {
    let fixture = try Fixture(Self.file)
    let end = try await fixture.success(fixture.answer(fixture.firstStep(), reply.posted))
    #expect(end.state.shared["a"] == reply.expected)
  }

  @Test(arguments: [[], [["type": "TextOutputCallback"]], [posted("IDToken1", .null)]] as [[JSONValue]])
  func `without any answer the callbacks are sent again`(callbacks: [JSONValue]) async throws {
    let fixture = try Fixture(Self.file)
    let first = try await fixture.firstStep()
    let again = try await fixture.step(fixture.answer(first, callbacks))
    #expect(again.callbacks == first.callbacks)
    #expect(again.authID != first.authID)
    _ = try await fixture.success(fixture.answer(again, [posted("IDToken1", "a")]))
  }

  @Test func `a page that takes no input goes on without any`() async throws {
    let fixture = try Fixture(
      journeyFile([
        FileNode("a", "Ask", ["outcome": .string(success)], ["callbacks": [["TextOutputCallback"]]])
      ]))
    _ = try await fixture.success(fixture.answer(fixture.firstStep(), []))
  }

  static let malformed: [[JSONValue]] = [
    [1], ["IDToken1"], [["input": 1]], [["input": ["IDToken1"]]], [posted("IDToken1", ["a"])],
    [posted("IDToken1", ["a": 1])], [posted("IDToken1", "a"), posted("IDToken1", "b")],
    [["type": "NameCallback", "input": [input("IDToken1", "a"), input("IDToken1", "b")]]],
    [posted("IDToken1", .string(String(repeating: "x", count: 65_537)))],
    Array(repeating: posted("IDToken1", "a", type: "MetadataCallback"), count: 50),
    [["input": .array(Array(repeating: input("IDToken1", "a"), count: 65))]],
  ]

  @Test(arguments: malformed)
  func `what is not an answer is refused, and the step stays usable`(callbacks: [JSONValue]) async throws {
    let fixture = try Fixture(Self.file)
    let step = try await fixture.firstStep()
    #expect(await refusal { try await fixture.answer(step, callbacks) }?.isBadReply == true)
    _ = try await fixture.success(fixture.answer(step, [posted("IDToken1", "a")]))
  }

  // MARK: What was left out

  /// Asks, and notes which callbacks the client has left out.
  private struct Omissions: JourneyNode {
    let outcomes = ["outcome"]
    let types: [String]

    func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
      guard let reply = context.reply else {
        return .callbacks(
          types.map {
            OutgoingCallback(type: $0, outputs: [], inputs: $0 == "NameCallback" ? [.init("", "")] : [])
          })
      }
      let places = reply.omitted.sorted().map { JSONValue.integer(Int64($0)) }
      context.state.shared[context.nodeID] = [.array(places), .integer(Int64(reply.callbacks.count))]
      return .outcome("outcome")
    }
  }

  private static let registry = NodeRegistry([
    "Omissions": { Omissions(types: try $0.strings("types")) }
  ])
  private static let four = ["TextOutputCallback", "TextOutputCallback", "NameCallback", "NameCallback"]

  /// What of four callbacks comes back by its place, and what is missing. Echoed texts have no inputs.
  static let omissions: [(sent: [Int], missing: JSONValue)] = [
    ([0, 1, 2, 3], []), ([0, 2, 3], [1]), ([1, 2, 3], [0]), ([2, 3], [0, 1]), ([0, 1, 3], [2]),
    ([3], [0, 1, 2]),
  ]

  private static func back(_ places: [Int], from start: Int = 0) -> [JSONValue] {
    places.map { place in
      let id = Int64(start + place)
      return place > 1
        ? posted("IDToken\(id + 1)", "x", id: id) : ["type": "TextOutputCallback", "_id": .integer(id)]
    }
  }

  @Test(arguments: omissions)
  func `a node knows what was left out, and all others keep their places`(
    sent: [Int], missing: JSONValue
  ) async throws {
    let properties: JSONObject = ["types": .array(Self.four.map(JSONValue.string))]
    let fixture = try Fixture(
      journeyFile([FileNode("a", "Omissions", ["outcome": .string(success)], properties)]),
      registry: Self.registry)
    let end = try await fixture.success(fixture.answer(fixture.firstStep(), Self.back(sent)))
    #expect(end.state.shared["a"] == [missing, 4])
  }

  @Test(arguments: omissions)
  func `so does each node of a page`(sent: [Int], missing: JSONValue) async throws {
    let properties: JSONObject = ["types": .array(Self.four.map(JSONValue.string))]
    let fixture = try Fixture(
      journeyFile(
        [
          FileNode(
            "page", "PageNode", ["outcome": .string(success)],
            [
              "nodes": [
                ["_id": "a", "nodeType": "Omissions", "displayName": "A"],
                ["_id": "b", "nodeType": "Omissions", "displayName": "B"],
              ]
            ])
        ],
        inner: [
          FileNode("a", "Omissions", [:], properties), FileNode("b", "Omissions", [:], properties),
        ]), registry: Self.registry)
    let end = try await fixture.success(
      fixture.answer(fixture.firstStep(), Self.back([0, 1, 2, 3]) + Self.back(sent, from: 4)))
    #expect(end.state.shared["a"] == [[], 4] && end.state.shared["b"] == [missing, 4])
  }
}
