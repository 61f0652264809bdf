internal import Bytes
internal import JourneyEngine
internal import StrictJSON

/// A text with `${variable}` and `${variable.$.json.path}`, which stand for what the journey's state has.
///
/// What is put in is data: each place says how it is written there, so that no value can change what is around it.
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

  /// A text that cannot be read, or a value that is not there: one sentence.
  struct Problem: Error, CustomStringConvertible { let description: String }

  private static let longest = 64 << 10
  private static let mostVariables = 100

  init(_ text: String) throws(Problem) {
    guard text.utf8.count <= Self.longest else {
      throw Problem(description: "is longer than \(Self.longest) bytes")
    }
    var rest = Substring(text)
    while let start = rest.firstRange(of: "${") {
      if start.lowerBound > rest.startIndex { parts.append(.text(String(rest[..<start.lowerBound]))) }
      rest = rest[start.upperBound...]
      guard let end = rest.firstIndex(of: "}") else {
        throw Problem(description: "has a ${ without its }")
      }
      parts.append(.value(try Self.variable(rest[..<end])))
      rest = rest[rest.index(after: end)...]
    }
    if !rest.isEmpty { parts.append(.text(String(rest))) }
    guard variables.count <= Self.mostVariables else {
      throw Problem(description: "has more than \(Self.mostVariables) variables")
    }
  }

  private static func variable(_ text: Substring) throws(Problem) -> Variable {
    var (name, path) = (text, JSONPath?.none)
    if let mark = text.firstRange(of: ".$") {
      name = text[..<mark.lowerBound]
      path = JSONPath(text[text.index(after: mark.lowerBound)...])
      guard path != nil else {
        throw Problem(
          description: "has ${\(text)}, whose JSON path is not of the form $.name.name[0]")
      }
    }
    guard (1...128).contains(name.utf8.count) else {
      throw Problem(description: "has ${\(text)}, which names no variable")
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
  /// - Throws: when a value is not there: an incomplete request could do something else. `DELETE …/users/${id}` must not delete all users,
  ///   so addresses take no empty values either.
  func filled(
    from state: JourneyState, _ writing: Writing, allowsEmpty: Bool = true
  ) throws(Problem) -> String {
    var (output, isQuoted) = ("", false)
    for part in parts {
      switch part {
      case .text(let text):
        output += text
        if case .json = writing { try Self.follow(text, &isQuoted) }
      case .value(let variable):
        let value = try Self.value(of: variable, in: state)
        guard allowsEmpty || value != "" else {
          throw Problem(description: "the value of ${\(variable.name)} for the address is empty")
        }
        output += Self.written(value, writing, isQuoted: isQuoted)
      }
    }
    return output
  }

  private static func value(of variable: Variable, in state: JourneyState) throws(Problem) -> JSONValue {
    var found = state.transient[variable.name] ?? state.shared[variable.name]
    if let path = variable.path {
      // Scripts often keep JSON as a text.
      if let text = found?.stringValue { found = try? JSONValue(parsing: text) }
      found = found.flatMap(path.value)
    }
    guard let found, !found.isNull else {
      throw Problem(
        description: "the state has no value for ${\(variable.name)\(variable.path == nil ? "" : ".$…")}")
    }
    return found
  }

  private static func written(_ value: JSONValue, _ writing: Writing, isQuoted: Bool) -> String {
    let text = value.stringValue ?? value.text
    switch writing {
    case .plain: return text
    case .encoded: return PercentEncoding.encode(text)
    case .xml: return MarkupText.xml(text)
    case .json: return isQuoted ? String(text.quoted.dropFirst().dropLast()) : value.text
    }
  }

  /// Whether the end of a piece of JSON is within a string.
  ///
  /// - Throws: where it ends with a backslash: that would take away the first one of the value, which is there to keep it in its string.
  private static func follow(_ text: String, _ isQuoted: inout Bool) throws(Problem) {
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
    guard !isEscaped else { throw Problem(description: "the body has a backslash before a variable") }
  }
}
