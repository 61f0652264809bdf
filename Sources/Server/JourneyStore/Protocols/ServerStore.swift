public import EvidenceLedger
public import Foundation

/// Everything that a server keeps, in an SQL database: accounts, devices, sessions, evidence. The operations are in extensions, the same
/// for every database; each database has a driver that reads and carries out transactions (GRDB for ``SQLiteStore``, libpq for PostgreSQL).
///
/// Each decision that must happen once is one conditional statement, or is made while the rows that it rests on are locked.
public protocol ServerStore: SQLReader, Sendable {
  var context: StoreContext { get }

  /// How busy the store is, for metrics.
  var load: StoreLoad { get }

  /// Like ``SQLReader/read(_:)``, for a few rows that are found by their keys: fast enough for the thread of the task.
  func look<Value>(_ question: SQLQuestion<Value>) async throws -> Value

  /// Carries out an operation in one transaction, durable on return.
  ///
  /// - Parameter subject: what it stores, for errors.
  func transact<Value>(
    _ subject: @autoclosure () -> String, _ operation: SQLOperation<Value>
  ) async throws -> Value

  /// How far a machine's clock is ahead of the database's, which all servers share. Seconds, never negative.
  func lead(of machineTime: Date) async throws -> TimeInterval

  /// Accepts a proof, alone or together with others.
  func accept(_ proof: LedgerProof) async throws -> AcceptedProof

  /// Carries out `body` with the lane of the ledger that takes the next entry.
  func withLane<Value: Sendable>(_ body: (EvidenceLane) async throws -> Value) async throws -> Value

  /// Removes the content of some old entries for good: names, keys, tokens. Number and hash stay, so that the chains, the tree and all
  /// earlier proofs stay valid. ``removeEvidenceContent(before:amongFirst:machineTime:)`` repeats it until all is removed.
  ///
  /// Each call removes one whole epoch or, where there is lane 0 alone, at most `limit` entries, up to the first that is not older. With a
  /// `limit` of 0 it only says whether anything is left to remove. Each entry is removed, and counted in ``EvidenceRemoval/new``, once,
  /// however many servers do this.
  ///
  /// - Parameters:
  ///   - time: entries that are older may be removed. Milliseconds since 1970.
  ///   - leaves: only this many entries, the first ones of the tree, may be removed.
  ///   - machineTime: the present time by this machine's clock, when `time` was computed by it: `time` is moved back by as much as that
  ///     clock is ahead of the database's.
  func removeEvidencePortion(
    before time: Int64, amongFirst leaves: Int64, limit: Int, machineTime: Date?
  ) async throws -> EvidenceRemoval

  /// Waits for queued writes and closes.
  func close() async throws
}
