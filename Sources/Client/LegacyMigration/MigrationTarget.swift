package import Foundation
package import PingLogger

/// The new storage to which entries of a legacy store are moved.
package protocol MigrationTarget: Sendable {
  associatedtype Item: Sendable

  var words: MigrationWords { get }

  /// The item that an entry describes; `nil` for another kind, which another run handles.
  func item(_ content: Data) throws(LegacyEntry.Fault) -> Item?

  func id(of item: Item) -> String

  /// Adds the `items` that do not exist yet, and reads them back. Existing items are never replaced.
  ///
  /// - Parameter items: Items with different ids.
  /// - Throws: When an item was not stored, or was not read back as it was stored; the next run tries again.
  func adopt(_ items: [Item]) async throws -> MigrationAdoption

  /// Called with the items that an earlier run has copied, before their entries are deleted: the earlier SDK may have used the entries
  /// since.
  func catchUp(with items: [Item]) async throws
}

extension MigrationTarget {
  package func catchUp(with items: [Item]) async throws {}
}

/// The outcome of an adoption, by id.
package struct MigrationAdoption: Sendable {
  /// The added items.
  package var added: Set<String> = []
  /// The items that existed already.
  package var known: Set<String> = []
  /// The items that were not adopted because their id or name belongs to something else.
  package var refused: Set<String> = []

  package init() {}
}

/// The words for the migrated items in a migration's messages.
package struct MigrationWords: Sendable {
  let one: String
  let many: String
  let id: String
  let decoded: String
  /// The members that may be named in the log; their values never are.
  let members: [String]

  /// - Parameters:
  ///   - one: One of them, such as `key`.
  ///   - many: Several of them.
  ///   - id: The word for what identifies them.
  ///   - decoded: One of them with its owner, without any name.
  package init(one: String, many: String, id: String, decoded: String, members: [String]) {
    (self.one, self.many, self.id, self.decoded, self.members) = (one, many, id, decoded, members)
  }
}

/// A migration's messages. They never contain users' names or secrets.
package struct MigrationLog: Sendable {
  /// Returns the logger for each message: it may be set after a migration has begun.
  private let logger: @Sendable () -> any Logger

  package init(_ logger: @escaping @Sendable () -> any Logger) { self.logger = logger }

  package func d(_ message: String) { logger().d(message) }
  package func i(_ message: String) { logger().i(message) }
  package func w(_ message: String, _ error: (any Error)? = nil) { logger().w(message, error: error) }
}
