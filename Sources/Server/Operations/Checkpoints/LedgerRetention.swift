internal import Bytes
internal import Concurrency
internal import EvidenceLedger
package import Foundation
package import JourneyStore
package import Logging
package import SecurityEvents
internal import StrictJSON

/// Removes the content of entries that have been in the ledger for long enough (`docs/audit.md`, "Retention").
///
/// Removal is final, so time and publication are judged with care. A clock that jumps ahead counts only half a day later (``RemovalTime``),
/// and never beyond the database's. At the start the newest entry (``newest(in:)``) says what time it is. Where checkpoints
/// are published, an entry keeps its content until this server has published one with the entry.
package struct LedgerRetention: Sendable {
  /// Seconds that entries keep their content.
  package let age: Double
  package let store: any ServerStore

  /// How many entries each place of publication certainly has. Empty when nothing is published.
  package let published: [@Sendable () async -> Int64]
  package let events: SecurityEvents
  package let clock: @Sendable () -> Date

  /// Seconds since the start, on a clock that only goes forward.
  package let uptime: @Sendable () -> Double
  private let logger: Logger
  private let removal: Locked<(time: RemovalTime, isBehind: Bool)>

  /// How far the clock may be ahead of what is believed without a doubt. Seconds.
  private static let longestSilence: TimeInterval = 7 * 86_400

  /// How long a doubtful clock is not believed, in seconds: long enough for somebody to set it.
  private static let patience: TimeInterval = 43_200

  /// - Parameter newest: when the newest entry of the ledger was written, before this server wrote any; `nil` when there is none.
  package init(
    age: Double, store: any ServerStore, newest: Date?, published: [@Sendable () async -> Int64],
    events: SecurityEvents, clock: @escaping @Sendable () -> Date, uptime: @escaping @Sendable () -> Double,
    logger: Logger
  ) {
    self.age = age
    self.store = store
    self.published = published
    self.events = events
    self.clock = clock
    self.uptime = uptime
    self.logger = logger
    let start = clock()
    let witness = newest.flatMap { start.timeIntervalSince($0) > Self.longestSilence ? $0 : nil }
    removal = Locked((RemovalTime(start: witness ?? start, patience: Self.patience), false))
  }

  /// When the newest entry was written that needed a device's clock, too. A certificate has the time of a server alone, which may have run
  /// with a wrong clock before; only if the last hundred entries are certificates, the oldest of these counts.
  package static func newest(in store: any ServerStore) async throws -> Date? {
    let entries = try await store.evidence(EvidenceQuery(limit: 100))
    let witness = entries.first { $0.record.kind != .certify } ?? entries.last
    return witness.map { Date(millisecondsSince1970: $0.record.time) }
  }

  /// Takes one turn. Several servers may do so at the same time: one of them removes each entry, and counts it in its event.
  package func run() async throws {
    let now = clock()
    let believed = believedTime(at: now)
    var leaves = Int64.max
    for published in published { leaves = min(leaves, await published()) }
    let time = Int64((believed.timeIntervalSince1970 - age) * 1000)
    func remove(_ limit: Int) async throws -> EvidenceRemoval {
      try await store.removeEvidencePortion(
        before: time, amongFirst: leaves, limit: limit, machineTime: now)
    }
    guard leaves > 0, try await !remove(0).isComplete else { return }
    // What is removed stays removed when the server is killed in the middle.
    try await events.require(SecurityEvent(.ledgerRemovalBegan, detail: ["before": .integer(time)]))
    var sum = EvidenceRemoval(removed: 0, new: 0, isComplete: false)
    do {
      while !sum.isComplete {
        try Task.checkCancellation()
        let portion = try await remove(1000)
        sum = EvidenceRemoval(
          removed: portion.removed, new: sum.new + portion.new, isComplete: portion.isComplete)
      }
    } catch {
      await note(sum, before: time)
      throw error
    }
    await note(sum, before: time)
  }

  private func believedTime(at now: Date) -> Date {
    let (believed, isNews) = removal.withLock { removal in
      let believed = removal.time.next(now, uptime: uptime())
      let isBehind = now.timeIntervalSince(believed) > Self.longestSilence
      defer { removal.isBehind = isBehind }
      return (believed, isBehind && !removal.isBehind)
    }
    if isNews {
      logger.warning(
        "the clock is far ahead of the ledger's newest entry, or was set ahead; retention follows it half a day later. If it is wrong, set it before that: what is removed does not come back",
        metadata: ["clock": "\(now)", "retention": "\(believed)"])
    }
    return believed
  }

  private func note(_ removal: EvidenceRemoval, before time: Int64) async {
    guard removal.new > 0 else { return }
    await events.note(
      SecurityEvent(
        .ledgerContentRemoved, detail: ["removed": .integer(removal.removed), "before": .integer(time)]))
  }
}
