internal import Bytes
package import EvidenceLedger
package import Foundation

/// A reader that answers questions: a store, or one transaction on a whole database.
public protocol SQLReader {
  /// Reads the answer. Each statement sees the database at one moment, which may be later for the next statement.
  func read<Value>(_ question: SQLQuestion<Value>) async throws -> Value
}

/// A signed merge of the ledger's lanes that is in the database.
package struct LedgerEpoch: Sendable {
  package let number: Int64
  package let checkpoint: EvidenceCheckpoint

  /// The roots of the tree's complete subtrees, one after the other.
  package let peaks: [UInt8]

  package init(number: Int64, checkpoint: EvidenceCheckpoint, peaks: [UInt8]) {
    (self.number, self.checkpoint, self.peaks) = (number, checkpoint, peaks)
  }

  /// The last epoch; `nil` when there is none.
  package static func last(of ledger: SealedLedger) -> SQLQuestion<LedgerEpoch?> {
    question("ORDER BY epoch DESC LIMIT 1", [], ledger)
  }

  /// The first epoch with a higher number; `nil` when there is none.
  package static func next(after number: Int64, of ledger: SealedLedger) -> SQLQuestion<LedgerEpoch?> {
    question("WHERE epoch > ? ORDER BY epoch LIMIT 1", [number], ledger)
  }

  private static func question(
    _ which: String, _ values: StatementValues, _ ledger: SealedLedger
  ) -> SQLQuestion<LedgerEpoch?> {
    let sql = SQL(sqlite: "", postgres: "SELECT epoch, checkpoint, peaks FROM evidence_epochs \(which)")
    return SQLStatement(sql, values).row(of: "evidence_epochs") { row in
      let (number, line) = (Int64(try row.integer("epoch")), Array(try row.text("checkpoint").utf8))
      let peaks = try row.bytes("peaks")
      do throws(EvidenceFault) {
        let checkpoint = try EvidenceCheckpoint(line: line, header: ledger.header)
        return LedgerEpoch(number: number, checkpoint: checkpoint, peaks: peaks)
      } catch { throw StoreError.corrupt("table evidence_epochs, epoch \(number): \(error.reason)") }
    }
  }
}

/// Walks over the entries in the order of the tree, checking the chains on the way.
extension SQLReader {
  /// Takes all current entries after those of `start`: first epoch by epoch, then the entries that no epoch has yet. Checks what the epochs
  /// sign, that each lane ends as it was sealed, and that only retention has removed content.
  ///
  /// - Parameters:
  ///   - removed: how many entries have lost their content.
  ///   - start: the chain of the first entries, which are not read again; `nil` reads all entries. Only for a ledger without epochs.
  ///   - visit: called with each line.
  /// - Throws: ``StoreError/corrupt(_:)`` with the check that failed; what `visit` throws.
  package func walk(
    _ ledger: SealedLedger, removed: Int64, after start: EvidenceChain? = nil,
    _ visit: ([UInt8]) throws -> Void = { _ in }
  ) async throws -> EvidenceChain {
    var chain = start ?? EvidenceChain(header: ledger.header)
    var number: Int64 = 0
    while let epoch = try await read(LedgerEpoch.next(after: number, of: ledger)) {
      try await take(epoch, into: &chain, visit)
      number = epoch.number
    }
    for head in try await read(EvidenceSQL.heads(of: ledger)) {
      try await take(upTo: head, into: &chain, visit)
    }
    try ledger.require(removed: removed, in: chain)
    return chain
  }

  /// Signs the chain as it is at `date`.
  package func checkpoint(
    of chain: EvidenceChain, at date: Date, _ serverKey: ServerKey
  ) async throws -> EvidenceCheckpoint {
    try await EvidenceCheckpoint(
      of: chain, at: date.millisecondsSince1970, signer: read(EvidenceSQL.signer(serverKey)))
  }

  /// Takes the entries of an epoch.
  package func take(
    _ epoch: LedgerEpoch, into chain: inout EvidenceChain, _ visit: ([UInt8]) throws -> Void
  ) async throws {
    for end in epoch.checkpoint.lanes { try await take(upTo: end, into: &chain, visit) }
    guard chain.count == epoch.checkpoint.count, epoch.checkpoint.isHead(of: chain) else {
      throw StoreError.corrupt("table evidence: the entries are not those that epoch \(epoch.number) signs")
    }
  }

  /// Takes a lane's entries up to its end. Entries are only ever added, so several pages are as consistent as one read.
  package func take(
    upTo end: EvidenceLaneEnd, into chain: inout EvidenceChain, _ visit: ([UInt8]) throws -> Void = { _ in }
  ) async throws {
    // The lane is empty, and `chain` has no entries of it either.
    guard end.number != end.lane.start || chain.end(of: end.lane) != end else { return }
    while case let after = chain.end(of: end.lane).number, after < end.number {
      // The limit bounds the entries in memory.
      let span = EvidenceSpan(lane: end.lane, after: after, last: end.number)
      let lines = try await read(EvidenceSQL.lines(span, limit: 128))
      for line in lines {
        do throws(EvidenceFault) { try chain.append(line) } catch {
          throw StoreError.corrupt("table evidence: \(error)")
        }
        try visit(line)
      }
      if lines.isEmpty { break }
    }
    guard chain.end(of: end.lane) == end else {
      throw StoreError.corrupt(
        "table evidence: lane \(end.lane.index) does not end with entry \(end.number), as it was sealed")
    }
  }
}
