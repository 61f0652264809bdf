/// What is wrong with a JSON document of settings, and where: `clients[2].redirect_uris[0]: must be a text`.
public struct JSONFault: Error, Sendable, Hashable, CustomStringConvertible {
  /// The member or element, with the names of those around it; empty for the document.
  public let path: String

  /// What is wrong there, without a full stop.
  public let problem: String

  public init(_ problem: String, at path: String = "") { (self.problem, self.path) = (problem, path) }

  public var description: String { path.isEmpty ? problem : "\(path): \(problem)" }
}

/// Reads a value of a JSON document of settings and knows its path, so that each ``JSONFault`` says where it is.
package struct JSONReader: Sendable {
  package let value: JSONValue
  package let path: String
  private let rules: Rules

  /// How values are read.
  package struct Rules: Sendable {
    /// Whether members with `null` or an empty text count as absent, as other programs export them.
    var skipsBlanks: Bool

    /// Longest text in bytes, and most elements of a list or members of an object.
    var longestText: Int
    var mostElements: Int

    package init(skipsBlanks: Bool = false, longestText: Int = 4096, mostElements: Int = 100) {
      (self.skipsBlanks, self.longestText, self.mostElements) = (skipsBlanks, longestText, mostElements)
    }
  }

  package init(_ value: JSONValue, at path: String = "", rules: Rules = Rules()) {
    (self.value, self.path, self.rules) = (value, path, rules)
  }

  /// Reads a document, which must be an object.
  package init(
    parsing bytes: some Sequence<UInt8>, limits: JSONLimits = .standard, rules: Rules = Rules()
  ) throws(JSONFault) {
    do throws(JSONError) {
      self.init(.object(try JSONObject(parsing: bytes, limits: limits)), rules: rules)
    } catch {
      throw JSONFault("it is not a JSON object: \(error)")
    }
  }

  package func wrong(_ problem: String) -> JSONFault { JSONFault(problem, at: path) }

  package func wrong(_ name: String, _ problem: String) -> JSONFault {
    JSONFault(problem, at: place(name))
  }

  /// The path of a member.
  package func place(_ name: String) -> String {
    path.isEmpty ? name : name.isEmpty ? path : "\(path).\(name)"
  }

  /// A member; `nil` when there is none.
  package subscript(name: String) -> JSONReader? {
    guard let member = value[name], !rules.skipsBlanks || !(member.isNull || member == "") else { return nil }
    return JSONReader(member, at: place(name), rules: rules)
  }

  /// A required member. When it is missing, ``text()`` says so; the other functions say what type it must have.
  package func member(_ name: String) -> JSONReader {
    self[name] ?? JSONReader(.null, at: place(name), rules: rules)
  }

  package func text() throws(JSONFault) -> String {
    if value.isNull { throw wrong("is missing") }
    guard let text = value.stringValue, text.utf8.count <= rules.longestText,
      rules.skipsBlanks || !text.isEmpty
    else { throw wrong("must be a text of at most \(rules.longestText) bytes") }
    return text
  }

  package func flag() throws(JSONFault) -> Bool {
    guard let flag = value.boolValue else { throw wrong("must be true or false") }
    return flag
  }

  package func number(in range: ClosedRange<Int>) throws(JSONFault) -> Int {
    guard let number = value.integerValue.flatMap({ Int(exactly: $0) }), range.contains(number) else {
      throw wrong("must be a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// A raw value of an enumeration.
  package func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ type: Value.Type = Value.self
  ) throws(JSONFault) -> Value {
    guard let value = value.stringValue.flatMap(Value.init(rawValue:)) else {
      throw wrong("must be one of \(Value.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return value
  }

  /// The elements of a list. `kind` names them in the error; `limit` replaces the usual limit.
  package func elements(_ kind: String = "values", atMost limit: Int? = nil) throws(JSONFault) -> [JSONReader]
  {
    let limit = limit ?? rules.mostElements
    guard let elements = value.arrayValue, elements.count <= limit else {
      throw wrong("must be a list of at most \(limit) \(kind)")
    }
    return elements.enumerated().map { JSONReader($1, at: "\(path)[\($0)]", rules: rules) }
  }

  /// The texts of a list; none where `null` counts as absent.
  package func texts() throws(JSONFault) -> [String] {
    guard !rules.skipsBlanks || !value.isNull else { return [] }
    var texts: [String] = []
    for element in try elements("texts") { texts.append(try element.text()) }
    return texts
  }

  /// This reader, when its value is an object.
  package func object() throws(JSONFault) -> JSONReader {
    guard value.objectValue != nil else { throw wrong("must be an object") }
    return self
  }

  /// The members of an object, in their order. `limit` replaces the usual limit.
  package func members(atMost limit: Int? = nil) throws(JSONFault) -> [(name: String, value: JSONReader)] {
    guard let object = value.objectValue else { throw wrong("must be an object") }
    guard object.count <= limit ?? rules.mostElements else {
      throw wrong("must have at most \(limit ?? rules.mostElements) members")
    }
    return object.map { ($0.name, JSONReader($0.value, at: place($0.name), rules: rules)) }
  }

  /// - Throws: ``JSONFault`` for a member that is not one of `names`: a misspelt restriction would restrict nothing.
  package func requireOnly(_ names: [String]) throws(JSONFault) {
    guard let object = value.objectValue else { throw wrong("must be an object") }
    if let name = object.names.first(where: { !names.contains($0) }) {
      throw wrong(name, "is not a known member; the members are \(names.joined(separator: ", "))")
    }
  }
}
