/// How ``DefaultDeviceIdentifier`` makes and keeps its identifier.
public struct DeviceIdentifierConfiguration: Sendable {
  /// The size in bits of the key that the identifier is made from: a multiple of 8 from 2048 to 8192.
  public let keySize: Int

  /// The account under which the keychain keeps it, with `.sealring` at its end, so that an item of the published modules stays
  /// theirs; off Apple platforms, the name of its file. Two accounts are two identifiers.
  public let keychainAccount: String

  /// Whether what is stored is encrypted with the device's key.
  public let useEncryption: Bool

  /// 2048 bits, encrypted.
  public static let `default` = DeviceIdentifierConfiguration(
    keySize: Constants.keySize, keychainAccount: Constants.deviceIdentifierKey, useEncryption: true)

  /// 4096 bits, encrypted: an identifier of its own. Making the first one takes seconds.
  public static let highSecurity = DeviceIdentifierConfiguration(
    keySize: Constants.keySizeSecure, keychainAccount: Constants.deviceIdentifierKeySecure,
    useEncryption: true)

  /// A configuration of these settings.
  public init(keySize: Int, keychainAccount: String, useEncryption: Bool = true) {
    self.keySize = keySize
    self.keychainAccount = keychainAccount
    self.useEncryption = useEncryption
  }
}

/// The sizes and accounts of the published modules, and the accounts that Sealring used before it had these.
enum Constants {
  static let keySize = 2048
  static let keySizeSecure = 4096
  static let deviceIdentifierKey = "com.pingidentity.deviceIdentifier"
  static let deviceIdentifierKeySecure = "com.pingidentity.deviceIdentifier.secure"
  static let uuidKey = "com.pingidentity.deviceIdentifier.uuidFallback"

  /// 32 random bytes, whose digest was the identifier.
  static let earlierKey = "com.sealring.deviceIdentifier"
  static let earlierUUIDKey = "com.sealring.deviceIdentifier.uuid"
}
