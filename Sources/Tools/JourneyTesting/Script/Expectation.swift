/// The conditions after a step.
struct Expectation: Sendable {
  enum Ending: String, Sendable, CaseIterable {
    /// The journey asks for input.
    case step
    /// The journey waits until its user follows a link.
    case suspended
    case success
    case failure
  }

  var ending: Ending?

  /// The facts to compare, in the order of the file, each with its name and expected value.
  var facts: [ScriptValue.Member] = []
  var line: Int

  /// The facts that can be compared, besides `outcome`.
  static let names = [
    "callbacks", "header", "description", "stage", "message", "user", "level", "session", "state", "visited",
    "account", "log", "status", "evidence",
  ]

  init(_ value: ScriptValue) throws(ScriptError) {
    line = value.line
    if value.list != nil {
      ending = .step
      facts = [ScriptValue.Member(name: "callbacks", value: value)]
      return
    }
    if value.text != nil {
      ending = try Self.ending(value)
      return
    }
    for member in try value.requiredMap("expect", members: ["outcome"] + Self.names) {
      if member.name == "outcome" { ending = try Self.ending(member.value) } else { facts.append(member) }
    }
  }

  private static func ending(_ value: ScriptValue) throws(ScriptError) -> Ending {
    guard let ending = value.text.flatMap(Ending.init(rawValue:)) else {
      throw ScriptError(
        "An outcome is \(Ending.allCases.map(\.rawValue).joined(separator: ", ")); a list is what is asked.",
        line: value.line)
    }
    return ending
  }
}
