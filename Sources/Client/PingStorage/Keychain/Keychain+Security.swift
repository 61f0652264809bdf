#if canImport(Security)
  internal import Concurrency
  internal import Foundation
  internal import PingLogger
  internal import Security

  /// Keeps an item as a generic password of the system's keychain, readable on this device after the first unlock.
  public actor Keychain<T: Codable & Sendable>: UpdatableStorage {
    private let account: String
    private let accessGroup: String?
    private let encryptor: any Encryptor
    private let mutex = AsyncMutex()

    /// The item `account`.
    public init(account: String, encryptor: any Encryptor = NoEncryptor()) {
      self.init(account: account, encryptor: encryptor, accessGroup: nil)
    }

    /// The item `account` of the keychain access group `accessGroup`, which several apps of one team can share.
    public init(account: String, encryptor: any Encryptor = NoEncryptor(), accessGroup: String?) {
      self.account = account
      self.encryptor = encryptor
      self.accessGroup = accessGroup
    }

    /// Stores `item`. An existing item is updated in place, so that a failure cannot lose it.
    ///
    /// - Throws: ``KeychainError/unableToSave``, or what the encryptor throws.
    public func save(item: T) async throws {
      try await mutex.withLock { try await write(item) }
    }

    /// The item, or `nil` when the keychain says that there is none.
    ///
    /// - Throws: ``KeychainError/unableToRetrieve`` for every other answer; what the encryptor or decoding throws.
    public func get() async throws -> T? {
      var result: CFTypeRef?
      let query = query.merging([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]) { $1 }
      let status = SecItemCopyMatching(query as CFDictionary, &result)
      if status == errSecItemNotFound { return nil }
      guard status == errSecSuccess, let data = result as? Data else {
        throw failure(.unableToRetrieve, status)
      }
      return try JSONDecoder().decode(T.self, from: try await encryptor.decrypt(data: data))
    }

    /// Deletes the item. Succeeds when there is none.
    ///
    /// - Throws: ``KeychainError/unableToDelete``
    public func delete() async throws {
      try await mutex.withLock { try remove() }
    }

    /// Changes the item while no other task of this process changes it through this object.
    public func update<Result: Sendable>(
      _ change: @Sendable (inout T?) throws -> Result
    ) async throws -> Result {
      try await mutex.withLock {
        var item = try await get()
        let result = try change(&item)
        if let item { try await write(item) } else { try remove() }
        return result
      }
    }

    private var query: [CFString: Any] {
      var query: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword,
        kSecAttrService: "com.pingidentity.keychainService",
        kSecAttrAccount: account,
      ]
      query[kSecAttrAccessGroup] = accessGroup
      return query
    }

    private func write(_ item: T) async throws {
      let data = try await encryptor.encrypt(data: try JSONEncoder().encode(item))
      let value: [CFString: Any] = [
        kSecValueData: data,
        kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
      ]
      var status = SecItemUpdate(query as CFDictionary, value as CFDictionary)
      if status == errSecItemNotFound {
        status = SecItemAdd(query.merging(value) { $1 } as CFDictionary, nil)
      }
      guard status == errSecSuccess else { throw failure(.unableToSave, status) }
    }

    private func remove() throws {
      let status = SecItemDelete(query as CFDictionary)
      guard status == errSecSuccess || status == errSecItemNotFound else {
        throw failure(.unableToDelete, status)
      }
    }

    private func failure(_ error: KeychainError, _ status: OSStatus) -> KeychainError {
      LogManager.logger.e("Keychain item \(account): status \(status)", error: error)
      return error
    }
  }
#endif
