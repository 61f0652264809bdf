public import Foundation

/// Why there is no identifier.
///
/// What a storage throws comes as it is, so some cases stand here for apps that switch over them and are not thrown by
/// this module.
public enum DeviceIdentifierError: Error {
  /// There is no key to encrypt what is stored.
  case encryptionInitializationFailed

  /// No key could be made, for this reason.
  case keyGenerationFailed(any Error)

  /// The public key of a pair cannot be had.
  case publicKeyExtractionFailed

  /// The public key has no external form, for this reason.
  case externalRepresentationFailed(any Error)

  /// The keychain has no such item.
  case keychainItemNotFound

  /// The keychain's item is not an identifier.
  case keychainUnexpectedData

  /// The keychain answered with this status, an `OSStatus`.
  case keychainUnexpectedStatus(Int32)
}

extension DeviceIdentifierError: LocalizedError {
  public var errorDescription: String? {
    switch self {
    case .encryptionInitializationFailed:
      "The device identifier cannot be encrypted: there is no key for it."
    case .keyGenerationFailed(let error):
      "No key for the device identifier could be made: \(error.localizedDescription)"
    case .publicKeyExtractionFailed:
      "The device identifier's public key cannot be had."
    case .externalRepresentationFailed(let error):
      "The device identifier's public key cannot be exported: \(error.localizedDescription)"
    case .keychainItemNotFound:
      "The keychain has no device identifier."
    case .keychainUnexpectedData:
      "The keychain's item is not a device identifier."
    case .keychainUnexpectedStatus(let status):
      "The keychain answered with status \(status)."
    }
  }
}
