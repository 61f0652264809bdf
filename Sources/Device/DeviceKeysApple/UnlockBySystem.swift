internal import DeviceKeys

extension KeyProtection {
  /// Checks that `unlock` unlocks a key with this protection in a store that has the system verify the person.
  ///
  /// - Throws: ``DeviceKeyError/unsupported(_:)``
  func checkedBySystem(_ unlock: KeyUnlock) throws(DeviceKeyError) {
    switch (self, unlock) {
    case (.biometricOnly, .systemPrompt), (.biometricOrCredential, .systemPrompt):
      return
    case (.biometricOnly, .authorization), (.biometricOrCredential, .authorization):
      throw .unsupported(
        "Keys of the Secure Enclave are unlocked by the system itself. Leave the verification of the person to it."
      )
    default:
      _ = try checked(unlock)
    }
  }
}
