internal import Bytes
package import Foundation
package import StrictJSON

/// The content of a file that holds one JSON object with its `version`, as keys, credentials and counters are stored.
package struct JSONRecord: Sendable {
  /// Why bytes are not such a record, in words that follow a file's name.
  package struct Damage: Error, Hashable {
    package let reason: String

    package init(reason: String) { self.reason = reason }

    /// A required member is missing or malformed.
    package static let member = Damage(reason: "a member is missing or malformed")
  }

  package let version: Int64

  private let json: JSONValue

  /// - Parameters:
  ///   - bytes: The whole content of the file.
  ///   - kind: What the file is, such as `key file`.
  ///   - versions: The versions that can be read. Others come from a newer program and have content that this one would lose.
  ///   - limit: The largest content, in bytes.
  ///   - depth: How deep objects may be nested.
  package init(
    parsing bytes: [UInt8], as kind: String, versions: ClosedRange<Int64>, limit: Int, depth: Int = 2
  ) throws(Damage) {
    do {
      json = try JSONValue(parsing: bytes, limits: JSONLimits(maximumBytes: limit, maximumDepth: depth))
    } catch {
      throw Damage(reason: "\(error)")
    }
    guard let version = json["version"]?.integerValue else { throw Damage(reason: "it is not a \(kind)") }
    guard versions.contains(version) else {
      let known =
        versions.count == 1
        ? "version \(versions.lowerBound)" : "versions \(versions.lowerBound) to \(versions.upperBound)"
      throw Damage(reason: "it has version \(version), and this program knows \(known)")
    }
    self.version = version
  }

  package subscript(name: String) -> JSONValue? { json[name] }

  package func text(_ name: String) -> String? { json[name]?.stringValue }

  package func integer(_ name: String) -> Int64? { json[name]?.integerValue }

  /// Bytes, written as base64url.
  package func bytes(_ name: String) -> [UInt8]? { text(name).flatMap { Base64URL.decode($0) } }

  /// A time, written as milliseconds since 1970.
  package func date(_ name: String) -> Date? { integer(name).map { Date(millisecondsSince1970: $0) } }

  /// A raw value of an enumeration.
  package func choice<Value: RawRepresentable<String>>(_ name: String) -> Value? {
    text(name).flatMap { Value(rawValue: $0) }
  }
}
