internal import Foundation
public import PingOrchestrate
public import PingStorage

#if !canImport(Security)
  public import PrivateFiles
#endif

/// Where the descriptions of bound keys are kept.
// Its stored property is guarded.
public class UserKeyStorageConfig: @unchecked Sendable {
  static let account = "com.pingidentity.device.binding.v1.userkeys"

  /// The storage. One that conforms to `UpdatableStorage` is changed without losing what other processes change.
  @Guarded public var storage: any Storage<[UserKey]>

  /// Encrypted, in the keychain on Apple platforms and in the client's home elsewhere.
  ///
  /// There is no fall-back to clear text: without a key to encrypt with, binding fails and says so.
  public init() {
    storage = KeychainStorage<[UserKey]>(account: Self.account, encryptor: DeviceEncryptor())
  }

  /// In `storage`.
  public init(storage: any Storage<[UserKey]>) { self.storage = storage }

  #if !canImport(Security)
    /// Encrypted, in `home`.
    public init(home: ClientHome) {
      storage = KeychainStorage<[UserKey]>(
        account: Self.account, encryptor: DeviceEncryptor(home: home), home: home)
    }
  #endif
}

/// Encrypts with this device's key, which is looked up when it is needed, so that a failure is an error of that use.
private struct DeviceEncryptor: Encryptor {
  #if canImport(Security)
    private func encryptor() throws -> SecuredKeyEncryptor {
      guard let encryptor = SecuredKeyEncryptor() else { throw EncryptorError.failedToEncrypt }
      return encryptor
    }
  #else
    var home = ClientHome.standard

    private func encryptor() throws -> SecuredKeyEncryptor { try SecuredKeyEncryptor(home: home) }
  #endif

  func encrypt(data: Data) async throws -> Data { try await encryptor().encrypt(data: data) }

  func decrypt(data: Data) async throws -> Data { try await encryptor().decrypt(data: data) }
}
