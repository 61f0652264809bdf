internal import Bytes
import Foundation
import StrictJSON

/// Times in the JSON of commands: ISO 8601 in UTC, even where a server's records and the ledger count milliseconds.
enum JSONTimes {
  /// - Parameter milliseconds: Since 1970.
  static func text(_ milliseconds: Int64) -> String {
    Date(millisecondsSince1970: milliseconds).formatted(Date.ISO8601FormatStyle.milliseconds)
  }

  /// A server's record with these members as text; missing members and members that are not numbers stay unchanged.
  static func converted(_ record: JSONValue, _ members: String...) -> JSONValue {
    guard var object = record.objectValue else { return record }
    for name in members {
      if let time = object[name]?.integerValue { object[name] = .string(text(time)) }
    }
    return .object(object)
  }
}
