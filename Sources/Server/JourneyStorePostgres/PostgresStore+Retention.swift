internal import EvidenceLedger
package import Foundation
package import JourneyStore

extension PostgresStore {
  package func removeEvidencePortion(
    before time: Int64, amongFirst leaves: Int64, limit: Int, machineTime: Date?
  ) async throws -> EvidenceRemoval {
    var time = time
    if let machineTime,
      let databaseTime = try await read(OnceSQL.time, []).all("", { try $0.date("time") }).first
    {
      time -= Int64(max(0, machineTime.timeIntervalSince(databaseTime) * 1000))
    }
    let known = try await removedEntries()
    let numbers = try await read([EpochSQL.last])[0].all("evidence_epochs") { Int64(try $0.integer("epoch")) }
    guard let last = numbers.first else {
      return try await removePortion(before: time, amongFirst: leaves, limit: limit)
    }
    guard let (before, epoch) = try await epoch(beyond: known, last: last), epoch.checkpoint.time < time,
      epoch.checkpoint.count <= leaves
    else { return EvidenceRemoval(removed: known, new: 0, isComplete: true) }
    return try await remove(epoch.checkpoint, after: before?.checkpoint)
  }

  /// Takes the content of the entries in one epoch, unless another server was faster.
  private func remove(
    _ epoch: EvidenceCheckpoint, after before: EvidenceCheckpoint?
  ) async throws -> EvidenceRemoval {
    let starts = Dictionary(uniqueKeysWithValues: (before?.lanes ?? []).map { ($0.lane, $0.number) })
    return try await write("the retention of evidence") { [ledger] transaction in
      let known = try await transaction.lockedRetention(ledger)
      guard epoch.count > known else { return EvidenceRemoval(removed: known, new: 0, isComplete: false) }
      for end in epoch.lanes { transaction.later(EpochSQL.blank(end, after: starts[end.lane] ?? 0)) }
      try await transaction.note(removed: epoch.count, ledger)
      return EvidenceRemoval(removed: epoch.count, new: epoch.count - known, isComplete: false)
    }
  }

  /// Where lane 0 is alone, and its order needs no epochs.
  private func removePortion(
    before time: Int64, amongFirst leaves: Int64, limit: Int
  ) async throws -> EvidenceRemoval {
    try await write("the retention of evidence") { [ledger] transaction in
      let known = try await transaction.lockedRetention(ledger)
      let kept = try await transaction.run([
        Statement(EpochSQL.firstKept, [EvidenceLane.lowest, time]), EpochSQL.last,
      ])
      // Since the epochs were looked for, somebody has made the first.
      guard try kept[1].all("evidence_epochs", { _ in true }).isEmpty else {
        return EvidenceRemoval(removed: known, new: 0, isComplete: false)
      }
      let wanted = min(try kept[0].all("evidence") { Int64(try $0.integer()) - 1 }.first ?? 0, leaves)
      guard wanted > known else { return EvidenceRemoval(removed: known, new: 0, isComplete: true) }
      let removed = min(wanted, known + Int64(limit))
      let end = EvidenceLaneEnd(lane: .first, number: removed, head: ledger.header.fingerprint)
      transaction.later(EpochSQL.blank(end, after: known))
      try await transaction.note(removed: removed, ledger)
      return EvidenceRemoval(removed: removed, new: removed - known, isComplete: removed == wanted)
    }
  }
}

extension PostgresTransaction {
  fileprivate func note(removed: Int64, _ ledger: SealedLedger) async throws {
    let seal = try ledger.seal(removed: removed)
    try await store([(EpochSQL.note(removed: removed, seal), seal)])
  }

  /// How many entries have no content; nobody else changes that until the end of the transaction.
  fileprivate func lockedRetention(_ ledger: SealedLedger) async throws -> Int64 {
    try await run([
      Statement("SELECT id FROM evidence_ledger WHERE id = 1 FOR NO KEY UPDATE"),
      Statement("SELECT removed, seal FROM evidence_retention"),
    ])[1].all("evidence_retention") { try ledger.removed($0) }.first ?? 0
  }
}
