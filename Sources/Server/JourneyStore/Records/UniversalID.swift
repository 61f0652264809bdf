/// PingAM's name for an account across realms, in the form of a distinguished name.
public struct UniversalID: Sendable, Hashable {
  public let username: String
  public let realm: String

  public init(username: String, realm: String) {
    self.username = username
    self.realm = realm
  }

  /// Reads the text form; `nil` when it is not one of the two forms that ``text`` writes.
  public init?(_ text: String) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard let first = parts.first, first.hasPrefix("id="), first.count > 3 else { return nil }
    username = String(first.dropFirst(3))
    switch parts.dropFirst().map(String.init) {
    case ["ou=user", "ou=am-config"]: realm = "root"
    case let rest
    where rest.count == 4 && rest[0] == "ou=user" && rest[1].hasPrefix("o=") && rest[1].count > 2
      && rest[2] == "ou=services" && rest[3] == "ou=am-config":
      realm = String(rest[1].dropFirst(2))
    default: return nil
    }
  }

  /// `id=NAME,ou=user,o=REALM,ou=services,ou=am-config`; without `o=` and `ou=services` in the root realm.
  public var text: String {
    realm == "root" ? "id=\(username),ou=user,ou=am-config" : "id=\(username),ou=user,o=\(realm),ou=services,ou=am-config"
  }
}
