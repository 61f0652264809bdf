public import Foundation

/// Why the identifier is not available.
///
/// A storage's errors are thrown unchanged, so some cases exist only for apps that switch over them; this module does not throw
/// them.
public enum DeviceIdentifierError: Error {
  /// There is no key to encrypt the identifier.
  case encryptionInitializationFailed

  /// No key could be made, for this reason.
  case keyGenerationFailed(any Error)

  /// The public key of a pair is not available.
  case publicKeyExtractionFailed

  /// The public key cannot be exported, for this reason.
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
    case .encryptionInitializationFailed: "The device identifier cannot be encrypted: there is no key for it."
    case .keyGenerationFailed(let error):
      "The key for the device identifier could not be made: \(error.localizedDescription)"
    case .publicKeyExtractionFailed: "The device identifier's public key is not available."
    case .externalRepresentationFailed(let error):
      "The device identifier's public key cannot be exported: \(error.localizedDescription)"
    case .keychainItemNotFound: "The keychain has no device identifier."
    case .keychainUnexpectedData: "The keychain's item is not a device identifier."
    case .keychainUnexpectedStatus(let status): "The keychain answered with status \(status)."
    }
  }
}
