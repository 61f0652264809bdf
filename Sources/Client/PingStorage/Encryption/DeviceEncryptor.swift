package import Foundation
internal import PrivateFiles

/// Encrypts with the device's own key, which is looked up at first use: a configuration that an app replaces does not create
/// one.
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
      // Without a Secure Enclave, rely on the keychain's own encryption.
      SecuredKeyEncryptor() ?? NoEncryptor()
    #else
      // Nothing else encrypts a file: fail rather than write clear text.
      try SecuredKeyEncryptor(home: home)
    #endif
  }
}
