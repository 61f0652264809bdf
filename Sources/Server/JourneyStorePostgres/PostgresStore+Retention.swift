internal import EvidenceLedger
package import Foundation
package import JourneyStore

extension PostgresStore {
  package func removeEvidencePortion(
    before time: Int64, amongFirst leaves: Int64, limit: Int, machineTime: Date?
  ) async throws -> EvidenceRemoval {
    var time = time
    if let machineTime { time -= Int64(try await lead(of: machineTime) * 1000) }
    let known = try await removedEntries()
    guard let last = try await read(LedgerEpoch.last(of: ledger))?.number else {
      return try await write("the retention of evidence") {
        EvidenceSQL.removeContent(before: time, amongFirst: leaves, limit: limit, of: ledger)
      }
    }
    guard let (before, epoch) = try await epoch(beyond: known, last: last), epoch.checkpoint.time < time,
      epoch.checkpoint.count <= leaves
    else { return EvidenceRemoval(removed: known, new: 0, isComplete: true) }
    return try await remove(epoch.checkpoint, after: before?.checkpoint, before: time, isAsking: limit == 0)
  }

  /// Removes the content of the entries in one epoch, unless another server was faster.
  ///
  /// An epoch has the time of the machine that made it, whose clock may be behind. So the entries' own times count, too, as without epochs:
  /// the epoch stays while one of them is not older than `time`.
  private func remove(
    _ epoch: EvidenceCheckpoint, after before: EvidenceCheckpoint?, before time: Int64, isAsking: Bool
  ) async throws -> EvidenceRemoval {
    let starts = Dictionary(uniqueKeysWithValues: (before?.lanes ?? []).map { ($0.lane, $0.number) })
    let spans = epoch.lanes.map {
      EvidenceSpan(lane: $0.lane, after: starts[$0.lane] ?? 0, last: $0.number)
    }
    let recent = spans.map { EvidenceSQL.hasContent(since: time, $0) }
    return try await write("the retention of evidence") { [ledger] in
      .ask(.all(EvidenceSQL.lockLedger.flag, EvidenceSQL.removed(of: ledger), .each(recent))) {
        _, known, recent in
        let known = known ?? 0
        guard epoch.count > known else {
          return .done(EvidenceRemoval(removed: known, new: 0, isComplete: false))
        }
        guard !recent.contains(true) else {
          return .done(EvidenceRemoval(removed: known, new: 0, isComplete: true))
        }
        guard !isAsking else { return .done(EvidenceRemoval(removed: known, new: 0, isComplete: false)) }
        return try EvidenceSQL.remove(
          spans, EvidenceRemoval(removed: epoch.count, new: epoch.count - known, isComplete: false), ledger)
      }
    }
  }
}
