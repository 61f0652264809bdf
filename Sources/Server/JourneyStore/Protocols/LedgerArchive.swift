internal import Concurrency
public import EvidenceLedger
public import Foundation

/// The whole ledger of a server, to show, export and prove it.
public protocol LedgerArchive: SQLReader, Sendable {
  /// The ledger's name and key.
  var header: EvidenceHeader { get }

  /// Reads all entries of one moment in the order of the tree, and signs a checkpoint. Holds a few hundred entries at a time, however many
  /// there are.
  ///
  /// The chain is checked on the way, because a checkpoint asserts that it is intact.
  ///
  /// - Parameters:
  ///   - frontier: the checkpoint that is continued; its entries are not read. `nil` reads all.
  ///   - visit: called with each line that is read.
  /// - Throws: ``StoreError/corrupt(_:)`` naming the first bad entry; `EvidenceFault` when the entries do not continue the frontier; what
  ///   `visit` throws.
  func walk(
    after frontier: LedgerFrontier?, at date: Date, _ visit: ([UInt8]) throws -> Void
  ) async throws -> (chain: EvidenceChain, signed: EvidenceCheckpoint)
}

extension LedgerArchive {
  /// Hands out the export in pieces of whole lines: the header, all entries of one moment in the order of the tree, the signed
  /// checkpoint.
  ///
  /// - Throws: as ``walk(after:at:_:)``; what `write` throws.
  public func export(
    at date: Date, write: @escaping @Sendable ([UInt8]) throws -> Void
  ) async throws -> EvidenceCheckpoint {
    let lineEnd = UInt8(ascii: "\n")
    var piece = header.line + [lineEnd]
    let signed = try await walk(after: nil, at: date) { line in
      piece += line
      piece.append(lineEnd)
      guard piece.count >= 256 << 10 else { return }
      try write(piece)
      piece.removeAll(keepingCapacity: true)
    }.signed
    try write(piece + signed.line + [lineEnd])
    return signed
  }

  /// Hands out the export to `maker`, and returns it.
  ///
  /// - Throws: as ``walk(after:at:_:)``; the first fault that `maker` finds, which the archive would report as one of its own.
  package func export(at date: Date, to maker: EvidenceProofMaker) async throws -> EvidenceProofMaker {
    let reading = Locked((maker: maker, fault: EvidenceFault?.none))
    _ = try await export(at: date) { piece in
      reading.withLock { reading in
        guard reading.fault == nil else { return }
        do throws(EvidenceFault) { try reading.maker.take(piece) } catch { reading.fault = error }
      }
    }
    let (maker, fault) = reading.withLock { $0 }
    if let fault { throw fault }
    return maker
  }

  /// Signs a checkpoint that continues an earlier one, and reads only the entries that came after that.
  ///
  /// Checks the chain from there on, and that it ends as it was sealed. Earlier entries count as they were when they were read: the tree
  /// has their hashes, whatever the database holds there now.
  ///
  /// - Parameter visit: called with each line that is read.
  /// - Throws: as ``walk(after:at:_:)``; `EvidenceFault` for a frontier of another ledger.
  public func advance(
    _ frontier: LedgerFrontier, to date: Date, visit: @escaping @Sendable ([UInt8]) throws -> Void = { _ in }
  ) async throws -> LedgerFrontier {
    guard frontier.checkpoint.header == header else {
      throw EvidenceFault(.ledger, "the earlier checkpoint is of another ledger")
    }
    let (chain, signed) = try await walk(after: frontier, at: date, visit)
    return try frontier.continued(by: chain, signed: signed)
  }
}

/// Queries for single entries of a ledger.
extension SQLReader {
  /// The entry of that number; `nil` when there is none, or its content was removed.
  public func evidence(number: Int64) async throws -> EvidenceEntry? {
    try await read(EvidenceSQL.entry(number: number))
  }

  /// Entries, the newest first.
  public func evidence(_ query: EvidenceQuery) async throws -> [EvidenceEntry] {
    try await read(EvidenceSQL.page(query))
  }

  /// Whether the realm has an account or an entry of that name; of any name when `username` is `nil`.
  public func knows(username: String?, realm: String) async throws -> Bool {
    try await read(EvidenceSQL.knows(username: username, realm: realm))
  }
}
