package import Foundation

/// The stored records of one kind and service: ``KeychainRecords`` on Apple platforms, ``SQLiteRecords`` elsewhere.
package protocol RecordStore<Record>: Sendable {
  associatedtype Record: Codable & Sendable

  /// Runs `body` in one step without other writers of this process or, for records in a file, of other processes.
  ///
  /// - Parameter what: The text to report when the storage fails.
  func write<Value: Sendable>(
    _ what: String, _ body: @escaping @Sendable (any RecordTable<Record>) throws -> Value
  ) async throws -> Value

  /// Runs `body`, which must only read.
  func read<Value: Sendable>(
    _ what: String, _ body: @escaping @Sendable (any RecordTable<Record>) throws -> Value
  ) async throws -> Value
}

/// The storage of one module's records.
package protocol RecordEngine: Sendable {
  func records<Record>(_ kind: RecordKind<Record>, service: String) -> any RecordStore<Record>
}

/// The operations on records in one step of a ``RecordStore``.
package protocol RecordTable<Record> {
  associatedtype Record: Codable & Sendable

  /// - Throws: ``DamagedRecord``
  func read(_ id: String) throws -> Record?

  /// The records that meet all `conditions`, the oldest first. Damaged ones are left out and logged, so that one does not hide the others.
  func records(where conditions: [RecordCondition], limit: Int?) throws -> [Record]

  func count(where conditions: [RecordCondition]) throws -> Int

  /// Stores a record, in place of one with the same id.
  func put(_ record: Record) throws

  /// Changes a record with one conditional write. Nothing is written when `change` throws; it may run more than once.
  ///
  /// - Returns: What `change` returns; `nil` when there is no such record.
  func update<Value>(_ id: String, _ change: (inout Record) throws -> Value) throws -> Value?

  /// Removes a record; `false` when there was none.
  func remove(_ id: String) throws -> Bool

  /// Removes the records that meet all `conditions`, at most `limit` of the oldest; returns their number.
  func remove(where conditions: [RecordCondition], limit: Int?) throws -> Int

  func removeAll() throws
}

/// The description of the records of one kind for a ``RecordStore``.
package struct RecordKind<Record: Codable & Sendable>: Sendable {
  /// The name in messages; also part of the place that a sealed record is bound to.
  let name: String
  let table: String
  let id: @Sendable (Record) -> String
  let columns: @Sendable (Record) -> [String: RecordValue]
  /// Whether a service has only one record of this kind: its table has no columns for ids and times.
  let isSingle: Bool

  /// - Parameter columns: The values that records are searched by, and `created`, which orders them.
  package init(
    name: String, table: String, id: @escaping @Sendable (Record) -> String,
    columns: @escaping @Sendable (Record) -> [String: RecordValue]
  ) {
    (self.name, self.table, self.id, self.columns, isSingle) = (name, table, id, columns, false)
  }

  /// A kind with one record per service, under a fixed id. It can be read by that id, put and removed.
  package init(name: String, table: String, singleID: String) {
    (self.name, self.table, id, columns, isSingle) = (name, table, { _ in singleID }, { _ in [:] }, true)
  }
}

/// A value that records are searched by.
package enum RecordValue: Sendable, Equatable {
  case text(String)
  /// Stored as a keyed hash of the texts, so that a file does not show them.
  case hashed([String])
  case time(Date)
  case flag(Bool)
  case none
}

/// The condition on a record's column.
package enum RecordCondition: Sendable {
  case equal(String, RecordValue)
  case before(String, Date)
  case notBefore(String, Date)
}

/// A stored record that cannot be decrypted or decoded.
package struct DamagedRecord: LocalizedError {
  let kind: String
  let id: String
  package let cause: any Error

  package var errorDescription: String? { "the \(kind) \(id) does not open" }
}
