internal import Foundation
internal import StrictJSON

/// Reads output values. A value of an unexpected JSON type counts as absent, as in the published SDK: the property keeps its default.
package enum OutputValue {
  /// Text.
  package static func string(_ value: Any) -> String? { value as? String }

  /// A whole number; neither a boolean nor text.
  package static func int(_ value: Any) -> Int? {
    if bool(value) != nil { return nil }
    return value as? Int ?? (value as? Double).flatMap { Int(exactly: $0) }
  }

  /// A finite number; neither a boolean nor text.
  package static func double(_ value: Any) -> Double? {
    if bool(value) != nil { return nil }
    let number = value as? Double ?? (value as? Int).map(Double.init)
    return number.flatMap { $0.isFinite ? $0 : nil }
  }

  /// A flag; not a number, even 0 or 1.
  package static func bool(_ value: Any) -> Bool? { JSONValue.boolean(value) }

  /// A list of texts; `nil` when an element is not text.
  package static func strings(_ value: Any) -> [String]? {
    guard let elements = value as? [Any] else { return nil }
    let texts = elements.compactMap { string($0) }
    return texts.count == elements.count ? texts : nil
  }
}

// Values that servers write in more than one way.
extension OutputValue {
  /// A whole number, also as decimal text: PingAM writes the time to wait and the type of a message as text.
  package static func digits(_ value: Any) -> Int? {
    if let text = value as? String { return Int(text.trimmingCharacters(in: .whitespaces)) }
    return int(value)
  }

  /// A finite number, also as decimal text in JSON's form, because scripts pass numbers as text.
  package static func decimal(_ value: Any) -> Double? {
    guard let text = value as? String else { return double(value) }
    let json = try? JSONValue(parsing: text)
    return json?.integerValue.map(Double.init) ?? json?.doubleValue.flatMap { $0.isFinite ? $0 : nil }
  }

  /// A flag, also as 0 or 1, or as the text `true` or `false`.
  package static func flag(_ value: Any) -> Bool? {
    if let flag = bool(value) { return flag }
    if let text = value as? String { return Bool(text.lowercased()) }
    return switch int(value) {
    case 0: false
    case 1: true
    default: nil
    }
  }

  /// The text of a scalar value; for a number or a boolean, its JSON text.
  package static func text(_ value: Any) -> String? {
    if let text = value as? String { return text }
    if let flag = bool(value) { return flag ? "true" : "false" }
    return (value as? NSNumber)?.stringValue ?? int(value).map(String.init) ?? double(value).map { "\($0)" }
  }
}
