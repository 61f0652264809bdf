/// Rules for tags, the same in every store.
package enum KeyTag {
  /// The longest tag in UTF-8 bytes.
  package static let maximumBytes = 256

  /// - Throws: ``DeviceKeyError/unsupported(_:)`` unless `tag` has 1 to 256 bytes.
  package static func check(_ tag: String) throws(DeviceKeyError) {
    guard (1...maximumBytes).contains(tag.utf8.count) else {
      throw .unsupported(
        "A key tag has 1 to \(maximumBytes) bytes, this one \(tag.utf8.count). Choose another one.")
    }
  }
}

extension KeyProtection {
  /// The PIN that `unlock` brings, if this protection wants one.
  ///
  /// - Throws: ``DeviceKeyError/unsupported(_:)`` unless the two fit: nothing unlocks a key that was made with a PIN but
  ///   the PIN, and a store of keys without hardware has no other way.
  package func pin(from unlock: KeyUnlock) throws(DeviceKeyError) -> PIN? {
    switch (self, unlock) {
    case (.none, .nothing):
      return nil
    case (.applicationPIN, .pin(let pin)):
      guard !pin.isEmpty else {
        throw .unsupported("An empty PIN protects nothing. Enter at least one character.")
      }
      return pin
    case (.none, .pin), (.applicationPIN, .nothing):
      throw .unsupported(
        "A key with protection \(rawValue) is not unlocked that way: bring what it was made with.")
    case (.biometricOnly, _), (.biometricOrCredential, _):
      throw .unsupported(
        "Keys with protection \(rawValue) need a store that verifies biometrics; this one does not."
          + " Use \(KeyProtection.applicationPIN.rawValue) or \(KeyProtection.none.rawValue).")
    }
  }
}
