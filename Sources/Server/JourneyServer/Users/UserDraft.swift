internal import JourneyStore
internal import StrictJSON

/// What a client wants an account to be: the members of a posted user object, sorted and checked.
struct UserDraft {
  var username: String?
  var password: String?

  /// The password so far; accounts that change their own must prove that they know it.
  var currentPassword: String?
  var mail: [String]?
  var isActive: Bool?

  /// Members that have no meaning to the server, as given.
  var attributes = JSONObject()

  /// Members that answers show and requests cannot set.
  private static let readOnly: Set<String> = ["_id", "_rev", "realm", "universalid", "createtimestamp"]

  /// - Throws: 400 naming the member that is wrong.
  init(_ object: JSONObject) throws(ErrorResponse) {
    for (name, value) in object {
      // PingAM and its clients spell some of these in several ways.
      switch name.lowercased() {
      case "username": username = try Self.text(value, name)
      case "userpassword": password = try Self.text(value, name)
      case "currentpassword": currentPassword = try Self.text(value, name)
      case "mail": mail = try Self.texts(value, name)
      case "inetuserstatus": isActive = try Self.status(value, name)
      case let known where Self.readOnly.contains(known): continue
      default: attributes[name] = value
      }
    }
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
}

extension UserRecord {
  /// What clients see of an account; never the password.
  var representation: JSONObject {
    var object: JSONObject = [
      "username": .string(username), "realm": .string(realm.realmPath), "universalid": [.string(universalID)],
      "mail": .array(mail.map(JSONValue.string)), "inetUserStatus": isActive ? "Active" : "Inactive",
    ]
    for (name, value) in attributes where object[name] == nil { object[name] = value }
    return object.identified(by: username)
  }
}
