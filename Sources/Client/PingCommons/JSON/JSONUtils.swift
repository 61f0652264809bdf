public import Foundation
internal import PingLogger
internal import StrictJSON

/// Text from loosely typed values.
public struct JSONUtils {
  /// The JSON text of `value`, with members in alphabetical order; empty when something in it has no JSON form.
  public static func jsonStringify(value: Any, prettyPrinted: Bool = false) -> String {
    guard let json = JSONValue(any: value, nothing: .null) else { return "" }
    guard prettyPrinted else { return json.text }
    return prettyText(of: Data(json.serialized)) ?? ""
  }
}

/// Decoding that logs failures.
public class Utility {
  /// Decodes a `decodable` from the JSON text `data`. Returns `nil` and logs a warning when that fails.
  public static func decode<T>(_ decodable: T.Type, from data: Data) -> T? where T: Decodable {
    do {
      return try JSONDecoder().decode(decodable, from: data)
    } catch {
      LogManager.logger.w("\(data.count) bytes are not the JSON form of \(decodable)")
      return nil
    }
  }
}

extension Encodable {
  /// The members of this value's JSON form; `nil` when that is not an object.
  public var dictionary: [String: any Sendable]? {
    guard let data = try? JSONEncoder().encode(self) else { return nil }
    return try? JSONDecoder().decode(SendableObject.self, from: data).members
  }

  /// This value's JSON form with line breaks and indentation; `{}` when there is none.
  public var prettyJSON: String { (try? JSONEncoder().encode(self)).flatMap(prettyText) ?? "{}" }
}

extension Decodable {
  /// The value whose JSON form has the members `dictionary`; `nil` when a member has no JSON form, or when this type cannot be
  /// decoded from them.
  public init?(dictionary: [String: any Sendable]) {
    guard let json = try? JSONEncoder().encode(AnyValue(dictionary)),
      let value = try? JSONDecoder().decode(Self.self, from: json)
    else { return nil }
    self = value
  }
}

extension Dictionary {
  /// These members as JSON text with line breaks and indentation; `{}` when there is none.
  public var prettyJSON: String {
    let text = (self as? [String: Any]).map { JSONUtils.jsonStringify(value: $0, prettyPrinted: true) } ?? ""
    return text.isEmpty ? "{}" : text
  }
}

extension Int8 {
  /// The numbers of `arr` in decimal, joined with `separator`.
  public static func convertInt8ArrToStr(_ arr: [Int8], separator: String) -> String {
    arr.map { String($0) }.joined(separator: separator)
  }
}

private func prettyText(of json: Data) -> String? {
  guard let object = try? JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed),
    let data = try? JSONSerialization.data(
      withJSONObject: object,
      options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes, .fragmentsAllowed])
  else { return nil }
  return String(decoding: data, as: UTF8.self)
}
