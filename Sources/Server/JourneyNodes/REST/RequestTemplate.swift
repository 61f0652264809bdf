internal import Bytes
internal import JourneyEngine
internal import StrictJSON

/// A text with `${variable}` and `${variable.$.json.path}`, which stand for values of the journey's state.
///
/// Values are data: each place says how they are escaped there, so that no value can change the text around it.
struct RequestTemplate: Sendable, Hashable {
  enum Part: Sendable, Hashable {
    case text(String)
    case value(Variable)
  }

  struct Variable: Sendable, Hashable {
    var name: String
    var path: JSONPath?
  }

  private(set) var parts: [Part] = []

  private static let longest = 64 << 10
  private static let mostVariables = 100

  init(_ text: String) throws(NodeError) {
    guard text.utf8.count <= Self.longest else {
      throw NodeError("is longer than \(Self.longest) bytes")
    }
    var rest = Substring(text)
    while let start = rest.firstRange(of: "${") {
      if start.lowerBound > rest.startIndex { parts.append(.text(String(rest[..<start.lowerBound]))) }
      rest = rest[start.upperBound...]
      guard let end = rest.firstIndex(of: "}") else {
        throw NodeError("has a ${ without its }")
      }
      parts.append(.value(try Self.variable(rest[..<end])))
      rest = rest[rest.index(after: end)...]
    }
    if !rest.isEmpty { parts.append(.text(String(rest))) }
    guard variables.count <= Self.mostVariables else {
      throw NodeError("has more than \(Self.mostVariables) variables")
    }
  }

  private static func variable(_ text: Substring) throws(NodeError) -> Variable {
    var (name, path) = (text, JSONPath?.none)
    if let mark = text.firstRange(of: ".$") {
      name = text[..<mark.lowerBound]
      path = JSONPath(text[text.index(after: mark.lowerBound)...])
      guard path != nil else {
        throw NodeError(
          "has ${\(text)}, whose JSON path is not of the form $.name.name[0]")
      }
    }
    guard (1...128).contains(name.utf8.count) else {
      throw NodeError("has ${\(text)}, which names no variable")
    }
    return Variable(name: String(name), path: path)
  }

  /// The names of the state variables.
  var variables: [String] {
    parts.compactMap { part in if case .value(let variable) = part { variable.name } else { nil } }
  }

  /// How a value is escaped at its place.
  enum Writing: Sendable {
    /// As it is.
    case plain
    /// Percent-encoded, for addresses and forms.
    case encoded
    case xml
    /// Within the quotation marks of the text as a part of that JSON string, elsewhere as a JSON value.
    case json
  }

  /// The text with the values of `state`. Secure state is not among them; transient state is, when the text names it.
  ///
  /// - Throws: when a value is missing, because an incomplete request could do something else. `DELETE …/users/${id}` must not delete all
  ///   users, so addresses take no empty values either.
  func filled(
    from state: JourneyState, _ writing: Writing, allowsEmpty: Bool = true
  ) throws(NodeError) -> String {
    var (output, isQuoted) = ("", false)
    for part in parts {
      switch part {
      case .text(let text):
        output += text
        if case .json = writing { try Self.follow(text, &isQuoted) }
      case .value(let variable):
        let value = try Self.value(of: variable, in: state)
        guard allowsEmpty || value != "" else {
          throw NodeError("the value of ${\(variable.name)} for the address is empty")
        }
        output += Self.written(value, writing, isQuoted: isQuoted)
      }
    }
    return output
  }

  private static func value(of variable: Variable, in state: JourneyState) throws(NodeError) -> JSONValue {
    var found = state.transient[variable.name] ?? state.shared[variable.name]
    if let path = variable.path {
      // Scripts often keep JSON as a text.
      if let text = found?.stringValue { found = try? JSONValue(parsing: text) }
      found = found.flatMap(path.value)
    }
    guard let found, !found.isNull else {
      throw NodeError(
        "the state has no value for ${\(variable.name)\(variable.path == nil ? "" : ".$…")}")
    }
    return found
  }

  private static func written(_ value: JSONValue, _ writing: Writing, isQuoted: Bool) -> String {
    let text = value.stringValue ?? value.text
    switch writing {
    case .plain: return text
    case .encoded: return PercentEncoding.encode(text)
    case .xml: return MarkupText.xml(text)
    case .json:
      // Scalars: as a character, a quotation mark takes combining marks beside it with it.
      return isQuoted ? String(text.quoted.unicodeScalars.dropFirst().dropLast()) : value.text
    }
  }

  /// Sets `isQuoted` to whether the end of a piece of JSON is within a string.
  ///
  /// - Throws: when the text ends with a backslash, which would escape the first backslash of the value, so that the value could leave its
  ///   string.
  private static func follow(_ text: String, _ isQuoted: inout Bool) throws(NodeError) {
    var isEscaped = false
    for byte in text.utf8 {
      if isEscaped {
        isEscaped = false
      } else if isQuoted, byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
      }
    }
    guard !isEscaped else { throw NodeError("the body has a backslash before a variable") }
  }
}

/// A place in JSON as the journey editor's nodes write it: `$.a.b[0]['c d']`.
///
/// This is the part of JSONPath (RFC 9535) that names one place. Wildcards, filters and descents, which name several, are not supported.
struct JSONPath: Sendable, Hashable {
  private enum Step: Sendable, Hashable {
    case member(String)
    case element(Int)
  }

  private var steps: [Step] = []

  private static let longest = 1024
  private static let mostSteps = 32

  /// Reads a path; `nil` for a text that does not name exactly one place.
  init?(_ text: some StringProtocol) {
    guard text.utf8.count <= Self.longest, text.first == "$" else { return nil }
    var rest = Substring(text).dropFirst()
    while let sign = rest.popFirst() {
      switch sign {
      case ".":
        let name = rest.prefix { !Self.ends.contains($0) && !$0.isWhitespace }
        guard !name.isEmpty else { return nil }
        rest = rest.dropFirst(name.count)
        steps.append(.member(String(name)))
      case "[":
        guard let step = Self.bracketed(&rest) else { return nil }
        steps.append(step)
      default: return nil
      }
      guard steps.count <= Self.mostSteps else { return nil }
    }
  }

  private static let ends: Set<Character> = [".", "[", "]", "*", "?", "(", ")", "'", "\"", ","]

  /// Reads what stands between brackets, and the closing bracket.
  private static func bracketed(_ rest: inout Substring) -> Step? {
    if let quote = rest.first, quote == "'" || quote == "\"" {
      rest = rest.dropFirst()
      let name = rest.prefix { $0 != quote && $0 != "\\" }
      rest = rest.dropFirst(name.count)
      guard rest.popFirst() == quote, rest.popFirst() == "]" else { return nil }
      return .member(String(name))
    }
    let digits = rest.prefix { $0 != "]" }
    rest = rest.dropFirst(digits.count)
    guard rest.popFirst() == "]", (1...6).contains(digits.utf8.count),
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let index = Int(digits)
    else { return nil }
    return .element(index)
  }

  /// The value at this place in `value`; `nil` when there is none.
  func value(in value: JSONValue) -> JSONValue? {
    var found = value
    for step in steps {
      let next =
        switch step {
        case .member(let name): found[name]
        case .element(let index): found[index]
        }
      guard let next else { return nil }
      found = next
    }
    return found
  }
}
