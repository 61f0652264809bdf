public import Foundation
internal import PingLogger

#if !canImport(Security)
  public import PrivateFiles
#endif

/// Encrypts with this device's ``SecuredKey``.
///
/// It never falls back to clear text: without a key there is no encryptor.
public struct SecuredKeyEncryptor: Encryptor {
  private static let tag = "com.sealring.securedKey.identifier"
  private let key: SecuredKey

  /// An encryptor with the device's key, which is created on first use; `nil`, and a logged error, when that fails.
  public init?() {
    guard let key = SecuredKey(applicationTag: Self.tag) else {
      LogManager.logger.e("No key to encrypt stored data with", error: nil)
      return nil
    }
    self.key = key
  }

  #if !canImport(Security)
    /// An encryptor with the key that is kept in `home`.
    ///
    /// - Throws: ``FileStorageError`` when the key cannot be read or created.
    public init(home: ClientHome) throws {
      key = try SecuredKey(applicationTag: Self.tag, home: home)
    }
  #endif

  /// - Throws: ``EncryptorError/failedToEncrypt``
  public func encrypt(data: Data) async throws -> Data {
    guard let encrypted = key.encrypt(data: data) else { throw EncryptorError.failedToEncrypt }
    return encrypted
  }

  /// - Throws: ``EncryptorError/failedToDecrypt``
  public func decrypt(data: Data) async throws -> Data {
    guard let decrypted = key.decrypt(data: data) else { throw EncryptorError.failedToDecrypt }
    return decrypted
  }
}
