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
    return try await remove(epoch.checkpoint, after: before?.checkpoint)
  }

  /// Removes the content of the entries in one epoch, unless another server was faster.
  private func remove(
    _ epoch: EvidenceCheckpoint, after before: EvidenceCheckpoint?
  ) async throws -> EvidenceRemoval {
    let starts = Dictionary(uniqueKeysWithValues: (before?.lanes ?? []).map { ($0.lane, $0.number) })
    return try await write("the retention of evidence") { [ledger] in
      .ask(.all(EvidenceSQL.lockLedger.flag, EvidenceSQL.removed(of: ledger))) { _, known in
        let known = known ?? 0
        guard epoch.count > known else {
          return .done(EvidenceRemoval(removed: known, new: 0, isComplete: false))
        }
        let blanks = epoch.lanes.map { Self.blank($0, after: starts[$0.lane] ?? 0) }
        let changes = SQLQuestion.all(
          SQLQuestion.counts(blanks), try EvidenceSQL.note(removed: epoch.count, ledger))
        return .next(
          .ask(changes) { _, _ in
            .done(EvidenceRemoval(removed: epoch.count, new: epoch.count - known, isComplete: false))
          })
      }
    }
  }

  /// Removes the content of a lane's entries after `number`, up to `end`.
  private static func blank(_ end: EvidenceLaneEnd, after number: Int64) -> SQLStatement {
    end.lane == .first
      ? EvidenceSQL.blank(after: number, upTo: end.number)
      : EvidenceSQL.blank(after: number, upTo: end.number, EvidenceSQL.inLane, [end.lane.index])
  }
}
