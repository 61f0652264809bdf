internal import StrictJSON

/// Typed access to a node's properties. A property that is absent or `null` has its default. A value that cannot be used as written is
/// replaced where that has the same meaning or keeps the node at least as strict, and ``repaired(_:_:instead:)`` reports it; otherwise it
/// is an error that names the property, and the node fails when it is reached.
extension NodeDefinition {
  /// A text; a number or boolean is converted.
  public func string(_ property: String, default standard: String = "") throws(JourneyFileError) -> String {
    noteReading(property, as: "text", default: JSONValue.string(standard).text)
    guard let value = present(property) else { return standard }
    guard let text = text(value, of: property) else { throw wrong(property, "must be a text") }
    return text
  }

  /// One of `choices`, by the name that it has in files; its case may differ.
  ///
  /// - Parameter standIn: the name used in place of an unknown value; `nil` makes that an error. A property that a check depends on needs
  ///   `nil`.
  public func choice<Value>(
    _ property: String, default standard: String, among choices: [(name: String, value: Value)],
    instead standIn: String? = nil
  ) throws(JourneyFileError) -> Value {
    noteReading(
      property, as: choices.map { "`\($0.name)`" }.joined(separator: ", "),
      default: JSONValue.string(standard).text)
    let value = present(property) ?? .string(standard)
    let name = value.stringValue
    if let name, let choice = choices.first(where: { $0.name == name }) { return choice.value }
    let problem = "must be \(Self.list(choices.map(\.name)))"
    if let name, let choice = choices.first(where: { $0.name.lowercased() == name.lowercased() }) {
      repaired(property, problem, instead: "\(name.quoted) is taken for \(choice.name).")
      return choice.value
    }
    if let standIn, let choice = choices.first(where: { $0.name == standIn }) {
      repaired(property, problem, instead: "\(standIn) is used.")
      return choice.value
    }
    throw wrong(property, problem)
  }

  /// One case of an enumeration, by its raw value in upper case.
  public func choice<Value: CaseIterable & RawRepresentable<String>>(
    _ property: String, default standard: String, instead standIn: String? = nil
  ) throws(JourneyFileError) -> Value {
    try choice(
      property, default: standard, among: Value.allCases.map { ($0.rawValue.uppercased(), $0) },
      instead: standIn)
  }

  private static func list(_ names: [String]) -> String {
    "\(names.dropLast().joined(separator: ", "))\(names.count > 1 ? " or " : "")\(names.last ?? "")"
  }

  /// A boolean. The words `"true"` and `"false"`, which some exports write, and the numbers 1 and 0 are accepted as well.
  ///
  /// - Parameter standIn: used in place of any other value; `nil` makes that an error. Give the stricter value, or any value where no check
  ///   depends on it.
  public func flag(
    _ property: String, default standard: Bool, instead standIn: Bool? = nil
  ) throws(JourneyFileError) -> Bool {
    noteReading(property, as: "true or false", default: "\(standard)")
    guard let value = present(property) else { return standard }
    if let flag = value.boolValue { return flag }
    switch value.stringValue?.lowercased() {
    case "true": return true
    case "false": return false
    default: break
    }
    let problem = "must be true or false"
    if let number = value.integerValue, number == 0 || number == 1 {
      repaired(property, problem, instead: "\(number) is taken for \(number == 1).")
      return number == 1
    }
    guard let standIn else { throw wrong(property, problem) }
    repaired(property, problem, instead: "\(standIn) is used.")
    return standIn
  }

  /// How a number outside its range is handled.
  public enum Clamping: Sendable {
    /// It is an error.
    case never
    /// A larger one becomes the largest; a smaller one is an error.
    case down
    /// A smaller one becomes the smallest; a larger one is an error.
    case up
    case both
  }

  /// A whole number within `range`; decimal digits in a text are taken as well, because some exports write them.
  ///
  /// - Parameters:
  ///   - clamping: what is done about a number outside; clamp only where it never weakens a check.
  ///   - standIn: stands for a value that is not a whole number; `nil` makes it an error.
  public func integer(
    _ property: String, default standard: Int, in range: ClosedRange<Int>, clamping: Clamping = .never,
    instead standIn: Int? = nil
  ) throws(JourneyFileError) -> Int {
    noteReading(
      property, as: "whole number from \(range.lowerBound) to \(range.upperBound)", default: "\(standard)")
    guard let value = present(property) else { return standard }
    let problem = "must be a whole number from \(range.lowerBound) to \(range.upperBound)"
    let number = value.integerValue.flatMap { Int(exactly: $0) } ?? value.stringValue.flatMap { Int($0) }
    if let number, range.contains(number) { return number }
    // What is not a number lies on neither side of the range.
    let size =
      number.map(Double.init) ?? value.doubleValue ?? value.stringValue.flatMap { Double($0) } ?? .nan
    let bound: Int?
    switch clamping {
    case .down where size > Double(range.upperBound): bound = range.upperBound
    case .up where size < Double(range.lowerBound): bound = range.lowerBound
    case .both where size > Double(range.upperBound): bound = range.upperBound
    case .both where size < Double(range.lowerBound): bound = range.lowerBound
    default: bound = number == nil ? standIn : nil
    }
    guard let bound else { throw wrong(property, problem) }
    repaired(property, problem, instead: "\(bound) is used.")
    return bound
  }

  /// A list of texts; a single text is taken as a list of one.
  public func strings(_ property: String, default standard: [String] = []) throws(JourneyFileError)
    -> [String]
  {
    noteReading(
      property, as: "list of texts", default: JSONValue.array(standard.map { .string($0) }).text)
    guard let value = present(property) else { return standard }
    if let text = value.stringValue {
      repaired(property, "must be a list of texts", instead: "It is taken as a list of this text alone.")
      return [text]
    }
    guard let list = value.arrayValue else { throw wrong(property, "must be a list of texts") }
    var texts: [String] = []
    for element in list {
      guard let text = text(element, of: property) else { throw wrong(property, "must hold texts only") }
      texts.append(text)
    }
    return texts
  }

  /// A text by locale; `{}` means `builtIn`. What is not a text is left out.
  public func localized(_ property: String, builtIn: String) throws(JourneyFileError) -> LocalizedText {
    noteReading(property, as: "texts by language", default: JSONValue.string(builtIn).text)
    guard let value = present(property) else { return LocalizedText([], builtIn: builtIn) }
    let problem = "must be an object of texts by locale"
    if let text = value.stringValue {
      repaired(property, problem, instead: "This text is shown in every language.")
      return LocalizedText([("en", text)], builtIn: builtIn)
    }
    guard let object = value.objectValue else {
      repaired(property, problem, instead: "The built-in text is shown.")
      return LocalizedText([], builtIn: builtIn)
    }
    var texts: [(locale: String, text: String)] = []
    for (locale, value) in object {
      if let text = value.stringValue {
        texts.append((locale, text))
      } else {
        repaired(property, "the text for \(locale) is not text", instead: "It is left out.")
      }
    }
    return LocalizedText(texts, builtIn: builtIn)
  }

  /// A text, or a number or boolean as text; `nil` for everything else.
  private func text(_ value: JSONValue, of property: String) -> String? {
    if let text = value.stringValue { return text }
    guard value.boolValue != nil || value.doubleValue != nil || value.integerValue != nil else { return nil }
    repaired(
      property, "\(value.text) is not a text", instead: "It is taken as the text \(value.text.quoted).")
    return value.text
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
