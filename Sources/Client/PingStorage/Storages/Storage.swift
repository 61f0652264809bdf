/// Keeps one item.
public protocol Storage<T>: Sendable {
  /// What is kept.
  associatedtype T: Codable, Sendable

  /// Keeps `item` in place of what was kept before. When it throws, the old item is still kept.
  func save(item: T) async throws

  /// The item, or `nil` when none is kept. An item that is there and cannot be read is an error.
  func get() async throws -> T?

  /// Forgets the item. Succeeds when none is kept.
  func delete() async throws
}

/// A storage whose item can be changed without losing what others change at the same time.
///
/// Lists of keys and credentials are changed this way: with `get` and `save` alone, the later of two writers undoes the
/// change of the earlier one.
public protocol UpdatableStorage<T>: Storage {
  /// Changes the item while nobody else changes it, and returns what `change` returned.
  ///
  /// - Parameter change: Receives the item, `nil` when none is kept, and leaves what is to be kept; `nil` forgets it.
  /// - Throws: What `change` throws, or why the item could not be read or kept. The old item is then still kept.
  func update<Result: Sendable>(
    _ change: @Sendable (inout T?) throws -> Result
  ) async throws -> Result
}
