package import Foundation
internal import PingStorage

/// Encrypts with the device's own key, which is looked up at first use: a configuration that an app replaces creates no
/// key.
package struct DeviceEncryptor: Encryptor {
  package init() {}

  package func encrypt(data: Data) async throws -> Data {
    guard let key = key() else { throw EncryptorError.failedToEncrypt }
    return try await key.encrypt(data: data)
  }

  package func decrypt(data: Data) async throws -> Data {
    guard let key = key() else { throw EncryptorError.failedToDecrypt }
    return try await key.decrypt(data: data)
  }

  private func key() -> (any Encryptor)? {
    if let key = SecuredKeyEncryptor() { return key }
    #if canImport(Security)
      // Without a Secure Enclave the keychain's own encryption has to do.
      return NoEncryptor()
    #else
      // A file is not encrypted by anything else: better none than one in clear.
      return nil
    #endif
  }
}
