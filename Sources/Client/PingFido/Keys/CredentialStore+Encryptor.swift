public import Foundation
public import PingStorage
public import PrivateFiles
public import WebAuthnAuthenticator

extension CredentialStore {
  /// The store in `directory`, which is created with the first credential.
  ///
  /// - Parameter encryptor: Encrypts the files.
  public init(directory: URL, encryptor: any Encryptor) {
    self.init(directory: directory, encryption: StorageEncryption { encryptor })
  }

  /// The store in the folder `credentials` of `home`, encrypted with this device's key.
  public init(home: ClientHome = .standard) {
    self.init(
      directory: home.directory.appendingPathComponent("credentials", isDirectory: true),
      encryption: StorageEncryption {
        #if canImport(Security)
          guard let encryptor = SecuredKeyEncryptor() else { throw EncryptorError.failedToEncrypt }
          return encryptor
        #else
          return try SecuredKeyEncryptor(home: home)
        #endif
      })
  }
}

/// Encrypts as a storage does. The encryptor is looked up on use, so that a failure is an error of that use.
private struct StorageEncryption: CredentialEncryption {
  let encryptor: @Sendable () throws -> any Encryptor

  func encrypt(_ record: Data) async throws -> Data { try await encryptor().encrypt(data: record) }

  func decrypt(_ record: Data) async throws -> Data? {
    let encryptor = try encryptor()
    do { return try await encryptor.decrypt(data: record) } catch is EncryptorError { return nil }
  }
}
