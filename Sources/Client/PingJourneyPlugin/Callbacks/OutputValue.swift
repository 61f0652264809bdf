internal import Foundation

/// Reads output values leniently: servers send numbers as numbers or as text, and flags as booleans, numbers or text.
package enum OutputValue {
  /// Text; a number or a boolean gives its JSON text.
  package static func string(_ value: Any) -> String? {
    if let text = value as? String { return text }
    if isBoolean(value) { return (value as? Bool).map { $0 ? "true" : "false" } }
    return (value as? NSNumber)?.stringValue ?? int(value).map(String.init) ?? double(value).map { "\($0)" }
  }

  /// A whole number, also as decimal text; never a boolean.
  package static func int(_ value: Any) -> Int? {
    if isBoolean(value) { return nil }
    if let number = value as? Int { return number }
    if let text = value as? String { return Int(text.trimmingCharacters(in: .whitespaces)) }
    return (value as? Double).flatMap { Int(exactly: $0) }
  }

  /// A finite number, also as decimal text; never a boolean.
  package static func double(_ value: Any) -> Double? {
    if isBoolean(value) { return nil }
    let number =
      value as? Double ?? (value as? Int).map(Double.init)
      ?? (value as? String).flatMap { Double($0.trimmingCharacters(in: .whitespaces)) }
    return number.flatMap { $0.isFinite ? $0 : nil }
  }

  /// A flag, also as 0 or 1, or as the text `true` or `false`.
  package static func bool(_ value: Any) -> Bool? {
    if isBoolean(value) { return value as? Bool }
    if let text = value as? String { return Bool(text.lowercased()) }
    return switch int(value) {
    case 0: false
    case 1: true
    default: nil
    }
  }

  /// A list of texts; elements of other types are left out.
  package static func strings(_ value: Any) -> [String]? {
    (value as? [Any])?.compactMap { string($0) }
  }

  // A parsed JSON number answers to `as? Bool` too, when it is 0 or 1: its own type has to tell.
  private static func isBoolean(_ value: Any) -> Bool {
    if let number = value as? NSNumber { return String(cString: number.objCType) == "c" }
    return value is Bool
  }
}
