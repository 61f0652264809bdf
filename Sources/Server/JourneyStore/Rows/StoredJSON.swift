internal import Foundation
package import StrictJSON

/// The JSON form of stored `Codable` values, sealed or not: bytes are in Base64, and what is absent has no member.
package enum StoredJSON {
  package static func bytes(of value: some Encodable) throws -> [UInt8] {
    [UInt8](try JSONEncoder().encode(value))
  }

  /// - Returns: `nil` when `bytes` are not of such a value.
  package static func value<Value: Decodable>(_: Value.Type = Value.self, from bytes: [UInt8]) -> Value? {
    try? JSONDecoder().decode(Value.self, from: Data(bytes))
  }

  /// The value as a part of other JSON.
  package static func json(of value: some Encodable) throws -> JSONValue {
    try JSONValue(parsing: try bytes(of: value))
  }

  package static func value<Value: Decodable>(_: Value.Type = Value.self, from json: JSONValue) -> Value? {
    value(from: json.serialized)
  }
}
