internal import Bytes

/// PingAM's name for an account across realms, in the form of a distinguished name.
///
/// Universal ids are compared regardless of case, like all distinguished names of accounts (RFC 4517 §4.2.11, caseIgnoreMatch).
public struct UniversalID: Sendable {
  public let username: String

  /// The realm, such as `alpha`, or `alpha/branch` for a nested one.
  public let realm: String

  public init(username: String, realm: String) {
    self.username = username
    self.realm = realm
  }

  /// Reads the text form, in any case; `nil` when it is not one of the forms that ``text`` writes.
  public init?(_ text: String) {
    let parts = text.parts(separatedBy: UInt8(ascii: ","))
    guard let username = Self.value(of: "id=", in: parts[0]), parts.count >= 3,
      Self.spell("ou=user", parts[1]), Self.spell("ou=am-config", parts[parts.count - 1])
    else { return nil }
    guard parts.count > 3 else {
      self.init(username: username, realm: "root")
      return
    }
    guard (5...4 + Self.mostRealms).contains(parts.count), Self.spell("ou=services", parts[parts.count - 2])
    else { return nil }
    var names: [String] = []
    for part in parts[2..<parts.count - 2].reversed() {
      guard let name = Self.value(of: "o=", in: part), !name.utf8.contains(UInt8(ascii: "/")) else {
        return nil
      }
      names.append(name)
    }
    self.init(username: username, realm: names.joined(separator: "/"))
  }

  /// The deepest nesting of realms.
  private static let mostRealms = 8

  /// `id=NAME,ou=user,o=REALM,ou=services,ou=am-config`; with an `o=` for each realm, the innermost first, and in the root realm without
  /// `o=` and `ou=services`.
  public var text: String {
    guard !isIn(realm: "root") else { return "id=\(username),ou=user,ou=am-config" }
    var text = "id=" + username + ",ou=user"
    for name in realm.parts(separatedBy: UInt8(ascii: "/")).reversed() { text += ",o=" + name }
    return text + ",ou=services,ou=am-config"
  }

  /// Whether the account is in `realm`, regardless of case.
  package func isIn(realm: String) -> Bool { NameKey.folded(self.realm) == NameKey.folded(realm) }

  private static func spell(_ expected: String, _ part: Substring) -> Bool { part.lowercased() == expected }

  private static func value(of attribute: String, in part: Substring) -> String? {
    guard part.utf8.count > attribute.utf8.count, part.prefix(attribute.count).lowercased() == attribute
    else { return nil }
    return String(part.dropFirst(attribute.count))
  }
}

extension UniversalID: Hashable {
  public static func == (lhs: UniversalID, rhs: UniversalID) -> Bool {
    NameKey.folded(lhs.username) == NameKey.folded(rhs.username)
      && NameKey.folded(lhs.realm) == NameKey.folded(rhs.realm)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(NameKey.folded(username))
    hasher.combine(NameKey.folded(realm))
  }
}
