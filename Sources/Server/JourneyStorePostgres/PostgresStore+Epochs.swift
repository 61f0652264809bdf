package import EvidenceLedger
package import Foundation
internal import JourneyStore

/// The ledger of all lanes as one tree: epochs give the entries a lasting order, which exports follow.
extension PostgresStore: LedgerArchive {
  package var header: EvidenceHeader { ledger.header }

  package func walk(
    after frontier: LedgerFrontier?, at date: Date, _ visit: ([UInt8]) throws -> Void
  ) async throws -> (chain: EvidenceChain, signed: EvidenceCheckpoint) {
    let before = try await removedEntries()
    let start = try frontier?.chain(removed: before) ?? EvidenceChain(header: header)
    let taken: (chain: EvidenceChain, signed: EvidenceCheckpoint)
    do { taken = try await walkThroughEpochs(start, at: date, visit) } catch {
      // The pages are from several moments, and retention may have run between two.
      guard case StoreError.corrupt? = error as? StoreError, try await removedEntries() != before else {
        throw error
      }
      throw StoreError.unavailable("content was removed from the ledger while it was read; try again")
    }
    if taken.chain.removed != before { try ledger.require(removed: await removedEntries(), in: taken.chain) }
    return taken
  }

  private func walkThroughEpochs(
    _ start: EvidenceChain, at date: Date, _ visit: ([UInt8]) throws -> Void
  ) async throws -> (chain: EvidenceChain, signed: EvidenceCheckpoint) {
    var chain = start
    if let last = try await mergeLanes(at: date) {
      var number = last.number
      if chain.count == 0 {
        number = 0
      } else if let next = try await epoch(beyond: chain.count, last: last.number) {
        number = next.first.number - 1
      }
      while number < last.number {
        try await take(epoch(after: number), into: &chain, visit)
        number += 1
      }
      guard chain.count == last.checkpoint.count, last.checkpoint.isHead(of: chain) else {
        throw StoreError.corrupt(
          "table evidence_epochs: the last epoch does not continue what was signed before")
      }
      // The tree is the same, but since it was signed, content may have been removed.
      if chain.removed == last.checkpoint.removed { return (chain, last.checkpoint) }
    } else {
      // Other lanes may exist, but are empty.
      for head in try await read(EvidenceSQL.heads(of: ledger)) where head.lane == .first {
        try await take(upTo: head, into: &chain, visit)
      }
    }
    return (chain, try await checkpoint(of: chain, at: date, serverKey))
  }

  /// How many entries have lost their content.
  func removedEntries() async throws -> Int64 {
    try await read(EvidenceSQL.removed(of: ledger)) ?? 0
  }

  /// Adds to the tree all entries that are not in it.
  ///
  /// Any number of servers may do this at once: the epochs are numbered, and the first of two with the same number counts.
  ///
  /// - Returns: the last epoch; `nil` when only lane 0 was ever used, whose order needs no epochs.
  /// - Throws: ``StoreError/corrupt(_:)`` when a lane does not end as it was sealed, or its chain is broken.
  func mergeLanes(at date: Date) async throws -> LedgerEpoch? {
    while true {
      let (last, heads) = try await read(.all(LedgerEpoch.last(of: ledger), EvidenceSQL.heads(of: ledger)))
      guard last != nil || heads.contains(where: { $0.lane != .first && $0.number != $0.lane.start }) else {
        return nil
      }
      var chain = EvidenceChain(header: header)
      if let last {
        do throws(EvidenceFault) {
          chain = try EvidenceChain(
            header: header, resuming: last.checkpoint,
            tree: MerkleTree(size: last.checkpoint.count, peaks: MerkleHash.all(last.peaks)) ?? MerkleTree())
        } catch { throw StoreError.corrupt("table evidence_epochs, epoch \(last.number): \(error.reason)") }
      }
      for head in heads { try await take(upTo: head, into: &chain) }
      if let last, last.checkpoint.count == chain.count { return last }
      let checkpoint = try await checkpoint(of: chain, at: date, serverKey)
      let number = (last?.number ?? 0) + 1
      let peaks = chain.tree.peaks.flatMap(\.bytes)
      let row: StatementValues = [
        "epoch": number, "checkpoint": String(decoding: checkpoint.line, as: UTF8.self), "peaks": peaks,
      ]
      let addition = SQLStatement.insert(row, into: "evidence_epochs", onConflict: "ON CONFLICT DO NOTHING")
      if try await change("epoch \(number) of the ledger", addition.isDone) {
        return LedgerEpoch(number: number, checkpoint: checkpoint, peaks: peaks)
      }
      // Another server was faster; its epoch has these entries.
    }
  }

  /// The first epoch that has more entries than `count`, with the one before; `nil` when there is none.
  func epoch(
    beyond count: Int64, last: Int64
  ) async throws -> (before: LedgerEpoch?, first: LedgerEpoch)? {
    // Each epoch has more entries than the one before.
    var (lowest, highest) = (Int64(1), last + 1)
    while lowest < highest {
      let middle = lowest + (highest - lowest) / 2
      if try await epoch(after: middle - 1).checkpoint.count > count {
        highest = middle
      } else {
        lowest = middle + 1
      }
    }
    guard lowest <= last else { return nil }
    return (
      lowest > 1 ? try await epoch(after: lowest - 2) : nil, try await epoch(after: lowest - 1)
    )
  }

  func epoch(after number: Int64) async throws -> LedgerEpoch {
    let epoch = try await read(LedgerEpoch.next(after: number, of: ledger))
    guard let epoch, epoch.number == number + 1 else {
      throw StoreError.corrupt("table evidence_epochs: epoch \(number + 1) is missing")
    }
    return epoch
  }
}

extension MerkleHash {
  /// Hashes as they are stored, one after the other. An incomplete last one is left out.
  fileprivate static func all(_ bytes: [UInt8]) -> [MerkleHash] {
    stride(from: 0, to: bytes.count, by: 32).compactMap { MerkleHash(bytes: Array(bytes[$0...].prefix(32))) }
  }
}
