import JourneyEngine
import StrictJSON
import Testing

@Suite("Properties whose values cannot be taken as they stand")
struct NodePropertyTests {
  /// A node that reads the property `p` by one of the readers, and puts what it read into state.
  private struct Reader: JourneyNode {
    let outcomes = ["outcome"]
    let value: JSONValue

    func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
      context.state.shared["read"] = value
      return .outcome("outcome")
    }
  }

  private enum Colour: String, CaseIterable { case red, green }

  private static func registry() -> NodeRegistry {
    NodeRegistry([
      "string": { Reader(value: .string(try $0.string("p", default: "standard"))) },
      "strings": { Reader(value: .array(try $0.strings("p").map { .string($0) })) },
      "localized": { Reader(value: .string(try $0.localized("p", builtIn: "built-in").text(for: ["de"]))) },
      "flag": { Reader(value: .bool(try $0.flag("p", default: false))) },
      "cautious": { Reader(value: .bool(try $0.flag("p", default: false, instead: true))) },
      "choice": { Reader(value: .string((try $0.choice("p", default: "RED") as Colour).rawValue)) },
      "replaced": {
        Reader(value: .string((try $0.choice("p", default: "RED", instead: "GREEN") as Colour).rawValue))
      },
      "never": { Reader(value: .integer(Int64(try $0.integer("p", default: 5, in: 1...9)))) },
      "down": { Reader(value: .integer(Int64(try $0.integer("p", default: 5, in: 1...9, clamping: .down)))) },
      "up": { Reader(value: .integer(Int64(try $0.integer("p", default: 5, in: 1...9, clamping: .up)))) },
      "both": {
        Reader(
          value: .integer(Int64(try $0.integer("p", default: 5, in: 1...9, clamping: .both, instead: 7))))
      },
    ])
  }

  /// What is read; `nil` when the node fails when it is reached.
  struct Case: CustomTestStringConvertible {
    let reader: String
    let value: JSONValue
    let read: JSONValue?
    let isReplaced: Bool

    init(_ reader: String, _ value: JSONValue, _ read: JSONValue?, replaced: Bool = true) {
      (self.reader, self.value, self.read, isReplaced) = (reader, value, read, replaced && read != nil)
    }

    var testDescription: String { "\(reader) of \(value.text)" }
  }

  static let cases = [
    Case("string", 3, "3"), Case("string", true, "true"), Case("string", [:], nil), Case("string", [], nil),
    Case("string", .null, "standard", replaced: false),
    Case("strings", "one", ["one"]), Case("strings", ["a", 2, true], ["a", "2", "true"]),
    Case("strings", [[:]], nil), Case("strings", [:], nil), Case("strings", 3, nil),
    Case("localized", "text", "text"), Case("localized", 4, "built-in"),
    Case("localized", ["de": 1, "en": "English"], "English"),
    Case("localized", ["de": "deutsch"], "deutsch", replaced: false),
    Case("flag", "true", true, replaced: false), Case("flag", "False", false, replaced: false),
    Case("flag", 1, true), Case("flag", 0, false), Case("flag", 2, nil), Case("flag", "yes", nil),
    Case("flag", [], nil), Case("cautious", "yes", true), Case("cautious", [:], true),
    Case("choice", "green", "green"), Case("choice", "GREEN", "green", replaced: false),
    Case("choice", "blue", nil), Case("choice", 1, nil), Case("replaced", "blue", "green"),
    Case("replaced", 1, "green"),
    Case("never", "4", 4, replaced: false), Case("never", 10, nil), Case("never", 0, nil),
    Case("never", "many", nil), Case("never", 2.5, nil),
    Case("down", 10, 9), Case("down", "99", 9), Case("down", 1e300, 9), Case("down", 0, nil),
    Case("down", -1, nil), Case("up", 0, 1), Case("up", -1e300, 1), Case("up", 10, nil),
    Case("both", 0, 1), Case("both", 100, 9), Case("both", "many", 7), Case("both", [:], 7),
    Case("both", 2.5, 7),
  ]

  @Test(arguments: cases)
  func `a value of another type or range is replaced without a change of meaning, or its node fails`(
    _ each: Case
  ) async throws {
    let fixture = try Fixture(
      journeyFile([FileNode("n", each.reader, ["outcome": .string(success)], ["p": each.value])]),
      registry: Self.registry())
    let warnings = fixture.warnings.filter {
      $0.realm == "alpha" && [.replacedValue, .unplayable].contains($0.kind)
    }
    guard let read = each.read else {
      #expect(warnings.map(\.kind) == [.unplayable])
      _ = try await fixture.failure(fixture.start())
      return
    }
    #expect(try await fixture.success(fixture.start()).state.shared["read"] == read)
    #expect(warnings.isEmpty == !each.isReplaced)
    for warning in warnings {
      #expect(warning.kind == .replacedValue && warning.property == "p" && warning.nodeID == "n")
      #expect(!warning.remedy.isEmpty)
    }
  }
}
