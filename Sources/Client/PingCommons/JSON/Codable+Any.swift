internal import Foundation

// Loosely typed members of Codable models. Arrays drop nulls, objects keep them as `NSNull`, and whole numbers are `Int`. Values that
// cannot be decoded or encoded throw an error.

extension KeyedDecodingContainer {
  /// The object under `key`.
  public func decode(_ type: [String: any Sendable].Type, forKey key: K) throws -> [String: any Sendable] {
    try decode(SendableObject.self, forKey: key).members
  }

  /// The object under `key`; `nil` when it is absent or null.
  public func decodeIfPresent(
    _ type: [String: any Sendable].Type, forKey key: K
  ) throws -> [String: any Sendable]? {
    try decodeIfPresent(SendableObject.self, forKey: key)?.members
  }

  /// The array under `key`.
  public func decode(_ type: [any Sendable].Type, forKey key: K) throws -> [any Sendable] {
    try decode(SendableArray.self, forKey: key).elements
  }

  /// The array under `key`; `nil` when it is absent or null.
  public func decodeIfPresent(_ type: [any Sendable].Type, forKey key: K) throws -> [any Sendable]? {
    try decodeIfPresent(SendableArray.self, forKey: key)?.elements
  }

  /// The array of objects under `key`.
  public func decode(_ type: [[String: any Sendable]].Type, forKey key: K) throws -> [[String: any Sendable]]
  {
    try decode([SendableObject].self, forKey: key).map(\.members)
  }
}

extension KeyedDecodingContainer {
  /// All members of the object.
  public func decode(_ type: [String: any Sendable].Type) throws -> [String: any Sendable] {
    var members: [String: any Sendable] = [:]
    for key in allKeys { members[key.stringValue] = try decode(AnyValue.self, forKey: key).sendableValue }
    return members
  }
}

extension UnkeyedDecodingContainer {
  /// The remaining elements, without nulls.
  public mutating func decode(_ type: [any Sendable].Type) throws -> [any Sendable] {
    var elements: [any Sendable] = []
    while !isAtEnd {
      let element = try decode(AnyValue.self).sendableValue
      if !(element is NSNull) { elements.append(element) }
    }
    return elements
  }

  /// The next element, an object.
  public mutating func decode(_ type: [String: any Sendable].Type) throws -> [String: any Sendable] {
    try decode(SendableObject.self).members
  }
}

extension KeyedEncodingContainer {
  /// Encodes `value` under `key`, unless it is `nil` or empty.
  public mutating func encodeIfPresent(_ value: [String: any Sendable]?, forKey key: K) throws {
    if let value, !value.isEmpty { try encode(AnyValue(value), forKey: key) }
  }

  /// Encodes `value` under `key`, unless it is `nil`.
  public mutating func encodeIfPresent(_ value: [any Sendable]?, forKey key: K) throws {
    if let value { try encode(AnyValue(value), forKey: key) }
  }
}

extension UnkeyedEncodingContainer {
  /// Appends each object of `sequence`.
  public mutating func encode(contentsOf sequence: [[String: any Sendable]]) throws {
    for element in sequence { try encode(AnyValue(element)) }
  }

  /// Appends `value`, unless it is `nil`.
  public mutating func encodeIfPresent(_ value: [String: any Sendable]?) throws {
    if let value { try encode(AnyValue(value)) }
  }
}

/// A JSON object of any members.
struct SendableObject: Decodable {
  let members: [String: any Sendable]

  init(from decoder: any Decoder) throws {
    members = try decoder.container(keyedBy: JSONCodingKeys.self).decode([String: any Sendable].self)
  }
}

/// A JSON array of any elements.
private struct SendableArray: Decodable {
  let elements: [any Sendable]

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    elements = try container.decode([any Sendable].self)
  }
}

extension AnyValue {
  /// The value, with `any Sendable` as the element type of every array and dictionary.
  fileprivate var sendableValue: any Sendable { Self.sendable(value) }

  private static func sendable(_ value: Any) -> any Sendable {
    switch value {
    case let value as [String: Any]: value.mapValues(sendable)
    case let value as [Any]: value.filter { !($0 is NSNull) }.map(sendable)
    case let value as Bool: value
    case let value as Int: value
    case let value as Double: value
    case let value as String: value
    default: NSNull()
    }
  }
}
