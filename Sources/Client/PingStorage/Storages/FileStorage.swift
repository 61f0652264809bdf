internal import Concurrency
public import Foundation
internal import PingLogger
internal import PrivateFiles

/// Stores an item as JSON in a file of mode 0600.
///
/// A change is durable when the call returns, and a crash leaves the old or the new item. Several processes may use one
/// file: changes are made under a lock (`.NAME.lock` beside the file).
public actor FileStorage<T: Codable & Sendable>: UpdatableStorage {
  private let file: URL
  private let encryptor: any Encryptor
  private let limit: Int
  private let mutex = AsyncMutex()

  /// A storage in `file`.
  ///
  /// - Parameters:
  ///   - file: The file. Its folder is created when an item is first saved, and always given mode 0700.
  ///   - encryptor: Encrypts what is written.
  ///   - limit: The largest file that is read, in bytes.
  public init(file: URL, encryptor: any Encryptor = NoEncryptor(), limit: Int = 16 << 20) {
    self.file = file.standardizedFileURL
    self.encryptor = encryptor
    self.limit = limit
  }

  public func save(item: T) async throws {
    try await exclusively { try await write(item) }
  }

  /// The item, or `nil` when there is no file.
  ///
  /// - Throws: ``FileStorageError/unreadable(path:reason:)`` when a file exists and its item cannot be read.
  public func get() async throws -> T? {
    guard let bytes = try ProtectedFiles.read(file, limit: limit) else { return nil }
    let json: Data
    do {
      json = try await encryptor.decrypt(data: Data(bytes))
    } catch {
      throw FileStorageError.unreadable(path: file.path, reason: error.ownText)
    }
    do {
      return try JSONDecoder().decode(T.self, from: json)
    } catch {
      throw FileStorageError.unreadable(
        path: file.path,
        reason: "its content is not the JSON form of \(T.self), or it is encrypted and no key was given")
    }
  }

  /// Removes the file. Succeeds when there is none.
  public func delete() async throws {
    // Without the folder there is no file, and no place for a lock.
    guard try ProtectedFiles.folderExists(folder) else { return }
    try await exclusively { try ProtectedFiles.remove(file) }
  }

  /// Changes the item while no other task and no other process changes it. An unreadable file is left as it is.
  public func update<Result: Sendable>(_ change: @Sendable (inout T?) throws -> Result) async throws -> Result
  {
    try await exclusively {
      let stored = try await get()
      var item = stored
      let result = try change(&item)
      if let item {
        try await write(item)
      } else if stored != nil {
        try ProtectedFiles.remove(file)
      }
      return result
    }
  }

  private var folder: URL { file.deletingLastPathComponent() }

  private func write(_ item: T) async throws {
    let json: Data
    do {
      json = try JSONEncoder().encode(item)
    } catch {
      throw FileStorageError.unwritable(path: file.path, reason: "the item has no JSON form: \(error)")
    }
    try ProtectedFiles.replace(file, with: try await encryptor.encrypt(data: json))
  }

  /// The mutex orders the tasks of this process; the lock keeps other processes out.
  private func exclusively<Result>(_ body: () async throws -> Result) async throws -> Result {
    try ProtectedFiles.createFolder(folder)
    let lock = FileLock(file: folder.appendingPathComponent(".\(file.lastPathComponent).lock"))
    return try await mutex.withLock { try await lock.withLock { try await body() } }
  }
}
