public import Foundation

/// Registered applications.
public protocol ApplicationStore: Sendable {
  /// Adds the application. Throws ``StoreError/conflict(_:)`` when id or name are taken.
  func createApplication(_ application: ApplicationRecord) async throws

  /// The application of that id, or `nil`.
  func application(id: String, realm: String) async throws -> ApplicationRecord?

  /// All applications of the realm, by name.
  func applications(realm: String) async throws -> [ApplicationRecord]

  /// Removes the application with all its transactions, so that none of them can be approved any more; the removed
  /// record, or `nil`.
  func deleteApplication(id: String, realm: String) async throws -> ApplicationRecord?
}

/// Transactions, from their creation to their verdict.
public protocol TransactionStore: Sendable {
  /// Adds the transaction. Throws ``StoreError/missing(_:)`` when its application is gone, and
  /// ``StoreError/conflict(_:)`` when the id is taken.
  func createTransaction(_ transaction: TransactionRecord) async throws

  /// The transaction of that id, also when it has expired; `nil` when there is none.
  func transaction(id: String, realm: String) async throws -> TransactionRecord?

  /// Decides a transaction that is open at `now`. `true` for exactly one caller; `false` when it has been decided, has
  /// expired, or is not there. This is one conditional write; it is durable when it returns.
  func decideTransaction(id: String, realm: String, _ decision: TransactionDecision, now: Date) async throws
    -> Bool
}
