internal import StrictJSON
internal import Yams

/// A value of a test file, with its line. JSON can be read as well, because it is YAML.
struct ScriptValue: Sendable, Hashable {
  indirect enum Content: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case list([ScriptValue])
    case map([Member])
  }

  struct Member: Sendable, Hashable {
    var name: String
    var value: ScriptValue
  }

  var content: Content

  /// The line, from 1.
  var line: Int

  /// The text of an unquoted scalar, such as `true` or `42`; `nil` for lists, maps and empty values.
  var plain: String?

  /// Longest file, and most values in a file; aliases count as often as they are used.
  private static let maximumBytes = 1 << 20
  private static let maximumValues = 100_000
  private static let maximumDepth = 32

  /// Parses a file's text.
  ///
  /// - Throws: ``ScriptError`` without a file name.
  init(parsing text: String) throws(ScriptError) {
    guard text.utf8.count <= Self.maximumBytes else {
      throw ScriptError("The file is longer than 1 MiB. Divide it.")
    }
    let root: Yams.Node?
    do { root = try Yams.compose(yaml: text) } catch YamlError.duplicatedKeysInMapping(let names, let context)
    {
      throw ScriptError(
        "\(names.sorted().joined(separator: ", ")) stands here twice.", line: context.mark.line)
    } catch let error as YamlError {
      throw ScriptError("This is not YAML: \(Self.reason(of: error))", line: Self.line(of: error))
    } catch {
      throw ScriptError("This is not YAML: \(error)")
    }
    guard let root else { throw ScriptError("The file is empty.") }
    var left = Self.maximumValues
    self = try Self(root, line: 1, depth: 0, left: &left)
  }

  private init(_ node: Yams.Node, line parent: Int, depth: Int, left: inout Int) throws(ScriptError) {
    line = node.mark?.line ?? parent
    left -= 1
    guard left > 0, depth <= Self.maximumDepth else {
      throw ScriptError("The file has too many values, or values nested too deeply.", line: line)
    }
    switch node {
    case .scalar(let scalar):
      plain = scalar.string
      content = Self.scalar(scalar, node)
    case .sequence(let sequence):
      var elements: [ScriptValue] = []
      for element in sequence {
        elements.append(try ScriptValue(element, line: line, depth: depth + 1, left: &left))
      }
      content = .list(elements)
    case .mapping(let mapping):
      var members: [Member] = []
      for (key, value) in mapping {
        guard let name = key.scalar?.string else {
          throw ScriptError("The name of a member has to be text.", line: key.mark?.line ?? line)
        }
        let value = try ScriptValue(
          value, line: value.mark?.line ?? key.mark?.line ?? line, depth: depth + 1, left: &left)
        members.append(Member(name: name, value: value))
      }
      content = .map(members)
    case .alias:
      throw ScriptError("An alias has no anchor.", line: line)
    }
  }

  private static func scalar(_ scalar: Yams.Node.Scalar, _ node: Yams.Node) -> Content {
    guard scalar.style == .plain || scalar.style == .any else { return .text(scalar.string) }
    switch scalar.string {
    case "", "~", "null": return .null
    // As in YAML 1.2, `yes`, `no` and `on` are texts.
    case "true", "True": return .bool(true)
    case "false", "False": return .bool(false)
    default: break
    }
    // Digits with a leading zero are a PIN or a code, not a number.
    let digits = scalar.string.drop { $0 == "-" }
    guard digits.first?.isNumber == true, digits.count == 1 || digits.first != "0" || digits.hasPrefix("0."),
      scalar.string.utf8.allSatisfy({ "0123456789.-".utf8.contains($0) }), let number = Double(scalar.string)
    else { return .text(scalar.string) }
    return .number(number)
  }

  private static func reason(of error: YamlError) -> String {
    switch error {
    case .scanner(_, let problem, _, _), .parser(_, let problem, _, _), .composer(_, let problem, _, _):
      problem
    default: "\(error)"
    }
  }

  private static func line(of error: YamlError) -> Int? {
    switch error {
    case .scanner(_, _, let mark, _), .parser(_, _, let mark, _), .composer(_, _, let mark, _): mark.line
    default: nil
    }
  }
}

extension ScriptValue {
  /// Creates a step that only checks an expectation.
  init(expecting expectation: ScriptValue) {
    self.init(content: .map([Member(name: "expect", value: expectation)]), line: expectation.line)
  }

  private init(content: Content, line: Int) { (self.content, self.line) = (content, line) }

  var isNull: Bool { content == .null }

  /// The text; numbers and Booleans as they were written.
  var text: String? {
    switch content {
    case .text(let text): text
    case .bool, .number: plain
    case .null, .list, .map: nil
    }
  }

  var bool: Bool? { if case .bool(let value) = content { value } else { nil } }

  var integer: Int? { if case .number(let value) = content { Int(exactly: value) } else { nil } }

  var list: [ScriptValue]? { if case .list(let elements) = content { elements } else { nil } }

  var map: [Member]? { if case .map(let members) = content { members } else { nil } }

  subscript(name: String) -> ScriptValue? { map?.first { $0.name == name }?.value }

  /// The value as JSON.
  var json: JSONValue {
    switch content {
    case .null: .null
    case .bool(let value): .bool(value)
    case .number(let value): Int64(exactly: value).map { .integer($0) } ?? .number(value)
    case .text(let text): .string(text)
    case .list(let elements): .array(elements.map(\.json))
    case .map(let members): .object(JSONObject(members.map { ($0.name, $0.value.json) }))
    }
  }

  /// Returns the text; throws an error that `what` must be text.
  func requiredText(_ what: String) throws(ScriptError) -> String {
    guard let text else { throw ScriptError("\(what) has to be text.", line: line) }
    return text
  }

  func requiredList(_ what: String) throws(ScriptError) -> [ScriptValue] {
    guard let list else {
      throw ScriptError("\(what) has to be a list (lines that begin with -).", line: line)
    }
    return list
  }

  func requiredMap(_ what: String, members allowed: [String]) throws(ScriptError) -> [Member] {
    guard let map else { throw ScriptError("\(what) has to be a map (name: value).", line: line) }
    for member in map where !allowed.isEmpty && !allowed.contains(member.name) {
      throw ScriptError(
        "\(what) has no member \(member.name). Its members are \(allowed.joined(separator: ", ")).",
        line: member.value.line)
    }
    return map
  }

  /// The members of a map of texts.
  func requiredTexts(_ what: String, each: String) throws(ScriptError) -> [(name: String, text: String)] {
    var texts: [(name: String, text: String)] = []
    for member in try requiredMap(what, members: []) {
      texts.append((member.name, try member.value.requiredText(each)))
    }
    return texts
  }

  /// Seconds: a number, or a text such as `90s`, `5m`, `2h`, `30d`.
  func requiredSeconds(_ what: String) throws(ScriptError) -> Double {
    let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    if case .number(let seconds) = content { return seconds }
    if let text, let unit = text.last.flatMap({ units[$0] }), let number = Double(text.dropLast()) {
      return number * unit
    }
    throw ScriptError("\(what) has to be a time such as 30s, 5m, 2h or 1d.", line: line)
  }
}
