public import EvidenceLedger
public import Foundation

/// The whole ledger of a server, for those who show, export and prove it.
public protocol LedgerArchive: Sendable {
  /// The ledger's name and key.
  var header: EvidenceHeader { get }

  /// The entry of that number, or `nil`.
  func entry(number: Int64) async throws -> EvidenceEntry?

  /// Entries, the newest first.
  func entries(_ query: EvidenceQuery) async throws -> [EvidenceEntry]

  /// Whether the realm has, or had, anybody: an account or an entry of that name; of any name when `username` is `nil`.
  func knows(username: String?, realm: String) async throws -> Bool

  /// Hands out the export in pieces of whole lines: the header, all entries of one moment in the order of the tree, the signed
  /// checkpoint. Holds a few hundred entries at a time, however many there are.
  ///
  /// The chain is checked on the way, because a checkpoint is the server's word that it holds.
  ///
  /// - Throws: ``StoreError/corrupt(_:)`` naming the first bad entry; what `write` throws.
  func export(
    at date: Date, write: @escaping @Sendable ([UInt8]) throws -> Void
  ) async throws -> EvidenceCheckpoint

  /// Signs a checkpoint that continues an earlier one, and reads only the entries that came after that.
  ///
  /// The chain is checked from there on, and that it ends as it was sealed. What came before stands as it was when it was read: the tree
  /// has its hashes, whatever the database holds there now.
  ///
  /// - Parameter visit: gets each line that is read.
  /// - Throws: ``StoreError/corrupt(_:)`` or `EvidenceFault` when the entries do not continue it.
  func advance(
    _ frontier: LedgerFrontier, to date: Date, visit: @escaping @Sendable ([UInt8]) throws -> Void
  ) async throws -> LedgerFrontier
}
