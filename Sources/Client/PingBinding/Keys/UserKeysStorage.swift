internal import Concurrency
internal import DeviceKeys
internal import Foundation
internal import PingStorage

/// The descriptions of bound keys, and the log of keys that are being made or removed.
///
/// A key has two parts in two places: the private key in the key store, its description here. So that no crash leaves one
/// without the other for good, the description is written first and removed last:
///
/// 1. The new key is recorded as *pending*. Only then is the private key made.
/// 2. When the server's challenge is signed, the new key is *unconfirmed*: the server may or may not accept it. The user
///    still signs with the earlier key. A user without an earlier key signs with the unconfirmed one.
/// 3. When the server has accepted the answer, one change makes the new key *bound* and the user's earlier keys *retired*.
///    When it refuses, the new key is retired. Outside a journey no answer is observed, and 3 follows 2 at once.
/// 4. The private keys of retired descriptions are deleted, and then the descriptions.
///
/// A crash after 1 leaves a pending description, one after 2 an unconfirmed one beside the key that still works, one after 3
/// a retired one, each with the tag of the private key to delete. The next binding deletes it (``leftovers(now:)``). Keys that
/// another process is working on are left alone.
///
/// Changes are made one at a time: under the storage's own lock when it is an `UpdatableStorage`, which also excludes other
/// processes, otherwise under one lock for the process. A storage that cannot be read is an error, never "no keys".
struct UserKeysStorage: Sendable {
  private static let plainStorages = AsyncMutex()
  /// The kids of pending keys of this process.
  private static let inProgress = Locked<Set<String>>([])

  private let storage: any Storage<[UserKey]>

  init(config: UserKeyStorageConfig) { storage = config.storage }

  // MARK: Reading

  /// The keys of all servers that can sign, newest first: the bound ones, and the unconfirmed ones of users without a bound
  /// key.
  func findAll() async throws -> [UserKey] {
    let keys = try await records()
    let confirmed = Self.confirmedUsers(keys)
    return keys.filter { $0.isBound || $0.isUnconfirmed && !confirmed.contains($0.owner) }
      .sorted { ($0.createdAt, $0.kid) > ($1.createdAt, $1.kid) }
  }

  /// The keys that can sign at `scope`, newest first: the keys that belong there, and, for a user without such a key, the keys whose
  /// server is not recorded.
  ///
  /// - Parameter scope: `nil` outside a journey; then only keys without a server are found.
  func find(in scope: KeyScope?, userId: String? = nil) async throws -> [UserKey] {
    let keys = try await findAll().filter { key in
      (key.scope == scope || key.scope == nil) && userId.map { $0 == key.userId } ?? true
    }
    guard let scope else { return keys }
    let known = Set(keys.filter { $0.scope == scope }.map(\.userId))
    return keys.filter { $0.scope == scope || !known.contains($0.userId) }
  }

  /// Tags of private keys that keys other than `kids` use. These private keys must not be deleted with a leftover of the same tag.
  func tagsInUse(except kids: Set<String> = []) async throws -> Set<String> {
    Set(
      try await records().filter { ($0.isBound || $0.isUnconfirmed) && !kids.contains($0.kid) }.map(\.keyTag))
  }

  /// Descriptions whose private keys are to be deleted: retired ones, abandoned pending ones, and abandoned unconfirmed ones
  /// whose user has a bound key.
  func leftovers(now: Date) async throws -> [UserKey] {
    let keys = try await records()
    let confirmed = Self.confirmedUsers(keys)
    return keys.filter { key in
      switch key.state {
      case nil: false
      case .retired, .unbound: true
      case .pending(_, let until): until < now || Self.isAbandoned(key)
      case .unconfirmed(_, let until):
        confirmed.contains(key.owner) && (until < now || Self.isAbandoned(key))
      }
    }
  }

  private static func confirmedUsers(_ keys: [UserKey]) -> Set<UserKey.Owner> {
    Set(keys.filter(\.isBound).map(\.owner))
  }

  // MARK: Binding

  /// Records that the key `key` is about to be made.
  func reserve(_ key: UserKey, until: Date) async throws {
    var pending = key
    pending.state = .pending(processID: ProcessMark.own.processID, until: until)
    pending.worker = .own
    _ = Self.inProgress.withLock { $0.insert(key.kid) }
    do {
      try await update { [pending] in $0.append(pending) }
    } catch {
      _ = Self.inProgress.withLock { $0.remove(key.kid) }
      throw error
    }
  }

  /// Records the bound key `key`, in place of one with the same key id.
  func keep(_ key: UserKey) async throws {
    try await update { keys in
      keys.removeAll { $0.kid == key.kid }
      keys.append(key)
    }
  }

  /// Records where the private key of the pending key `kid` is.
  ///
  /// - Parameters:
  ///   - keyTag: The tag that the authenticator has chosen.
  ///   - store: The store that keeps it; `nil` when that is unknown.
  func note(kid: String, keyTag: String, store: KeyStoreKind?) async throws {
    try await update { keys in
      guard let index = Self.unbound(kid, in: keys) else { return }
      keys[index].keyTag = keyTag
      if let store { keys[index].store = store }
    }
  }

  /// Records which biometrics were enrolled when the pending key `kid` was made.
  func note(kid: String, biometricDomainState: Data) async throws {
    try await update { keys in
      guard let index = Self.unbound(kid, in: keys) else { return }
      keys[index].biometricDomainState = biometricDomainState
    }
  }

  /// Records that the proof of the pending key `kid` has been made, and that the server's answer is awaited.
  ///
  /// - Throws: ``DeviceBindingError/unsupported(errorMessage:)`` when another process considered the key abandoned.
  func handOver(kid: String, until: Date) async throws {
    try await update { keys in
      guard let index = Self.unbound(kid, in: keys) else { throw Self.takenAway }
      keys[index].state = .unconfirmed(processID: ProcessMark.own.processID, until: until)
      keys[index].worker = .own
    }
  }

  /// Makes the key `kid` a bound one, and retires the user's other keys of the same server and realm, except those whose answer
  /// is still awaited.
  ///
  /// - Throws: ``DeviceBindingError/unsupported(errorMessage:)`` when another process considered the key abandoned.
  func commit(kid: String) async throws {
    try await update { keys in
      guard let index = Self.unbound(kid, in: keys) else { throw Self.takenAway }
      keys[index].state = nil
      keys[index].worker = nil
      let owner = keys[index].owner
      for other in keys.indices where other != index && keys[other].owner == owner {
        if Self.isReplaceable(keys[other]) { keys[other].state = .retired(by: kid) }
      }
    }
    _ = Self.inProgress.withLock { $0.remove(kid) }
  }

  private static func unbound(_ kid: String, in keys: [UserKey]) -> Int? {
    keys.firstIndex { $0.kid == kid && !$0.isBound }
  }

  private static let takenAway = DeviceBindingError.unsupported(
    errorMessage: "Another process removed the key while it was being bound. Bind the device again.")

  /// Whether a newly bound key replaces `key`.
  private static func isReplaceable(_ key: UserKey) -> Bool {
    switch key.state {
    case nil: true
    case .unconfirmed: isAbandoned(key)
    case .pending, .retired, .unbound: false
    }
  }

  /// Undoes ``commit(kid:)``, which may have succeeded although it threw: the key is no longer bound, and the keys that it
  /// replaced are bound again.
  func revoke(kid: String) async throws {
    defer { _ = Self.inProgress.withLock { $0.remove(kid) } }
    try await update { keys in
      for index in keys.indices {
        if keys[index].kid == kid { keys[index].state = .retired(by: nil) }
        if keys[index].state == .retired(by: kid) { keys[index].state = nil }
      }
    }
  }

  // MARK: Taking over

  /// Records that the server and realm `scope` accepted a signature of the key `kid`, which belongs there from now on. Has no
  /// effect on a key whose server is known.
  func takeOver(kid: String, by scope: KeyScope) async throws {
    try await update { keys in
      for index in keys.indices where keys[index].kid == kid && keys[index].scope == nil {
        keys[index].scope = scope
      }
    }
  }

  // MARK: Removing

  /// Retires the bound and unconfirmed keys that match `condition`, and returns them: their private keys are to be deleted.
  func retire(where condition: @escaping @Sendable (UserKey) -> Bool) async throws -> [UserKey] {
    let isAffected: @Sendable (UserKey) -> Bool = { ($0.isBound || $0.isUnconfirmed) && condition($0) }
    guard try await records().contains(where: isAffected) else { return [] }
    return try await update { keys in
      var retired: [UserKey] = []
      for index in keys.indices where isAffected(keys[index]) {
        retired.append(keys[index])
        keys[index].state = .retired(by: nil)
      }
      return retired
    }
  }

  /// Removes the descriptions of keys that are not bound and whose private keys are deleted.
  func forget(kids: Set<String>) async throws {
    try await update { keys in keys.removeAll { kids.contains($0.kid) && !$0.isBound } }
  }

  // MARK: The storage

  func records() async throws -> [UserKey] { try await storage.get() ?? [] }

  func update<Result: Sendable>(
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

  /// Whether no process works on a pending key any more. An unknown worker counts as alive until the key's time has passed.
  private static func isAbandoned(_ key: UserKey) -> Bool {
    guard let worker = key.worker else { return false }
    return worker == .own ? !inProgress.withLock { $0.contains(key.kid) } : worker.hasEnded
  }
}
