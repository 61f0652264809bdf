internal import StrictJSON

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

  /// `nil` for what does not name one place.
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

  /// What stands between brackets, up to and with the second one.
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

  /// What stands there in `value`; `nil` when nothing does.
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
