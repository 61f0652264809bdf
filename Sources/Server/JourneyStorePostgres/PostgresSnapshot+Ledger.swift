internal import EvidenceLedger
internal import JourneyStore

extension PostgresSnapshot {
  /// Takes all entries in the order of the tree, epoch after epoch, and then those that no epoch has yet. Checks the chains
  /// of all lanes, what the epochs sign, that the lanes end as they were sealed, and that no content is missing but what
  /// retention has taken.
  ///
  /// - Throws: ``StoreError/corrupt(_:)``, saying what does not hold.
  func verify(_ ledger: SealedLedger) async throws -> EvidenceChain {
    var chain = EvidenceChain(header: ledger.header)
    var number: Int64 = 0
    while let epoch = try await transaction.ask(EpochSQL.next(after: number)) {
      number = epoch.number
      let checkpoint: EvidenceCheckpoint
      do throws(EvidenceFault) {
        checkpoint = try EvidenceCheckpoint(line: Array(epoch.line.utf8), header: ledger.header)
      } catch { throw StoreError.corrupt("table evidence_epochs, epoch \(number): \(error.reason)") }
      for end in checkpoint.lanes { try await take(&chain, to: end) }
      guard chain.count == checkpoint.count, checkpoint.isHead(of: chain) else {
        throw StoreError.corrupt("table evidence: the entries are not those that epoch \(number) signs")
      }
    }
    for head in try await transaction.ask(EvidenceSQL.heads(of: ledger)) {
      try await take(&chain, to: EvidenceLaneEnd(lane: head.lane, number: head.number, head: head.hash))
    }
    try ledger.require(removed: try await transaction.ask(EvidenceSQL.removed(of: ledger)) ?? 0, in: chain)
    return chain
  }

  /// Takes a lane's entries up to its end.
  private func take(_ chain: inout EvidenceChain, to end: EvidenceLaneEnd) async throws {
    guard end.number != end.lane.start else { return }
    while case let after = chain.end(of: end.lane).number, after < end.number {
      let lines = try await transaction.ask(
        EvidenceSQL.part(end.lane, after: after, upTo: end.number, limit: Self.rowsAtOnce))
      for line in lines {
        do throws(EvidenceFault) { try chain.append(line) } catch {
          throw StoreError.corrupt("table evidence: \(error)")
        }
      }
      if lines.isEmpty { break }
    }
    guard chain.end(of: end.lane) == end else {
      throw StoreError.corrupt(
        "table evidence: lane \(end.lane.index) does not end with entry \(end.number), as it was sealed")
    }
  }
}
