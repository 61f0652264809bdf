package import DeviceKeys
internal import JOSE
package import SSHFormats

/// The keys of this device for SSH, and only these.
///
/// They are made in the same kinds of stores as bound keys, in a folder of their own (`ssh` in the client's home), and their tags begin with
/// `ssh:`. A bound key is never among them, and none of them is ever bound: what the agent signs says nothing to a journey server.
package struct SSHKeys: Sendable {
  /// Begins the tag of each.
  package static let tagPrefix = "ssh:"

  /// The most characters of a name.
  package static let longestName = 64

  let store: any DeviceKeyStore

  /// - Parameter store: The keys in the folder `ssh`; others in it are left alone.
  package init(store: any DeviceKeyStore) { self.store = store }

  /// Whether a key can be named so: 1 to 64 letters, digits, `.`, `_`, `-` and `@` of ASCII.
  package static func isName(_ name: String) -> Bool {
    (1...longestName).contains(name.utf8.count)
      && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-@".contains($0)) }
  }

  /// All, oldest first.
  package func all() async throws -> [SSHKey] {
    try await store.keys().compactMap(SSHKey.init)
  }

  /// Makes a key.
  ///
  /// - Throws: What ``DeviceKeyStore/createKey(tag:protection:unlock:)`` does.
  /// - Parameter pin: What unlocks it; without one a person is asked to agree.
  package func add(_ name: String, pin: PIN?) async throws -> SSHKey {
    let tag = Self.tagPrefix + name
    guard let key = SSHKey(try await store.makeKey(tag, pin: pin)) else {
      throw DeviceKeyError.notFound(tag: tag)
    }
    return key
  }

  /// Removes a key for good.
  package func remove(_ key: SSHKey) async throws { try await store.deleteKey(tag: key.stored.tag) }
}

/// A key for SSH, described without unlocking it.
package struct SSHKey: Sendable, Hashable {
  /// What its owner calls it.
  package let name: String
  package let publicKey: SSHPublicKey
  package let stored: StoredKey

  /// `nil` for a key of another purpose.
  init?(_ stored: StoredKey) {
    guard stored.tag.hasPrefix(SSHKeys.tagPrefix), case .p256(let x, let y) = stored.publicKey.material,
      let key = try? SSHPublicKey(point: [4] + x + y)
    else { return nil }
    (name, publicKey, self.stored) = (String(stored.tag.dropFirst(SSHKeys.tagPrefix.count)), key, stored)
  }

  /// The line for `authorized_keys`.
  package var line: String { AuthorizedKey(key: publicKey, comment: name).line }
}
