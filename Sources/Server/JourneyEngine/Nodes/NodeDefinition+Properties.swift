internal import StrictJSON

/// Typed access to a node's properties. A property that is absent or `null` has its default; one of the wrong type is an
/// error that names it.
extension NodeDefinition {
  /// A text.
  public func string(_ property: String, default standard: String = "") throws(JourneyFileError) -> String {
    noteReading(property, as: "text", default: JSONValue.string(standard).text)
    guard let value = present(property) else { return standard }
    guard let text = value.stringValue else { throw wrong(property, "must be a text") }
    return text
  }

  /// One of `choices`, by the name that it has in files.
  public func choice<Value>(
    _ property: String, default standard: String, among choices: [(name: String, value: Value)]
  ) throws(JourneyFileError) -> Value {
    noteReading(
      property, as: choices.map { "`\($0.name)`" }.joined(separator: ", "),
      default: JSONValue.string(standard).text)
    let name = try string(property, default: standard)
    if let choice = choices.first(where: { $0.name == name }) { return choice.value }
    let names = choices.map(\.name)
    throw wrong(
      property,
      "must be \(names.dropLast().joined(separator: ", "))\(names.count > 1 ? " or " : "")\(names.last ?? "")"
    )
  }

  /// One case of an enumeration, by its raw value in upper case.
  public func choice<Value: CaseIterable & RawRepresentable<String>>(
    _ property: String, default standard: String
  ) throws(JourneyFileError) -> Value {
    try choice(
      property, default: standard, among: Value.allCases.map { ($0.rawValue.uppercased(), $0) })
  }

  /// A boolean; the words `"true"` and `"false"` are taken as well, because some exports write them.
  public func flag(_ property: String, default standard: Bool) throws(JourneyFileError) -> Bool {
    noteReading(property, as: "true or false", default: "\(standard)")
    switch present(property) {
    case nil: return standard
    case .bool(let flag): return flag
    case .string("true"): return true
    case .string("false"): return false
    default: throw wrong(property, "must be true or false")
    }
  }

  /// A whole number within `range`; decimal digits in a text are taken as well, because some exports write them.
  public func integer(
    _ property: String, default standard: Int, in range: ClosedRange<Int>
  ) throws(JourneyFileError) -> Int {
    noteReading(
      property, as: "whole number from \(range.lowerBound) to \(range.upperBound)", default: "\(standard)")
    guard let value = present(property) else { return standard }
    let number = value.integerValue.flatMap { Int(exactly: $0) } ?? value.stringValue.flatMap { Int($0) }
    guard let number, range.contains(number) else {
      throw wrong(property, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// A list of texts.
  public func strings(_ property: String, default standard: [String] = []) throws(JourneyFileError)
    -> [String]
  {
    noteReading(
      property, as: "list of texts", default: JSONValue.array(standard.map { .string($0) }).text)
    guard let value = present(property) else { return standard }
    guard let list = value.arrayValue else { throw wrong(property, "must be a list of texts") }
    var texts: [String] = []
    for element in list {
      guard let text = element.stringValue else { throw wrong(property, "must hold texts only") }
      texts.append(text)
    }
    return texts
  }

  /// A text by locale; `{}` means `builtIn`.
  public func localized(_ property: String, builtIn: String) throws(JourneyFileError) -> LocalizedText {
    noteReading(property, as: "texts by language", default: JSONValue.string(builtIn).text)
    guard let value = present(property) else { return LocalizedText([], builtIn: builtIn) }
    guard let object = value.objectValue else {
      throw wrong(property, "must be an object of texts by locale")
    }
    var texts: [(locale: String, text: String)] = []
    for (locale, value) in object {
      guard let text = value.stringValue else { throw wrong(property, "the text for \(locale) is not text") }
      texts.append((locale, text))
    }
    return LocalizedText(texts, builtIn: builtIn)
  }

  /// An error about one property of this node.
  public func wrong(_ property: String, _ problem: String) -> JourneyFileError {
    JourneyFileError(problem, nodeID: id, nodeType: type, property: property)
  }

  private func present(_ property: String) -> JSONValue? { properties.present(property) }
}

extension JSONObject {
  /// The member `name`; `nil` when it is absent or `null`.
  func present(_ name: String) -> JSONValue? {
    guard let value = self[name], !value.isNull else { return nil }
    return value
  }
}
