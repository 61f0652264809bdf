package import Accounts
internal import Bytes
package import JourneyStore
internal import StrictJSON

/// The accounts on hosts that an account may sign in to: always values of its attributes, and only of attributes that it cannot change
/// itself.
package enum SSHPrincipals {
  /// The attribute that stands for the account's own name.
  package static let userName = ManagedAttribute.userName

  /// The most principals of one certificate.
  private static let maximumCount = 64

  /// - Parameter names: the attributes that hold principals.
  /// - Returns: the principals, without unfit values and values of attributes that the account could change.
  package static func of(
    _ user: UserRecord, from names: [String], _ schema: ManagedSchema
  ) -> [String] {
    var found: [String] = []
    for name in names {
      for value in values(of: name, of: user, schema) where isFit(value) && !found.contains(value) {
        found.append(value)
      }
    }
    return Array(found.prefix(maximumCount))
  }

  /// The subset of `names` that give no principals, because accounts can change their values themselves.
  package static func changeable(_ names: [String], _ schema: ManagedSchema) -> [String] {
    names.filter { $0 != userName && (schema.isEditable($0) || $0 == ManagedAttribute.mail) }
  }

  private static func values(of name: String, of user: UserRecord, _ schema: ManagedSchema) -> [String] {
    // Users may have chosen their name when they registered; only an attribute can give `root`.
    if name == userName { return user.username.lowercased() == "root" ? [] : [user.username] }
    guard changeable([name], schema).isEmpty, let value = user.attributes[name] else { return [] }
    return value.stringValue.map { [$0] } ?? value.arrayValue?.compactMap(\.stringValue) ?? []
  }

  /// Whether a text can be a principal: sshd compares principals with lists separated by commas, and with lines of files.
  static func isFit(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: "-")
      && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_.@+".utf8.contains($0) }
  }
}
