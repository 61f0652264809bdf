package import Foundation
package import PingLogger

/// What entries of a legacy store are moved to.
package protocol MigrationTarget: Sendable {
  associatedtype Item: Sendable

  var words: MigrationWords { get }

  /// The item that an entry describes; `nil` for another kind, which another run handles.
  func item(_ content: Data) throws(LegacyEntry.Fault) -> Item?

  func id(of item: Item) -> String

  /// Adds the `items` that are not there yet, and reads them back. What is there is never replaced.
  ///
  /// - Parameter items: With different ids.
  /// - Throws: When something was not stored, or was not read back as it was stored; the next run tries again.
  func adopt(_ items: [Item]) async throws -> MigrationAdoption

  /// Called with what an earlier run has copied, before its entries go: the earlier SDK may have used them since.
  func catchUp(with items: [Item]) async throws
}

extension MigrationTarget {
  package func catchUp(with items: [Item]) async throws {}
}

/// The outcome of an adoption, by id.
package struct MigrationAdoption: Sendable {
  /// What was added.
  package var added: Set<String> = []
  /// What was already there.
  package var known: Set<String> = []
  /// What was not adopted because its id, or its name, belongs to something else.
  package var refused: Set<String> = []

  package init() {}
}

/// How a migration's messages name what it moves.
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
  ///   - id: What they are told apart by.
  ///   - decoded: One of them with its owner, without any name.
  package init(one: String, many: String, id: String, decoded: String, members: [String]) {
    (self.one, self.many, self.id, self.decoded, self.members) = (one, many, id, decoded, members)
  }
}

/// A migration's messages. They never contain users' names or secrets.
package struct MigrationLog: Sendable {
  /// Looked up for each message: it may be set after a migration has begun.
  private let logger: @Sendable () -> any Logger

  package init(_ logger: @escaping @Sendable () -> any Logger) { self.logger = logger }

  package func d(_ message: String) { logger().d(message) }
  package func i(_ message: String) { logger().i(message) }
  package func w(_ message: String, _ error: (any Error)? = nil) { logger().w(message, error: error) }
}
