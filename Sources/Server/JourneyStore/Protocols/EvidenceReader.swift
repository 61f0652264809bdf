public import EvidenceLedger
public import Foundation

/// The ledger of a server, to be read only, whether the server runs or not.
public protocol EvidenceReader: Sendable {
  /// The ledger's name and key.
  var header: EvidenceHeader { get }

  /// The entry of that number, or `nil`.
  func entry(number: Int64) async throws -> EvidenceEntry?

  /// Entries, the newest first.
  func entries(_ query: EvidenceQuery) async throws -> [EvidenceEntry]

  /// Whether the realm has, or had, anybody: an account or an entry of that name; of any name when `username` is `nil`.
  func knows(username: String?, realm: String) async throws -> Bool

  /// Hands out the export in pieces of whole lines: the header, all entries of one moment, the signed checkpoint.
  ///
  /// - Throws: ``StoreError/corrupt(_:)`` naming the first bad entry; what `write` throws.
  func export(
    at date: Date, write: @escaping @Sendable ([UInt8]) throws -> Void
  ) async throws -> EvidenceCheckpoint
}

extension EvidenceArchive: EvidenceReader {}
