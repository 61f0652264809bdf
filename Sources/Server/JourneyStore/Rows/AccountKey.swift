package import BindingFormats
internal import Bytes
internal import Crypto
internal import Foundation

/// The key of an account in the tables: the keys of its realm and of its name.
package struct AccountKey: Sendable, Hashable {
  package let realm: String
  package let name: String

  /// Longest name kept as it is, in bytes. Failed sign-ins are counted for any text that someone sends as a name,
  /// so longer ones are replaced by their SHA-256, and a row has a bounded size.
  package static let longestName = 256

  package init(username: String, realm: String) {
    self.realm = RealmKey(realm).realm
    self.name = Self.bounded(NameKey.folded(username))
  }

  package init(_ account: UniversalID) { self.init(username: account.username, realm: account.realm) }

  /// The values of `realm_key` and `name_key`.
  var values: StatementValues { [realm, name] }

  /// The key of no account: it stands for a whole realm where rights are checked.
  package init(ofAll realm: String) { self.init(username: "", realm: realm) }

  fileprivate static func bounded(_ key: String) -> String {
    guard key.utf8.count > longestName else { return key }
    return "sha256:" + SHA256.hash(data: Data(key.utf8)).hexadecimal
  }
}

/// The key of a realm in the tables.
package struct RealmKey: Sendable, Hashable {
  package let realm: String

  package init(_ realm: String) { self.realm = AccountKey.bounded(NameKey.folded(realm)) }

  /// The realm that contains it: for `alpha/branch` it is `alpha`. `nil` for a realm in the root realm, which always exists.
  package var parent: String? {
    realm.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(realm[..<$0]) }
  }
}
