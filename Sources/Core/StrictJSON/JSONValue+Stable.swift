extension JSONValue {
  /// The same value with the members of all objects in the order of their names' UTF-8 bytes, so that equal values have equal texts.
  public var sorted: JSONValue {
    switch self {
    case .object(let object): .object(object.sorted)
    case .array(let elements): .array(elements.map(\.sorted))
    default: self
    }
  }

  /// The text with a line for each member and element, indented by two spaces, for files that people compare.
  public var indentedText: String { indentedText(after: "") }

  private func indentedText(after margin: String) -> String {
    func block(_ open: String, _ lines: [String], _ close: String) -> String {
      lines.isEmpty
        ? open + close
        : "\(open)\n\(lines.map { "\(margin)  \($0)" }.joined(separator: ",\n"))\n\(margin)\(close)"
    }
    switch self {
    case .object(let object):
      return block(
        "{",
        object.map { "\(JSONValue.string($0.name).text): \($0.value.indentedText(after: margin + "  "))" },
        "}")
    case .array(let elements):
      return block("[", elements.map { $0.indentedText(after: margin + "  ") }, "]")
    default: return text
    }
  }
}

extension JSONObject {
  /// The same object, with its members and those of all nested objects in the order of their names' UTF-8 bytes.
  public var sorted: JSONObject { sortedMembers { $0.sorted } }

  /// The members in the order of their names' UTF-8 bytes, with each value transformed by `body`.
  package func sortedMembers(_ body: (JSONValue) -> JSONValue = { $0 }) -> JSONObject {
    JSONObject(
      map(\.self).sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        .map { ($0.name, body($0.value)) })
  }
}
