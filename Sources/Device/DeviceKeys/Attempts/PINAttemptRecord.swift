internal import Bytes
package import Foundation
internal import PrivateFiles
internal import StrictJSON

/// The consecutive wrong PINs of a key, including tries whose outcome is not known yet. A missing record means none.
package struct PINAttemptRecord: Sendable, Hashable {
  /// The largest record that is read, in bytes.
  static let maximumBytes = 512
  private static let version: Int64 = 1

  /// The number of wrong PINs, at least 1.
  package var failures: Int
  /// When the last of the tries began, to the millisecond.
  package var lastFailure: Date
  /// Whether the last one that the policy allows was really wrong: the key is never unlocked again.
  package var isDisabled: Bool

  package init(failures: Int, lastFailure: Date, isDisabled: Bool = false) {
    self.failures = failures
    self.lastFailure = lastFailure
    self.isDisabled = isDisabled
  }

  /// The content of the file that keeps it.
  var serialized: [UInt8] {
    let json: JSONObject = [
      "version": .integer(Self.version),
      "failures": .integer(Int64(failures)),
      "lastFailure": .integer(lastFailure.millisecondsSince1970),
      "disabled": .bool(isDisabled),
    ]
    return json.serialized
  }

  /// Reads the content of a file; `nil` when it is not exactly what ``serialized`` writes.
  init?(parsing bytes: [UInt8]) {
    guard
      let record = try? JSONRecord(
        parsing: bytes, as: "counter of wrong PINs", versions: Self.version...Self.version,
        limit: Self.maximumBytes),
      let failures = record.integer("failures").flatMap(Int.init(exactly:)), (1...1000).contains(failures),
      let lastFailure = record.date("lastFailure"), let isDisabled = record["disabled"]?.boolValue
    else { return nil }
    self.init(failures: failures, lastFailure: lastFailure, isDisabled: isDisabled)
    guard serialized == bytes else { return nil }
  }
}
