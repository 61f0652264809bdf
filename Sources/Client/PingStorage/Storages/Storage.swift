/// Stores one item.
public protocol Storage<T>: Sendable {
  /// The type of the item.
  associatedtype T: Codable, Sendable

  /// Stores `item` in place of the old one. When it throws, the old item is still stored.
  func save(item: T) async throws

  /// The item, or `nil` when none is stored. An item that exists but cannot be read is an error.
  func get() async throws -> T?

  /// Deletes the item. Succeeds when there is none.
  func delete() async throws
}

/// A storage whose item can be changed without losing concurrent changes.
///
/// Lists of keys and credentials are changed this way: with `get` and `save` alone, the later of two writers would undo the
/// earlier one's change.
public protocol UpdatableStorage<T>: Storage {
  /// Changes the item in isolation, and returns what `change` returned.
  ///
  /// - Parameter change: Receives the item, `nil` when there is none, and changes it; setting it to `nil` deletes it.
  /// - Throws: What `change` throws, or why the item could not be read or kept. The old item is then still stored.
  func update<Result: Sendable>(
    _ change: @Sendable (inout T?) throws -> Result
  ) async throws -> Result
}
