/// How ``DefaultDeviceIdentifier`` makes and stores its identifier.
public struct DeviceIdentifierConfiguration: Sendable {
  /// The size in bits of the key that the identifier is made from: a multiple of 8 from 2048 to 8192.
  public let keySize: Int

  /// The keychain account, to which `.sealring` is added so that an item of the published modules is not touched; the file's name
  /// off Apple platforms. Two accounts have two identifiers.
  public let keychainAccount: String

  /// Whether the stored identifier is encrypted with the device's key.
  public let useEncryption: Bool

  /// 2048 bits, encrypted.
  public static let `default` = DeviceIdentifierConfiguration(
    keySize: Constants.keySize, keychainAccount: Constants.deviceIdentifierKey, useEncryption: true)

  /// 4096 bits, encrypted: a separate identifier. Making it for the first time takes seconds.
  public static let highSecurity = DeviceIdentifierConfiguration(
    keySize: Constants.keySizeSecure, keychainAccount: Constants.deviceIdentifierKeySecure,
    useEncryption: true)

  public init(keySize: Int, keychainAccount: String, useEncryption: Bool = true) {
    self.keySize = keySize
    self.keychainAccount = keychainAccount
    self.useEncryption = useEncryption
  }
}

/// The sizes and accounts of the published modules, and Sealring's earlier accounts.
enum Constants {
  static let keySize = 2048
  static let keySizeSecure = 4096
  static let deviceIdentifierKey = "com.pingidentity.deviceIdentifier"
  static let deviceIdentifierKeySecure = "com.pingidentity.deviceIdentifier.secure"
  static let uuidDigestKey = "com.pingidentity.deviceIdentifier.uuidFallback.sha256"

  /// Holds 32 random bytes, whose digest was the identifier.
  static let earlierKey = "com.sealring.deviceIdentifier"
  /// This account and the next hold a UUID, which was the identifier.
  static let uuidKey = "com.pingidentity.deviceIdentifier.uuidFallback"
  static let earlierUUIDKey = "com.sealring.deviceIdentifier.uuid"
}
