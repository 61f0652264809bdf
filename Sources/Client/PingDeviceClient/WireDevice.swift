internal import Foundation
internal import StrictJSON

/// A device that can be read from the server's record.
protocol WireDevice: Device {
  /// - Throws: ``RecordError`` when a member is missing or of another kind.
  init(record: JSONValue) throws(RecordError)
}

/// What is wrong with a record.
struct RecordError: LocalizedError {
  var member: String
  var expected: String

  var errorDescription: String? { "its member \(member) is not \(expected)." }
}
