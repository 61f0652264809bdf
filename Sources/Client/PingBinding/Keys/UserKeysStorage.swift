internal import Foundation
internal import Locking
internal import PingStorage

/// The descriptions of bound keys, and the log of keys that are being made or removed.
///
/// A key consists of two parts in two places: the private key in the key store, its description here. So that no crash
/// leaves one without the other for good, the description comes first and goes last:
///
/// 1. The new key is noted as *pending*. Only then is the private key made.
/// 2. When the server's answer is signed, one change makes the new key *bound* and the user's earlier keys *retired*.
///    Before it the old key works, after it the new one does; there is no moment with none or with half of one.
/// 3. The private keys of retired descriptions are deleted, and then the descriptions.
///
/// A crash after 1 leaves a pending description, one after 2 a retired one, each with the tag of the private key to delete.
/// The next binding does that (``leftovers(now:)``). A pending key of a process that is still at work is left alone.
///
/// Changes are made one at a time: under the storage's own lock when it is an `UpdatableStorage`, which also keeps other
/// processes out, otherwise under one for the whole process. A storage that cannot be read is an error, never "no keys".
struct UserKeysStorage: Sendable {
  private static let plainStorages = AsyncMutex()
  /// The kids of pending keys of this process.
  private static let inProgress = Locked<Set<String>>([])

  private let storage: any Storage<[UserKey]>

  init(config: UserKeyStorageConfig) { storage = config.storage }

  // MARK: Reading

  /// The bound keys, newest first.
  func findAll() async throws -> [UserKey] {
    try await records().filter(\.isBound).sorted { ($0.createdAt, $0.kid) > ($1.createdAt, $1.kid) }
  }

  /// The bound keys of `userId`, newest first.
  func findByUserId(_ userId: String) async throws -> [UserKey] {
    try await findAll().filter { $0.userId == userId }
  }

  /// Tags of private keys that are in use: a leftover of the same tag must not take them along.
  func boundTags() async throws -> Set<String> { Set(try await findAll().map(\.keyTag)) }

  /// Descriptions whose private keys are to be deleted: retired ones, and pending ones that nobody is working on.
  func leftovers(now: Date) async throws -> [UserKey] {
    try await records().filter { key in
      switch key.state {
      case nil: false
      case .retired: true
      case .pending(let processID, let until):
        until < now || Self.isAbandoned(kid: key.kid, processID: processID)
      }
    }
  }

  // MARK: Binding

  /// Notes that the key `key` is about to be made.
  func reserve(_ key: UserKey, until: Date) async throws {
    var pending = key
    pending.state = .pending(processID: ProcessInfo.processInfo.processIdentifier, until: until)
    _ = Self.inProgress.withLock { $0.insert(key.kid) }
    do {
      try await update { [pending] in $0.append(pending) }
    } catch {
      _ = Self.inProgress.withLock { $0.remove(key.kid) }
      throw error
    }
  }

  /// Notes the tag under which the private key of the pending key `kid` really is.
  func retag(kid: String, keyTag: String) async throws {
    try await update { keys in
      guard let index = keys.firstIndex(where: { $0.kid == kid && !$0.isBound }) else { return }
      keys[index] = keys[index].tagged(keyTag)
    }
  }

  /// Makes the pending key `kid` a bound one, and retires the user's other keys.
  ///
  /// - Throws: ``DeviceBindingError/unsupported(errorMessage:)`` when another process took the key for abandoned.
  func commit(kid: String) async throws {
    try await update { keys in
      guard let index = keys.firstIndex(where: { $0.kid == kid && !$0.isBound }) else {
        throw DeviceBindingError.unsupported(
          errorMessage: "Another process removed the key while it was being bound. Bind the device again.")
      }
      keys[index].state = nil
      let userId = keys[index].userId
      for other in keys.indices where other != index && keys[other].userId == userId && keys[other].isBound {
        keys[other].state = .retired(by: kid)
      }
    }
    _ = Self.inProgress.withLock { $0.remove(kid) }
  }

  /// Takes ``commit(kid:)`` back, which may have taken place although it threw: the key is no longer bound, and the ones
  /// that it replaced are.
  func revoke(kid: String) async throws {
    defer { _ = Self.inProgress.withLock { $0.remove(kid) } }
    try await update { keys in
      for index in keys.indices {
        if keys[index].kid == kid { keys[index].state = .retired(by: nil) }
        if keys[index].state == .retired(by: kid) { keys[index].state = nil }
      }
    }
  }

  // MARK: Removing

  /// Retires the bound keys that `condition` holds for, and returns them: their private keys are now to be deleted.
  func retire(where condition: @Sendable (UserKey) -> Bool) async throws -> [UserKey] {
    guard try await records().contains(where: { $0.isBound && condition($0) }) else { return [] }
    return try await update { keys in
      var retired: [UserKey] = []
      for index in keys.indices where keys[index].isBound && condition(keys[index]) {
        retired.append(keys[index])
        keys[index].state = .retired(by: nil)
      }
      return retired
    }
  }

  /// Forgets the descriptions of keys that are not bound: their private keys are deleted.
  func forget(kids: Set<String>) async throws {
    try await update { keys in keys.removeAll { kids.contains($0.kid) && !$0.isBound } }
  }

  // MARK: The storage

  private func records() async throws -> [UserKey] { try await storage.get() ?? [] }

  private func update<Result: Sendable>(
    _ change: @Sendable (inout [UserKey]) throws -> Result
  ) async throws -> Result {
    if let storage = storage as? any UpdatableStorage<[UserKey]> {
      return try await storage.update { item in
        var keys = item ?? []
        let result = try change(&keys)
        item = keys.isEmpty ? nil : keys
        return result
      }
    }
    return try await Self.plainStorages.withLock {
      let item = try await storage.get()
      var keys = item ?? []
      let result = try change(&keys)
      if !keys.isEmpty {
        try await storage.save(item: keys)
      } else if item != nil {
        try await storage.delete()
      }
      return result
    }
  }

  /// Whether nobody works on a pending key any more. When in doubt, somebody does, until its time has passed.
  private static func isAbandoned(kid: String, processID: Int32) -> Bool {
    if processID == ProcessInfo.processInfo.processIdentifier {
      return !inProgress.withLock { $0.contains(kid) }
    }
    return kill(processID, 0) != 0 && errno == ESRCH
  }
}
