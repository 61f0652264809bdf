#if canImport(Security)
  public import Security

  /// How well the keychain protects an item.
  public typealias KeychainAccessibility = CFString

  extension CFString {
    /// The name that the keychain has for it.
    package var name: String { self as String }
  }
#else
  /// How well the keychain of Apple platforms protects an item. Here for calls written for it: a file has one protection.
  public struct KeychainAccessibility: Sendable, Hashable {
    /// The name that the keychain of Apple platforms has for it.
    package let name: String
  }

  public let kSecAttrAccessibleWhenUnlocked = KeychainAccessibility(name: "ak")
  public let kSecAttrAccessibleAfterFirstUnlock = KeychainAccessibility(name: "ck")
  public let kSecAttrAccessibleWhenUnlockedThisDeviceOnly = KeychainAccessibility(name: "aku")
  public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly = KeychainAccessibility(name: "cku")
  public let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly = KeychainAccessibility(name: "akpu")
#endif
