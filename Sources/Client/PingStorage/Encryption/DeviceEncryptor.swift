package import Foundation
internal import PingLogger
internal import PrivateFiles

/// Encrypts with the device's own key. The key is looked up at first use, so that a configuration that an app replaces does
/// not create one.
package struct DeviceEncryptor: Encryptor {
  #if canImport(Security)
    package init() {}
  #else
    private let home: ClientHome

    /// Encrypts with the key that is kept in `home`.
    package init(home: ClientHome = .standard) { self.home = home }
  #endif

  package func encrypt(data: Data) async throws -> Data {
    try await key().encrypt(data: data)
  }

  package func decrypt(data: Data) async throws -> Data {
    try await key().decrypt(data: data)
  }

  private func key() throws -> any Encryptor {
    #if canImport(Security)
      if let encryptor = SecuredKeyEncryptor() { return encryptor }
      // When the key in the Secure Enclave cannot be used now, fail: weaker encryption would stay.
      guard !SecuredKey.isAvailable() else { throw EncryptorError.failedToEncrypt }
      // Macs and simulators without a Secure Enclave have only the keychain's own encryption.
      LogManager.logger.w("No Secure Enclave: only the keychain encrypts the stored data", error: nil)
      return NoEncryptor()
    #else
      // Nothing else encrypts a file: fail rather than write clear text.
      return try SecuredKeyEncryptor(home: home)
    #endif
  }
}
