#if !canImport(Security)
  internal import Foundation
  public import PrivateFiles

  /// Keeps an item in a file of mode 0600 in the folder `storage` of the ``ClientHome``, where there is no system keychain.
  ///
  /// Errors are ``FileStorageError``, which names the file.
  public actor Keychain<T: Codable & Sendable>: UpdatableStorage {
    private let storage: FileStorage<T>

    /// The item `account` of the user's home.
    public init(account: String, encryptor: any Encryptor = NoEncryptor()) {
      self.init(account: account, encryptor: encryptor, home: .standard)
    }

    /// The item `account` of `home`.
    public init(account: String, encryptor: any Encryptor = NoEncryptor(), home: ClientHome) {
      let folder = home.directory.appendingPathComponent("storage", isDirectory: true)
      storage = FileStorage(
        file: folder.appendingPathComponent(fileName(for: account)), encryptor: encryptor)
    }

    public func save(item: T) async throws { try await storage.save(item: item) }
    public func get() async throws -> T? { try await storage.get() }
    public func delete() async throws { try await storage.delete() }

    /// Changes the item while no other task and no other process changes it.
    public func update<Result: Sendable>(
      _ change: @Sendable (inout T?) throws -> Result
    ) async throws -> Result {
      try await storage.update(change)
    }
  }
#endif
