internal import Foundation
package import StrictJSON

/// A device that remembers the server's record.
package protocol RecordedDevice: Device, Identifiable {
  var deviceName: String { get set }

  /// The record as the server sent it, with the members that have no property.
  var record: JSONValue { get }
}

/// A device that can be read from the server's record.
protocol WireDevice: RecordedDevice {
  /// The path of this kind's records, below the user's path.
  static var path: String { get }

  /// The record's member that holds the device's name, the only one that a client may change.
  static var nameMember: String { get }

  /// Whether the server requires `If-Match` with a change, which names the revision that the change replaces.
  static var changesNeedRevision: Bool { get }

  /// - Throws: ``RecordError`` when a member is missing or has another type.
  init(record: JSONValue) throws(RecordError)
}

extension WireDevice {
  static var nameMember: String { "deviceName" }
  static var changesNeedRevision: Bool { false }

  /// The record with the device's current name.
  var renamedRecord: JSONValue {
    guard var members = record.objectValue else { return record }
    members[Self.nameMember] = .string(deviceName)
    return .object(members)
  }
}

/// Reads a record's members.
struct RecordReader {
  let record: JSONValue

  func text(_ name: String) throws(RecordError) -> String {
    guard let text = record[name]?.stringValue else { throw RecordError(member: name, expected: "text") }
    return text
  }

  /// Returns a time in seconds since 1970; the record has it in milliseconds.
  func seconds(_ name: String) throws(RecordError) -> TimeInterval {
    guard let milliseconds = record[name]?.doubleValue else {
      throw RecordError(member: name, expected: "a number of milliseconds")
    }
    return milliseconds / 1000
  }

  /// Returns a time as ``seconds(_:)`` does, or 0 when the record has none, as with older servers.
  func secondsIfKnown(_ name: String) throws(RecordError) -> TimeInterval {
    (record[name] ?? .null).isNull ? 0 : try seconds(name)
  }

  /// Converts seconds to milliseconds; 0 for values that no server would send.
  static func milliseconds(_ seconds: TimeInterval) -> JSONValue {
    .integer(Int64(exactly: (seconds * 1000).rounded()) ?? 0)
  }
}

/// What is wrong with a record.
struct RecordError: LocalizedError {
  var member: String
  var expected: String

  var errorDescription: String? { "its member \(member) is not \(expected)." }
  var failureReason: String? { "The record's member \(member) is not \(expected)." }
  var recoverySuggestion: String? { "Check that the address is PingAM's or a compatible server's." }
}
