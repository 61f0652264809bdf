package import Accounts
internal import Bytes
package import JourneyStore
internal import StrictJSON

/// Which accounts of hosts an account may sign in to: always values of its attributes, and only of those that it cannot change itself.
package enum SSHPrincipals {
  /// The attribute's name that stands for the account's own.
  package static let userName = ManagedAttribute.userName

  /// The most of one certificate.
  private static let maximumCount = 64

  /// - Parameter names: the attributes.
  /// - Returns: no principal for values that are unfit, and for attributes that the account could change.
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

  /// Those of `names` that give nobody a principal, because accounts can change their values themselves.
  package static func changeable(_ names: [String], _ schema: ManagedSchema) -> [String] {
    names.filter { $0 != userName && (schema.isEditable($0) || $0 == ManagedAttribute.mail) }
  }

  private static func values(of name: String, of user: UserRecord, _ schema: ManagedSchema) -> [String] {
    // People may have chosen their name when they registered; `root` is given by an attribute alone.
    if name == userName { return user.username.lowercased() == "root" ? [] : [user.username] }
    guard changeable([name], schema).isEmpty, let value = user.attributes[name] else { return [] }
    return value.stringValue.map { [$0] } ?? value.arrayValue?.compactMap(\.stringValue) ?? []
  }

  /// sshd compares principals with lists that have commas between their elements, and with lines of files.
  static func isFit(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: "-")
      && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_.@+".utf8.contains($0) }
  }
}
