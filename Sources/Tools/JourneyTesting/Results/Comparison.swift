internal import StrictJSON

/// Compares the expected facts of a test with the actual ones, and shows both as a difference.
struct Comparison: Sendable {
  /// Lines that begin with two spaces, `- ` (expected) or `+ ` (actual).
  private(set) var lines: [String] = []
  private(set) var isEqual = true

  /// The values for `${name}`, by name.
  let values: [String: String]

  /// Compares one fact.
  mutating func add(_ name: String, _ expected: ScriptValue, _ came: JSONValue?) {
    compare("\(name): ", expected, came, depth: 0)
  }

  /// Compares one text fact.
  mutating func add(_ name: String, _ expected: String, _ came: String) {
    if expected == came { return same("\(name): \(came)", 0) }
    differ(expected: ["\(name): \(expected)"], came: ["\(name): \(came)"], depth: 0)
  }

  /// Compares a fact that must occur somewhere among `lines`.
  mutating func addLine(_ name: String, _ expected: ScriptValue, among lines: [String]) {
    let wanted = expected.list ?? [expected]
    for text in wanted {
      let pattern = substituted(text.text ?? "")
      if lines.contains(where: { Self.matches($0, pattern) || $0.contains(pattern) }) {
        same("\(name): \(pattern)", 0)
      } else {
        differ(expected: ["\(name): \(pattern)"], came: lines.suffix(8).map { "\(name): \($0)" }, depth: 0)
      }
    }
  }

  /// Whether a text matches: equal, or matched by `/a regular expression/`; `*` matches any text.
  static func matches(_ text: String, _ expected: String) -> Bool {
    if expected == "*" || expected == text { return true }
    guard expected.count > 2, expected.hasPrefix("/"), expected.hasSuffix("/"),
      let pattern = try? Regex(String(expected.dropFirst().dropLast()))
    else { return false }
    return text.firstMatch(of: pattern) != nil
  }

  private func substituted(_ text: String) -> String { Substitution.apply(values, to: text) }

  // MARK: The parts

  private mutating func compare(_ label: String, _ expected: ScriptValue, _ came: JSONValue?, depth: Int) {
    switch expected.content {
    case .map(let members):
      guard let object = came?.objectValue else { return differ(label, expected, came, depth) }
      same(label, depth)
      for member in members {
        compare("\(member.name): ", member.value, object[member.name], depth: depth + 1)
      }
    case .list(let elements):
      guard let array = came?.arrayValue else { return differ(label, expected, came, depth) }
      same(label, depth)
      compareList(elements, array, depth: depth + 1)
    default:
      if isMatch(expected, came) {
        same(label + (came.map(Self.text) ?? "nothing"), depth)
      } else {
        differ(label, expected, came, depth)
      }
    }
  }

  /// Aligns matching elements, so that one extra callback is one line of difference.
  private mutating func compareList(_ expected: [ScriptValue], _ came: [JSONValue], depth: Int) {
    var lengths = [[Int]](repeating: [Int](repeating: 0, count: came.count + 1), count: expected.count + 1)
    let fits = expected.map { element in came.map { isMatch(element, $0) } }
    for one in expected.indices.reversed() {
      for other in came.indices.reversed() {
        lengths[one][other] =
          fits[one][other]
          ? lengths[one + 1][other + 1] + 1 : max(lengths[one + 1][other], lengths[one][other + 1])
      }
    }
    var (one, other) = (0, 0)
    while one < expected.count || other < came.count {
      if one < expected.count, other < came.count, fits[one][other] {
        same("- " + Self.text(came[other]), depth)
        (one, other) = (one + 1, other + 1)
      } else if one < expected.count,
        other == came.count || lengths[one + 1][other] >= lengths[one][other + 1]
      {
        differ(expected: ["- " + expectedText(expected[one])], came: [], depth: depth)
        one += 1
      } else {
        differ(expected: [], came: ["- " + Self.text(came[other])], depth: depth)
        other += 1
      }
    }
  }

  func isMatch(_ expected: ScriptValue, _ came: JSONValue?) -> Bool {
    switch expected.content {
    case .null: return came == nil || came == .null
    case .bool(let flag): return came?.boolValue == flag || came?.stringValue == expected.plain
    case .number(let number): return came?.doubleValue == number || came?.stringValue == expected.plain
    case .text(let text):
      guard let came, came != .null else { return false }
      if let type = CallbackView.type(of: came) { return text == type || text == "*" }
      return Self.matches(came.stringValue ?? came.text, substituted(text))
    case .list(let elements):
      guard let array = came?.arrayValue, array.count == elements.count else { return false }
      return zip(elements, array).allSatisfy { isMatch($0, $1) }
    case .map(let members):
      // Callbacks are often written as their type and text.
      if members.count == 1, let first = members.first, let type = came?["type"]?.stringValue,
        came?["output"] == nil, first.name.hasSuffix("Callback")
      {
        guard first.name == type else { return false }
        if first.value.map != nil { return isMatch(first.value, came) }
        return isMatch(first.value, CallbackView.mainText(of: came))
      }
      guard let object = came?.objectValue else { return false }
      return members.allSatisfy { isMatch($0.value, object[$0.name]) }
    }
  }

  private mutating func same(_ text: String, _ depth: Int) {
    lines.append("  " + String(repeating: "  ", count: depth) + text)
  }

  private mutating func differ(_ label: String, _ expected: ScriptValue, _ came: JSONValue?, _ depth: Int) {
    differ(
      expected: [label + expectedText(expected)], came: [label + (came.map(Self.text) ?? "nothing")],
      depth: depth)
  }

  private mutating func differ(expected: [String], came: [String], depth: Int) {
    isEqual = false
    let indent = String(repeating: "  ", count: depth)
    lines += expected.map { "- " + indent + $0 } + came.map { "+ " + indent + $0 }
  }

  private func expectedText(_ expected: ScriptValue) -> String {
    if expected.isNull { return "nothing" }
    return substituted(expected.text ?? Self.text(expected.json))
  }

  private static let longestText = 300

  /// A value on one line; a callback as its type and text.
  static func text(_ value: JSONValue) -> String {
    let text: String
    if let type = CallbackView.type(of: value) {
      text = CallbackView.mainText(of: value).map { "\(type): \(Self.text($0))" } ?? type
    } else {
      text = value.stringValue ?? value.text
    }
    let line = text.replacing("\n", with: "\\n")
    return line.count > longestText ? "\(line.prefix(longestText))…" : line
  }
}
