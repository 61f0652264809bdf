internal import Foundation
public import PingOrchestrate
public import PingStorage

#if !canImport(Security)
  public import PrivateFiles
#endif

/// The storage of the descriptions of bound keys.
// Its stored property is guarded.
public class UserKeyStorageConfig: @unchecked Sendable {
  static let account = "com.pingidentity.device.binding.v1.userkeys"

  /// The storage. With an `UpdatableStorage`, changes by other processes are not lost.
  @Guarded public var storage: any Storage<[UserKey]>

  /// Stores the descriptions encrypted, in the keychain on Apple platforms and in the client's home elsewhere.
  ///
  /// There is no fallback to clear text: without an encryption key, binding fails with an error.
  public init() {
    storage = KeychainStorage<[UserKey]>(account: Self.account, encryptor: DeviceEncryptor())
  }

  /// Stores the descriptions in `storage`.
  public init(storage: any Storage<[UserKey]>) { self.storage = storage }

  #if !canImport(Security)
    /// Stores the descriptions encrypted, in `home`.
    public init(home: ClientHome) {
      storage = KeychainStorage<[UserKey]>(
        account: Self.account, encryptor: DeviceEncryptor(home: home), home: home)
    }
  #endif
}

#if canImport(Security)
  /// Encrypts with this device's key. Without a Secure Enclave, `PingStorage.DeviceEncryptor` relies on the keychain alone, whereas
  /// this encryptor fails, so that key descriptions are not stored.
  private struct DeviceEncryptor: Encryptor {
    private func encryptor() throws -> SecuredKeyEncryptor {
      guard let encryptor = SecuredKeyEncryptor() else { throw EncryptorError.failedToEncrypt }
      return encryptor
    }

    func encrypt(data: Data) async throws -> Data { try await encryptor().encrypt(data: data) }

    func decrypt(data: Data) async throws -> Data { try await encryptor().decrypt(data: data) }
  }
#endif
