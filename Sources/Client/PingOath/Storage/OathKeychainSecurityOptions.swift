public import KeychainNames

#if canImport(Security)
  internal import SealedRecords
  public import Security
#endif

/// The system's name of a protection.
public typealias OathKeychainAccessibility = KeychainAccessibility

/// How the keychain of Apple platforms protects credentials. On other platforms only ``accessGroup`` has an effect.
public struct OathKeychainSecurityOptions: Sendable {
  /// The system's name for the times when the items can be read.
  public let accessibility: String

  /// Whether reading asks for a finger or face.
  public let requireBiometrics: Bool

  /// Whether reading asks for the device's passcode; with ``requireBiometrics``, either of the two is enough.
  public let requireDevicePasscode: Bool

  /// The prompt that the person then sees.
  public let biometricPrompt: String?

  /// The keychain access group of the apps that share the credentials.
  public let accessGroup: String?

  public init(
    accessibility: OathKeychainAccessibility = kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
    requireBiometrics: Bool = false, requireDevicePasscode: Bool = false, biometricPrompt: String? = nil,
    accessGroup: String? = nil
  ) {
    self.accessibility = accessibility.name
    self.requireBiometrics = requireBiometrics
    self.requireDevicePasscode = requireDevicePasscode
    self.biometricPrompt = biometricPrompt
    self.accessGroup = accessGroup
  }

  /// Readable while the device is unlocked.
  public static let standard = OathKeychainSecurityOptions(
    accessibility: kSecAttrAccessibleWhenUnlockedThisDeviceOnly)

  /// Readable once a finger, a face or the passcode was recognised.
  public static let biometric = OathKeychainSecurityOptions(
    accessibility: kSecAttrAccessibleWhenUnlockedThisDeviceOnly, requireBiometrics: true,
    requireDevicePasscode: true, biometricPrompt: "Unlock your one-time codes")

  /// Readable once a finger or face was recognised; the passcode does not help.
  public static let biometricOnly = OathKeychainSecurityOptions(
    accessibility: kSecAttrAccessibleWhenUnlockedThisDeviceOnly, requireBiometrics: true,
    requireDevicePasscode: false, biometricPrompt: "Unlock your one-time codes with your finger or face")

  /// ``standard`` for the apps of a keychain access group.
  public static func shared(accessGroup: String) -> OathKeychainSecurityOptions {
    OathKeychainSecurityOptions(
      accessibility: kSecAttrAccessibleWhenUnlockedThisDeviceOnly, accessGroup: accessGroup)
  }
}

#if canImport(Security)
  extension OathKeychainSecurityOptions {
    var protection: KeychainProtection {
      let flags: SecAccessControlCreateFlags =
        switch (requireBiometrics, requireDevicePasscode) {
        case (true, true): [.biometryAny, .or, .devicePasscode]
        case (true, false): .biometryAny
        case (false, true): .devicePasscode
        case (false, false): []
        }
      return KeychainProtection(
        accessibility: accessibility as CFString, flags: flags, prompt: biometricPrompt)
    }
  }
#endif
