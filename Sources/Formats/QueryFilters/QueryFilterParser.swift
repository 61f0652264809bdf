internal import StrictJSON

/// Reads filters: `or` binds weaker than `and`, which binds weaker than `!`.
struct QueryFilterParser {
  private enum Token: Hashable {
    case open, close, not
    /// A pointer, an operator, a number or a literal.
    case word(String)
    case quoted(String)
  }

  private var tokens: ArraySlice<Token>
  private var comparisons = 0

  init(_ text: String) throws(QueryFilterError) {
    guard text.utf8.count <= QueryFilter.maximumBytes else {
      throw QueryFilterError("a filter has at most \(QueryFilter.maximumBytes) bytes")
    }
    tokens = try Self.tokens(of: text)[...]
  }

  /// The whole text's filter.
  mutating func filter() throws(QueryFilterError) -> QueryFilter {
    let filter = try disjunction(depth: 0)
    guard tokens.isEmpty else { throw unexpected("the end") }
    return filter
  }

  private mutating func disjunction(depth: Int) throws(QueryFilterError) -> QueryFilter {
    var parts = [try conjunction(depth: depth)]
    while take(.word("or")) { parts.append(try conjunction(depth: depth)) }
    return parts.count == 1 ? parts[0] : .or(parts)
  }

  private mutating func conjunction(depth: Int) throws(QueryFilterError) -> QueryFilter {
    var parts = [try primary(depth: depth)]
    while take(.word("and")) { parts.append(try primary(depth: depth)) }
    return parts.count == 1 ? parts[0] : .and(parts)
  }

  private mutating func primary(depth: Int) throws(QueryFilterError) -> QueryFilter {
    guard depth < QueryFilter.maximumDepth else {
      throw QueryFilterError("a filter nests at most \(QueryFilter.maximumDepth) deep")
    }
    if take(.not) { return .not(try primary(depth: depth + 1)) }
    if take(.open) {
      let inner = try disjunction(depth: depth + 1)
      guard take(.close) else { throw unexpected("a closing parenthesis") }
      return inner
    }
    guard case .word(let word)? = tokens.first else { throw unexpected("a name") }
    tokens.removeFirst()
    comparisons += 1
    guard comparisons <= QueryFilter.maximumComparisons else {
      throw QueryFilterError("a filter has at most \(QueryFilter.maximumComparisons) comparisons")
    }
    guard case .word(let name)? = tokens.first, !["and", "or"].contains(name) else {
      switch word {
      case "true": return .literal(true)
      case "false": return .literal(false)
      default: throw unexpected("an operator after \(JSONValue.string(word).text)")
      }
    }
    tokens.removeFirst()
    guard let pointer = JSONPointer(word) else {
      throw QueryFilterError("\(JSONValue.string(word).text) is not a JSON pointer")
    }
    if name == "pr" { return .present(pointer) }
    guard let comparison = QueryFilter.Comparison(rawValue: name) else {
      throw QueryFilterError(
        "\(JSONValue.string(name).text) is not an operator; use eq, co, sw, pr, lt, le, gt or ge")
    }
    return .comparison(pointer, comparison, try value())
  }

  private mutating func value() throws(QueryFilterError) -> JSONValue {
    switch tokens.first {
    case .quoted(let text)?:
      tokens.removeFirst()
      return .string(text)
    case .word(let word)?:
      guard let value = try? JSONValue(parsing: word), value.arrayValue == nil, value.objectValue == nil
      else {
        throw QueryFilterError(
          "\(JSONValue.string(word).text) is not a value; texts stand in quotation marks")
      }
      tokens.removeFirst()
      return value
    default: throw unexpected("a value")
    }
  }

  private mutating func take(_ token: Token) -> Bool {
    guard tokens.first == token else { return false }
    tokens.removeFirst()
    return true
  }

  private func unexpected(_ wanted: String) -> QueryFilterError {
    let found =
      switch tokens.first {
      case nil: "the end"
      case .open?: "("
      case .close?: ")"
      case .not?: "!"
      case .word(let word)?, .quoted(let word)?: JSONValue.string(word).text
      }
    return QueryFilterError("expected \(wanted), found \(found)")
  }

  private static func tokens(of text: String) throws(QueryFilterError) -> [Token] {
    var tokens: [Token] = []
    // Scalars, because a mark before a combining character is one `Character` with it.
    var rest = text.unicodeScalars[...]
    while let first = rest.first {
      switch first {
      case " ", "\t", "\n", "\r": rest.removeFirst()
      case "(":
        tokens.append(.open)
        rest.removeFirst()
      case ")":
        tokens.append(.close)
        rest.removeFirst()
      case "!":
        tokens.append(.not)
        rest.removeFirst()
      case "\"", "'": tokens.append(.quoted(try quoted(&rest, by: first)))
      default:
        let word = rest.prefix { !$0.properties.isWhitespace && !"()!\"'".unicodeScalars.contains($0) }
        // Swift treats the character as blank, but this language does not.
        guard !word.isEmpty else { throw QueryFilterError("there is an unknown character in the filter") }
        tokens.append(.word(String(word)))
        rest = rest[word.endIndex...]
      }
    }
    return tokens
  }

  /// A text between quotation marks, with JSON's escapes.
  private static func quoted(
    _ rest: inout Substring.UnicodeScalarView, by mark: Unicode.Scalar
  ) throws(QueryFilterError) -> String {
    rest.removeFirst()
    var content = String.UnicodeScalarView()
    var isEscaped = false
    while let next = rest.popFirst() {
      if isEscaped {
        // JSON knows no escaped apostrophe.
        if next != "'" { content.append("\\") }
        content.append(next)
        isEscaped = false
      } else if next == "\\" {
        isEscaped = true
      } else if next == mark {
        guard let text = (try? JSONValue(parsing: "\"\(String(content))\""))?.stringValue else {
          throw QueryFilterError(
            "a text in quotation marks has an escape or a character that JSON does not have")
        }
        return text
      } else {
        if next == "\"" { content.append("\\") }
        content.append(next)
      }
    }
    throw QueryFilterError("a quotation mark is not closed")
  }
}
