internal import DeviceKeys

/// When the keychain lets a key sign, as described by a `SecAccessControl`.
struct AccessRule: Sendable, Hashable {
  /// What the person has to do.
  enum Person: Sendable, Hashable {
    case nothing
    /// Show a finger or the face that was enrolled when the key was made; any change ends the key.
    case currentBiometry
    /// Show a finger or the face, or enter the device's passcode.
    case biometryOrPasscode
    /// Enter the device's passcode.
    case passcode
    /// Enter the app's PIN.
    case applicationPIN
  }

  let person: Person
  /// Whether the key disappears when the device's passcode is switched off. A key that depends on the passcode must, and
  /// none can be made without one.
  let needsPasscode: Bool
}

/// The verifications that a device can ask its user for.
struct PersonFacts: Sendable, Hashable {
  /// Whether the device has a passcode.
  var hasPasscode: Bool
  /// Whether a finger or a face is enrolled.
  var hasBiometry: Bool
}

extension AccessRule {
  /// The rule for a new key.
  ///
  /// - Throws: ``DeviceKeyError/unsupported(_:)`` when nobody could ever use the key.
  init(_ protection: KeyProtection, on device: PersonFacts) throws(DeviceKeyError) {
    switch protection {
    case .none:
      self.init(person: .nothing, needsPasscode: false)
    case .applicationPIN:
      // The PIN is the app's own and works on all devices; where there is a passcode, the key depends on it as well.
      self.init(person: .applicationPIN, needsPasscode: device.hasPasscode)
    case .biometricOnly:
      guard device.hasBiometry else {
        throw .unsupported(
          "No face or finger is enrolled on this device. Enrol one in the settings, or choose another authentication"
            + " type in the device binding node.")
      }
      self.init(person: .currentBiometry, needsPasscode: true)
    case .biometricOrCredential:
      guard device.hasPasscode else {
        throw .unsupported(
          "This device has no passcode. Set one in the settings, or choose another authentication type in the device"
            + " binding node.")
      }
      // A rule with biometry cannot be made while nothing is enrolled.
      self.init(person: device.hasBiometry ? .biometryOrPasscode : .passcode, needsPasscode: true)
    }
  }

  /// Whether the key ends when the enrolled set changes after its creation.
  var endsWithEnrolment: Bool { person == .currentBiometry || person == .biometryOrPasscode }
}

extension KeyProtection {
  /// Checks that `unlock` fits a key with this protection in a store that has the system verify the person.
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
