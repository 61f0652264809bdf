internal import Foundation
internal import StrictJSON

/// A JSON value of any type, for models that do not know the type.
// Decoded values are value types and NSNull; a caller that wraps anything else must not change it afterwards.
public struct AnyValue: Codable, @unchecked Sendable {
  /// `NSNull`, `Bool`, `Int`, `Double`, `String`, `[Any]` or `[String: Any]` when decoded.
  public let value: Any

  /// Wraps `value`.
  public init(_ value: Any) { self.value = value }

  public init(from decoder: any Decoder) throws { value = try JSONValue(from: decoder).anyValue }

  /// - Throws: `EncodingError.invalidValue` when the value has no JSON form.
  public func encode(to encoder: any Encoder) throws {
    guard let json = JSONValue(any: value, nothing: .null) else {
      throw EncodingError.invalidValue(
        value, .init(codingPath: encoder.codingPath, debugDescription: "\(type(of: value)) has no JSON form"))
    }
    try json.encode(to: encoder)
  }
}

extension AnyValue: AnyWrapper {
  package var wrapped: Any { value }
}

/// The name of any JSON member.
public struct JSONCodingKeys: CodingKey {
  public var stringValue: String
  public var intValue: Int?

  public init?(stringValue: String) { self.stringValue = stringValue }

  public init?(intValue: Int) {
    stringValue = "\(intValue)"
    self.intValue = intValue
  }
}
