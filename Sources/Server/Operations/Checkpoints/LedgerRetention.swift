internal import Concurrency
package import Foundation
package import JourneyStore
package import SecurityEvents
internal import StrictJSON

/// Takes the content of entries that the ledger has had for long enough (`docs/audit.md`, "Retention").
///
/// What is removed does not come back, so time and publication are judged with care: a clock that jumps ahead is believed an hour later
/// (``RemovalTime``) and not beyond the database's; and where checkpoints are published, nothing goes before this server has published one
/// with the entry.
package struct LedgerRetention: Sendable {
  /// Seconds that entries keep their content.
  package let age: Double
  package let store: any ServerStore

  /// What each place that checkpoints are published to certainly has, in entries of the tree. None: nothing is published.
  package let published: [@Sendable () async -> Int64]
  package let events: SecurityEvents
  package let clock: @Sendable () -> Date

  /// Seconds since the start, on a clock that only goes forward.
  package let uptime: @Sendable () -> Double
  private let removal: Locked<RemovalTime>

  package init(
    age: Double, store: any ServerStore, published: [@Sendable () async -> Int64], events: SecurityEvents,
    clock: @escaping @Sendable () -> Date, uptime: @escaping @Sendable () -> Double
  ) {
    self.age = age
    self.store = store
    self.published = published
    self.events = events
    self.clock = clock
    self.uptime = uptime
    removal = Locked(RemovalTime(start: clock()))
  }

  /// One turn. Several servers may take theirs at the same time: each entry is removed by one, and counted in its event.
  package func run() async throws {
    let now = clock()
    let believed = removal.withLock { $0.next(now, uptime: uptime()) }
    var leaves = Int64.max
    for published in published { leaves = min(leaves, await published()) }
    let time = Int64((believed.timeIntervalSince1970 - age) * 1000)
    var sum = EvidenceRemoval(removed: 0, new: 0, isComplete: leaves == 0)
    do {
      while !sum.isComplete {
        try Task.checkCancellation()
        let portion = try await store.removeEvidencePortion(
          before: time, amongFirst: leaves, limit: 1000, machineTime: now)
        sum = EvidenceRemoval(
          removed: portion.removed, new: sum.new + portion.new, isComplete: portion.isComplete)
      }
    } catch {
      await note(sum, before: time)
      throw error
    }
    await note(sum, before: time)
  }

  private func note(_ removal: EvidenceRemoval, before time: Int64) async {
    guard removal.new > 0 else { return }
    await events.note(
      SecurityEvent(
        .ledgerContentRemoved, detail: ["removed": .integer(removal.removed), "before": .integer(time)]))
  }
}
