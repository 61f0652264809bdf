internal import Bytes

/// PingAM's name for an account across realms, in the form of a distinguished name.
///
/// Like all distinguished names of accounts, universal ids are equal in any case (RFC 4517 §4.2.11, caseIgnoreMatch).
public struct UniversalID: Sendable {
  public let username: String
  public let realm: String

  public init(username: String, realm: String) {
    self.username = username
    self.realm = realm
  }

  /// Reads the text form, in any case; `nil` when it is not one of the two forms that ``text`` writes.
  public init?(_ text: String) {
    let parts = text.parts(separatedBy: UInt8(ascii: ","))
    guard let username = Self.value(of: "id=", in: parts[0]) else { return nil }
    switch parts.count {
    case 3 where Self.spell("ou=user", parts[1]) && Self.spell("ou=am-config", parts[2]):
      self.init(username: username, realm: "root")
    case 5
    where Self.spell("ou=user", parts[1]) && Self.spell("ou=services", parts[3])
      && Self.spell("ou=am-config", parts[4]):
      guard let realm = Self.value(of: "o=", in: parts[2]) else { return nil }
      self.init(username: username, realm: realm)
    default: return nil
    }
  }

  /// `id=NAME,ou=user,o=REALM,ou=services,ou=am-config`; without `o=` and `ou=services` in the root realm.
  public var text: String {
    isIn(realm: "root")
      ? "id=\(username),ou=user,ou=am-config" : "id=\(username),ou=user,o=\(realm),ou=services,ou=am-config"
  }

  /// Whether the account is in `realm`, in any case.
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
