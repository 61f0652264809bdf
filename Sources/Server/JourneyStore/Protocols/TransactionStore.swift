public import Foundation

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
