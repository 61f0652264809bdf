internal import Agent
internal import Bytes
package import DeviceKeys
internal import JOSE

/// The keys of this device by which PAM recognises its person, and only these.
///
/// The keys are in a folder of their own (`pam` in the client's home), and their tags begin with `pam:`. A bound key or one for SSH is
/// never among them, so a signature for one purpose is never valid for another.
package struct PAMKeys: Sendable {
  /// The prefix of all tags.
  package static let tagPrefix = "pam:"

  let store: any DeviceKeyStore

  /// - Parameter store: The store in the folder `pam`; other keys in it are left alone.
  package init(store: any DeviceKeyStore) { self.store = store }

  /// The keys that can be read, oldest first, and the errors of the others, which the caller reports.
  package func readable() async throws -> (keys: [PAMKey], faults: [DeviceKeyError]) {
    let (keys, faults) = try await store.readableKeys()
    return (keys.compactMap(PAMKey.init), faults)
  }

  /// Makes a key.
  ///
  /// - Parameter pin: The PIN that unlocks the key; without one a person is asked to agree.
  /// - Throws: What ``DeviceKeyStore/createKey(tag:protection:unlock:)`` does.
  package func add(_ name: String, pin: PIN?) async throws -> PAMKey {
    try await store.makeKey(Self.tagPrefix + name, pin: pin, as: PAMKey.init)
  }
}

/// A key by which PAM recognises a person, described without unlocking it.
package struct PAMKey: Sendable, Hashable {
  /// The name that the owner gave the key.
  package let name: String
  /// The public key, `04 ‖ x ‖ y`.
  package let point: [UInt8]
  package let stored: StoredKey

  /// `nil` for a key of another purpose.
  init?(_ stored: StoredKey) {
    guard stored.tag.hasPrefix(PAMKeys.tagPrefix), case .p256(let x, let y) = stored.publicKey.material else {
      return nil
    }
    (name, point, self.stored) = (String(stored.tag.dropFirst(PAMKeys.tagPrefix.count)), [4] + x + y, stored)
  }

  package var hasPIN: Bool { stored.protection == .applicationPIN }

  /// The line that root adds to `/etc/sealring/pam/USER`.
  package var line: String { "\(hasPIN ? "pin" : "consent") \(point.hexadecimal) \(name)" }

  /// Whether the PAM module accepts `line` as a key: `pin` or `consent`, a point on P-256, and a name.
  package static func isLine(_ line: String) -> Bool {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, ["pin", "consent"].contains(words[0]), SSHKeys.isName(String(words[2])),
      let point = Hexadecimal.decode(words[1]), PAMRequest.isPoint(point)
    else { return false }
    return (try? JWK(p256X963: point, keyID: nil)) != nil
  }
}
