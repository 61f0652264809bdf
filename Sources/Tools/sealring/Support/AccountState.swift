import Foundation
import StrictJSON

/// The state of an account in a server's record, in words.
enum AccountState {
  /// `Active` or `Inactive`, followed by the account's locks.
  static func text(_ user: JSONValue) -> String {
    let status = user["inetUserStatus"]?.stringValue ?? ""
    return ([status] + locks(user)).joined(separator: ", ")
  }

  /// `locked until …` for each lock in the record.
  static func locks(_ user: JSONValue) -> [String] {
    [("lockedUntil", "locked until"), ("signaturesLockedUntil", "signing locked until")].compactMap {
      member, words in
      guard let text = user[member]?.stringValue else { return nil }
      guard let time = try? Date(text, strategy: .iso8601) else { return "\(words) \(printable(text))" }
      return "\(words) \(Times.text(time))"
    }
  }

  /// The record's members with readable names and values: the names of PingAM's store mean nothing to users.
  static func rows(_ account: JSONObject) -> [(String, String)] {
    let locks = locks(.object(account))
    let status = account["inetUserStatus"]?.stringValue.map {
      $0 != "Active"
        ? "cannot sign in (deactivated)"
        : locks.isEmpty ? "can sign in" : "active, " + locks.joined(separator: ", ")
    }
    let rows = [("username", account["username"]?.stringValue), ("status", status)].compactMap { name, text in
      text.map { (name, $0) }
    }
    let others = account.filter { name, _ in
      !name.hasPrefix("_") && !name.hasSuffix("ockedUntil") && !["username", "inetUserStatus"].contains(name)
    }
    return rows
      + others.map { name, value in
        let texts = value.arrayValue?.map { $0.stringValue ?? $0.text } ?? [value.stringValue ?? value.text]
        return (
          names[name] ?? name,
          name == "pwdReset" ? (value == true ? "yes" : "no") : texts.joined(separator: ", ")
        )
      }
  }

  private static let names = [
    "adminRoles": "roles", "pwdReset": "must change the password", "passwordExpiresAt": "password expires",
    "createdAt": "created", "universalid": "id as in PingAM",
  ]

  static func roles(_ user: JSONValue) -> String {
    (user["adminRoles"]?.arrayValue ?? []).compactMap(\.stringValue).joined(separator: ", ")
  }
}
