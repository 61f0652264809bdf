internal import BindingFormats
internal import Bytes
internal import Crypto
internal import Foundation

/// Names one account in the tables: the keys of its realm and of its name.
struct AccountKey: Sendable, Hashable {
  let realm: String
  let name: String

  /// Longest name kept as it is, in bytes. Failed sign-ins are counted for any text that someone sends as a name,
  /// so longer ones are replaced by their SHA-256, and a row has a bounded size.
  static let longestName = 256

  init(username: String, realm: String) {
    self.realm = RealmKey(realm).realm
    self.name = Self.bounded(NameKey.folded(username))
  }

  init(_ account: UniversalID) { self.init(username: account.username, realm: account.realm) }

  /// No account's: it stands for a whole realm where rights are judged.
  init(ofAll realm: String) { self.init(username: "", realm: realm) }

  fileprivate static func bounded(_ key: String) -> String {
    guard key.utf8.count > longestName else { return key }
    return "sha256:" + SHA256.hash(data: Data(key.utf8)).hexadecimal
  }
}

/// Names one realm in the tables.
struct RealmKey: Sendable, Hashable {
  let realm: String

  init(_ realm: String) { self.realm = AccountKey.bounded(NameKey.folded(realm)) }
}
