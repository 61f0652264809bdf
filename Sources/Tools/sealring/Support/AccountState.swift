import Foundation
import StrictJSON

/// What a server's record says of an account, in words.
enum AccountState {
  /// `Active`, `Inactive`, or until when the account is locked.
  static func text(_ user: JSONValue) -> String {
    let status = user["inetUserStatus"]?.stringValue ?? ""
    return ([status] + locks(user)).joined(separator: ", ")
  }

  /// `locked until …` for each lock that the record tells of.
  static func locks(_ user: JSONValue) -> [String] {
    [("lockedUntil", "locked until"), ("signaturesLockedUntil", "signing locked until")].compactMap {
      member, words in
      guard let text = user[member]?.stringValue else { return nil }
      guard let time = try? Date(text, strategy: .iso8601) else { return "\(words) \(printable(text))" }
      return "\(words) \(Times.text(time))"
    }
  }

  static func roles(_ user: JSONValue) -> String {
    (user["adminRoles"]?.arrayValue ?? []).compactMap(\.stringValue).joined(separator: ", ")
  }
}
