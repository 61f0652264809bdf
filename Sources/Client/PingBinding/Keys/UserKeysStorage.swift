internal import Concurrency
internal import DeviceKeys
internal import Foundation
internal import PingStorage

/// The descriptions of bound keys, and the log of keys that are being made or removed.
///
/// A key consists of two parts in two places: the private key in the key store, its description here. So that no crash
/// leaves one without the other for good, the description comes first and goes last:
///
/// 1. The new key is noted as *pending*. Only then is the private key made.
/// 2. When the server's challenge is signed, the new key is *unconfirmed*: the server may come to know it, and may not.
///    The user's earlier key stays the one to sign with. A user without an earlier key signs with the unconfirmed one.
/// 3. When the server has taken the answer, one change makes the new key *bound* and the user's earlier keys *retired*.
///    When it refuses, the new key is retired. Outside of a journey nobody hears of an answer, and 3 follows 2 at once.
/// 4. The private keys of retired descriptions are deleted, and then the descriptions.
///
/// A crash after 1 leaves a pending description, one after 2 an unconfirmed one beside the key that still works, one after 3
/// a retired one, each with the tag of the private key to delete. The next binding does that (``leftovers(now:)``). Keys
/// that a process is still at work with are left alone.
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

  /// The keys of all servers to sign with, newest first: the bound ones, and the unconfirmed ones of users who have no bound
  /// one.
  func findAll() async throws -> [UserKey] {
    let keys = try await records()
    let confirmed = Self.confirmedUsers(keys)
    return keys.filter { $0.isBound || $0.isUnconfirmed && !confirmed.contains($0.owner) }
      .sorted { ($0.createdAt, $0.kid) > ($1.createdAt, $1.kid) }
  }

  /// The keys to sign with at `scope`, newest first: those of its users, and, where a user has none there, those that nobody
  /// knows the server of.
  ///
  /// - Parameter scope: `nil` outside of a journey; then only keys without a server are found.
  func find(in scope: KeyScope?, userId: String? = nil) async throws -> [UserKey] {
    let keys = try await findAll().filter { key in
      (key.scope == scope || key.scope == nil) && userId.map { $0 == key.userId } ?? true
    }
    guard let scope else { return keys }
    let known = Set(keys.filter { $0.scope == scope }.map(\.userId))
    return keys.filter { $0.scope == scope || !known.contains($0.userId) }
  }

  /// Tags of private keys that are in use, whatever becomes of the keys `kids`: a leftover of the same tag must not take
  /// them along.
  func tagsInUse(except kids: Set<String> = []) async throws -> Set<String> {
    Set(
      try await records().filter { ($0.isBound || $0.isUnconfirmed) && !kids.contains($0.kid) }.map(\.keyTag))
  }

  /// Descriptions whose private keys are to be deleted: retired ones, pending ones that nobody is working on, and
  /// unconfirmed ones that nobody is working on and whose user has a bound key.
  func leftovers(now: Date) async throws -> [UserKey] {
    let keys = try await records()
    let confirmed = Self.confirmedUsers(keys)
    return keys.filter { key in
      switch key.state {
      case nil: false
      case .retired, .unbound: true
      case .pending(_, let until):
        until < now || Self.isAbandoned(key)
      case .unconfirmed(_, let until):
        confirmed.contains(key.owner) && (until < now || Self.isAbandoned(key))
      }
    }
  }

  private static func confirmedUsers(_ keys: [UserKey]) -> Set<UserKey.Owner> {
    Set(keys.filter(\.isBound).map(\.owner))
  }

  // MARK: Binding

  /// Notes that the key `key` is about to be made.
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

  /// Notes the bound key `key`, in the place of one of the same key id.
  func keep(_ key: UserKey) async throws {
    try await update { keys in
      keys.removeAll { $0.kid == key.kid }
      keys.append(key)
    }
  }

  /// Notes the tag under which the private key of the pending key `kid` really is.
  func retag(kid: String, keyTag: String) async throws {
    try await update { keys in
      guard let index = keys.firstIndex(where: { $0.kid == kid && !$0.isBound }) else { return }
      keys[index] = keys[index].tagged(keyTag)
    }
  }

  /// Notes what keeps the pending key `kid`.
  func note(store: KeyStoreKind, kid: String) async throws {
    try await update { keys in
      guard let index = keys.firstIndex(where: { $0.kid == kid && !$0.isBound }) else { return }
      keys[index].store = store
    }
  }

  /// Notes that the proof of the pending key `kid` has been made, and that the server's answer is waited for.
  ///
  /// - Throws: ``DeviceBindingError/unsupported(errorMessage:)`` when another process took the key for abandoned.
  func handOver(kid: String, until: Date) async throws {
    try await update { keys in
      guard let index = keys.firstIndex(where: { $0.kid == kid && !$0.isBound }) else { throw Self.takenAway }
      keys[index].state = .unconfirmed(processID: ProcessMark.own.processID, until: until)
      keys[index].worker = .own
    }
  }

  /// Makes the key `kid` a bound one, and retires the user's other keys of the same server and realm, except those whose answer
  /// is still waited for.
  ///
  /// - Throws: ``DeviceBindingError/unsupported(errorMessage:)`` when another process took the key for abandoned.
  func commit(kid: String) async throws {
    try await update { keys in
      guard let index = keys.firstIndex(where: { $0.kid == kid && !$0.isBound }) else { throw Self.takenAway }
      keys[index].state = nil
      keys[index].worker = nil
      let owner = keys[index].owner
      for other in keys.indices where other != index && keys[other].owner == owner {
        if Self.isReplaceable(keys[other]) { keys[other].state = .retired(by: kid) }
      }
    }
    _ = Self.inProgress.withLock { $0.remove(kid) }
  }

  private static let takenAway = DeviceBindingError.unsupported(
    errorMessage: "Another process removed the key while it was being bound. Bind the device again.")

  /// Whether a newly bound key takes the place of `key`.
  private static func isReplaceable(_ key: UserKey) -> Bool {
    switch key.state {
    case nil: true
    case .unconfirmed: isAbandoned(key)
    case .pending, .retired, .unbound: false
    }
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

  // MARK: Taking over

  /// Notes that the server and realm `scope` accepted a signature of the key `kid`, which belongs there from now on. Has no
  /// effect on a key that belongs somewhere already.
  func takeOver(kid: String, by scope: KeyScope) async throws {
    try await update { keys in
      for index in keys.indices where keys[index].kid == kid && keys[index].scope == nil {
        keys[index].scope = scope
      }
    }
  }

  // MARK: Removing

  /// Retires the bound and unconfirmed keys that `condition` holds for, and returns them: their private keys are now to be
  /// deleted.
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

  /// Forgets the descriptions of keys that are not bound: their private keys are deleted.
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

  /// Whether nobody works on a pending key any more. When in doubt, somebody does, until its time has passed.
  private static func isAbandoned(_ key: UserKey) -> Bool {
    guard let worker = key.worker else { return false }
    return worker == .own ? !inProgress.withLock { $0.contains(key.kid) } : worker.hasEnded
  }
}
