/// Stores an item while the process runs. Its methods never fail.
public actor Memory<T: Codable & Sendable>: UpdatableStorage {
  private var item: T?

  /// An empty memory.
  public init() {}

  public func save(item: T) throws { self.item = item }
  public func get() throws -> T? { item }
  public func delete() throws { item = nil }

  /// Changes the item; a change that throws leaves it as it was.
  public func update<Result: Sendable>(_ change: @Sendable (inout T?) throws -> Result) throws -> Result {
    var changed = item
    let result = try change(&changed)
    item = changed
    return result
  }
}

/// A ``StorageDelegate`` in front of a ``Memory``.
// Adds no stored property.
public class MemoryStorage<T: Codable & Sendable>: StorageDelegate<T>, @unchecked Sendable {
  /// An empty storage.
  ///
  /// - Parameter cacheable: Whether to keep a second copy, which is of no use here. Exists for compatibility.
  public init(cacheable: Bool = false) {
    super.init(delegate: Memory<T>(), cacheable: cacheable)
  }
}
