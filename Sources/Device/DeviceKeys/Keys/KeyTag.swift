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
  /// Returns `unlock` if it fits a key with this protection in a store that does not verify the person itself.
  ///
  /// - Throws: ``DeviceKeyError/unsupported(_:)`` unless the two fit: a key is unlocked only by what it was made with.
  package func checked(_ unlock: KeyUnlock) throws(DeviceKeyError) -> KeyUnlock {
    switch (self, unlock) {
    case (.none, .nothing), (.biometricOnly, .authorization), (.biometricOrCredential, .authorization):
      return unlock
    case (.applicationPIN, .pin(let pin)):
      guard !pin.isEmpty else {
        throw .unsupported("An empty PIN protects nothing. Enter at least one character.")
      }
      return unlock
    case (.biometricOnly, .systemPrompt), (.biometricOrCredential, .systemPrompt):
      throw .unsupported(
        "This store does not ask the system to verify the person. Pass the authorisation that a verification released."
      )
    case (.none, _), (.applicationPIN, _), (.biometricOnly, _), (.biometricOrCredential, _):
      throw .unsupported(
        "A key with protection \(rawValue) cannot be unlocked that way: use what it was made with.")
    }
  }
}
