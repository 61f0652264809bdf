internal import Concurrency
internal import PingLogger

/// A storage in front of another one, with an optional cache in memory.
///
/// Calls are serialised, so that the cache and the storage behind it stay consistent.
// Every stored property is immutable and Sendable; subclasses add their own.
open class StorageDelegate<T: Codable & Sendable>: UpdatableStorage, @unchecked Sendable {
  private enum Cache: Sendable {
    case empty
    case saved(T)
    case unsaved(T)

    var item: T? {
      switch self {
      case .empty: nil
      case .saved(let item), .unsaved(let item): item
      }
    }
  }

  private let delegate: any Storage<T>
  private let keepsSaved: Bool
  private let keepsUnsaved: Bool
  private let mutex = AsyncMutex()
  private let cache = Locked(Cache.empty)

  /// A storage in front of `delegate`.
  ///
  /// - Parameter cacheable: Whether what was saved or read is kept in memory, too. Failures of `delegate` are thrown
  ///   either way.
  public init(delegate: any Storage<T>, cacheable: Bool = false) {
    self.delegate = delegate
    keepsSaved = cacheable
    keepsUnsaved = false
  }

  /// A storage in front of `delegate` that may swallow its failures; see ``CacheStrategy``.
  public init(delegate: any Storage<T>, strategy: CacheStrategy) {
    self.delegate = delegate
    keepsSaved = strategy == .cache
    keepsUnsaved = strategy != .noCache
  }

  /// Saves `item` in the storage behind and, if configured, in the cache.
  public func save(item: T) async throws {
    try await mutex.withLock { try await store(item) }
  }

  /// The item in the cache, else the item in the storage behind.
  public func get() async throws -> T? {
    try await mutex.withLock {
      if let item = cache.withLock({ $0.item }) { return item }
      let item = try await delegate.get()
      if keepsSaved { remember(item) }
      return item
    }
  }

  /// Deletes the item from the cache and from the storage behind. The cache is empty afterwards even when the storage behind fails.
  public func delete() async throws {
    try await mutex.withLock {
      cache.withLock { $0 = .empty }
      try await delegate.delete()
    }
  }

  /// Changes the item that the storage behind keeps; see ``UpdatableStorage/update(_:)``.
  ///
  /// When the storage behind is not an ``UpdatableStorage``, only changes through this object are isolated from each other.
  public func update<Result: Sendable>(_ change: @Sendable (inout T?) throws -> Result) async throws -> Result
  {
    try await mutex.withLock {
      var changed: T?
      if case .unsaved(let item) = cache.withLock({ $0 }) {
        changed = item
      } else if let delegate = delegate as? any UpdatableStorage<T> {
        let (result, stored) = try await delegate.update { item in
          let result = try change(&item)
          return (result, item)
        }
        if keepsSaved { remember(stored) }
        return result
      } else {
        changed = try await delegate.get()
      }
      let result = try change(&changed)
      try await storeOrDelete(changed)
      return result
    }
  }

  private func store(_ item: T) async throws {
    do {
      try await delegate.save(item: item)
      cache.withLock { [keepsSaved] in $0 = keepsSaved ? .saved(item) : .empty }
    } catch  where keepsUnsaved {
      cache.withLock { $0 = .unsaved(item) }
      LogManager.logger.w("An item could not be saved and is kept in memory only", error: error)
    }
  }

  private func storeOrDelete(_ item: T?) async throws {
    if let item {
      try await store(item)
    } else {
      try await delegate.delete()
      cache.withLock { $0 = .empty }
    }
  }

  private func remember(_ item: T?) {
    cache.withLock { cache in cache = item.map { .saved($0) } ?? .empty }
  }
}

/// What a ``StorageDelegate`` keeps in memory beside the storage behind it.
public enum CacheStrategy: Sendable {
  /// Nothing.
  case noCache

  /// Every saved item, also when the storage behind could not keep it: the failure is logged, and the item lasts until
  /// the process ends.
  case cache

  /// Only items that the storage behind could not keep: the failure is logged, and the item lasts until the process
  /// ends.
  case cacheOnFailure
}
