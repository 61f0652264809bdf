package import Concurrency
package import EvidenceLedger

/// A store in an SQL database: everything that ``ServerStore`` promises, as operations that are the same in every database.
///
/// Each decision that must happen once is one conditional statement, or is made while the rows that it rests on are held.
package protocol SQLStore: ServerStore, SQLDatabase {
  var quotas: StoreQuotas { get }
  var strangers: StrangerCount { get }

  /// What accounts are found by.
  var index: Locked<IdentityIndex> { get }
  var ledger: SealedLedger { get }

  /// Makes a proof count, alone or together with others.
  func accept(_ proof: LedgerProof) async throws -> AcceptedProof

  /// Carries out `body` with the lane of the ledger that takes the next entry.
  func withLane<Value: Sendable>(_ body: (EvidenceLane) async throws -> Value) async throws -> Value
}
