internal import Accounts
internal import Bytes
internal import Foundation
internal import JourneyFiles
internal import JourneyNodes
internal import JourneyStore
internal import ServerHTTP
internal import StrictJSON

/// What a client wants an account to be: the members of a posted user object, checked.
struct UserDraft: Redacted {
  var username: String?

  /// The current password, which accounts that change their own must prove to know.
  var currentPassword: String?
  /// The password as another system hashed it, in the PHC string form; for new accounts.
  var passwordHash: String?

  /// The other changes to the account. Administrators set with `pwdReset` whether the person must choose another password, and with
  /// `ds-pwp-password-expiration-time` when the password expires.
  var change = AccountChange()

  /// All other members, as given.
  var attributes = JSONObject()

  /// Members that answers show and requests cannot set.
  private static let readOnly: Set<String> = [
    "_id", "_rev", "realm", "universalid", "createtimestamp", "adminroles", "lockeduntil",
    "signatureslockeduntil",
  ]

  /// - Throws: 400 naming the member that is wrong.
  init(_ object: JSONObject) throws(ErrorResponse) {
    for (name, value) in object {
      // PingAM and its clients spell some of these in several ways.
      switch name.lowercased() {
      case "username": username = try Self.text(value, name)
      case "userpassword": change.password = try Self.text(value, name)
      case "currentpassword": currentPassword = try Self.text(value, name)
      case "userpasswordhash": passwordHash = try Self.text(value, name)
      case "mail": change.mail = try Self.texts(value, name)
      case "inetuserstatus": change.isActive = try Self.status(value, name)
      case "pwdreset": change.mustChangePassword = try Self.flag(value, name)
      case "ds-pwp-password-expiration-time": change.passwordExpiry = try Self.expiry(value, name)
      case let known where Self.readOnly.contains(known): continue
      default: attributes[name] = value
      }
    }
    change.attributes = .replacing(attributes)
    if username == nil { username = try object.text("_id") }
  }

  private static func text(_ value: JSONValue, _ name: String) throws(ErrorResponse) -> String {
    let texts = try texts(value, name)
    guard texts.count == 1 else { throw .badRequest("The member \(name) must be one text.") }
    return texts[0]
  }

  /// A text or a list of texts, because PingAM shows single-valued attributes as lists of one.
  private static func texts(_ value: JSONValue, _ name: String) throws(ErrorResponse) -> [String] {
    if let text = value.stringValue { return [text] }
    guard let values = value.arrayValue else { throw .badRequest("The member \(name) must be a text.") }
    var texts: [String] = []
    for value in values {
      guard let text = value.stringValue else { throw .badRequest("The member \(name) must hold texts.") }
      texts.append(text)
    }
    return texts
  }

  private static func status(_ value: JSONValue, _ name: String) throws(ErrorResponse) -> Bool {
    switch try text(value, name).lowercased() {
    case "active": return true
    case "inactive": return false
    default: throw .badRequest("The member \(name) must be Active or Inactive.")
    }
  }

  private static func flag(_ value: JSONValue, _ name: String) throws(ErrorResponse) -> Bool {
    if let flag = value.boolValue { return flag }
    switch try text(value, name).lowercased() {
    case "true": return true
    case "false": return false
    default: throw .badRequest("The member \(name) must be true or false.")
    }
  }

  private static func expiry(
    _ value: JSONValue, _ name: String
  ) throws(ErrorResponse) -> UserChange.Expiry {
    if value.isNull { return .never }
    guard let time = GeneralizedTime.date(in: try text(value, name)) else {
      throw .badRequest("The member \(name) must be a time in UTC such as 20270101120000Z, or null.")
    }
    return .at(time)
  }
}

extension UserRecord {
  /// What clients see of an account; never the password. Locks do not change its revision, because `If-Match` is about the account.
  ///
  /// - Parameter locks: only for sessions that may read other accounts; the account itself is not told.
  func representation(locks: AccountLocks? = nil) -> JSONObject {
    var object: JSONObject = [
      "username": .string(username), "realm": .string(realm.realmPath), "universalid": [.string(universalID)],
      "mail": .array(mail.map(JSONValue.string)), "inetUserStatus": isActive ? "Active" : "Inactive",
    ]
    if mustChangePassword { object["pwdReset"] = true }
    if let passwordExpiry {
      object["ds-pwp-password-expiration-time"] = .string(GeneralizedTime.text(of: passwordExpiry))
    }
    if !roles.isEmpty { object["adminRoles"] = roleNames }
    // The server's own members win over attributes of the same name.
    var all = attributes.withoutServersMembers
    all.merge(object)
    object.merge(all)
    var shown = object.identified(by: username)
    shown["lockedUntil"] = locks?.guesses.map { .string($0.formatted(.iso8601)) }
    shown["signaturesLockedUntil"] = locks?.signatures.map { .string($0.formatted(.iso8601)) }
    return shown
  }
}

extension JSONObject {
  /// Without the server's own members: an attribute may have been stored under such a name before the server knew it.
  fileprivate var withoutServersMembers: JSONObject {
    var object = self
    for name in map(\.name)
    where ["adminroles", "lockeduntil", "signatureslockeduntil"].contains(name.lowercased())
      || ManagedAttribute.hidden.contains(name)
    {
      object[name] = nil
    }
    return object
  }
}
