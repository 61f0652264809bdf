internal import Concurrency
internal import EvidenceLedger
internal import Foundation
internal import JourneyStore
internal import Operations
internal import PasswordHashing
internal import ProductVersion
internal import PushService
internal import PushTransports
internal import ServerHTTP

/// Collects the metrics of states, not of events: queues, connections, the ledger's head. Called before the metrics are read.
struct MetricsCollection: Sendable {
  let metrics: ServerMetrics
  let store: any ServerStore
  let gate: ConnectionGate
  let drain: Drain
  let direct: PollWaiters
  let passwords: PasswordHasher
  let pushQueues: PushQueues

  /// The last totals of counters, by metric and labels. The sources know only totals.
  private let totals = Locked<[[String]: Double]>([:])

  /// How long the store may take to name the ledger's newest entry.
  private static let patience = Duration.seconds(2)

  func collect() async {
    metrics.set(.buildInfo, ProductVersion.text, to: 1)
    metrics.set(.connections, to: Double(gate.count))
    metrics.set(.requestsRunning, to: Double(drain.running))
    metrics.set(.pushListening, to: Double(direct.listening.count))
    metrics.set(.passwordsWaiting, to: Double(passwords.waiting))
    for (service, counts) in pushQueues.counts {
      metrics.set(.pushQueued, service, to: Double(counts.queued))
      let outcomes = [
        ("sent", counts.sent), ("retried", counts.retried), ("retired", counts.retired),
        ("failed", counts.failed), ("skipped", counts.skipped),
      ]
      for (outcome, count) in outcomes { follow(.pushMessages, [service, outcome], Double(count)) }
    }
    let load = store.load
    metrics.set(.storeWaiting, to: Double(load.waiting))
    follow(.storeWaits, [], Double(load.waits))
    follow(.storeWaitTime, [], load.waitSeconds)
    if let connections = load.connections {
      metrics.set(.storeConnections, "idle", to: Double(connections.idle))
      metrics.set(.storeConnections, "used", to: Double(connections.used))
    }
    ProcessMetrics.collect(metrics, follow)
    // Last, because it may take long. Without an answer the number stays as it was.
    let head = try? await firstOf(
      { [store] in try await store.evidence(EvidenceQuery(limit: 1)).first?.number ?? 0 },
      orAfter: Self.patience, abandoning: true)
    if let head { metrics.set(.ledgerHead, to: Double(head)) }
  }

  /// Brings a counter to `total`, which never falls.
  private func follow(_ metric: ServerMetric, _ labels: [String], _ total: Double) {
    let step = totals.withLock { totals -> Double in
      let step = total - (totals[[metric.rawValue] + labels] ?? 0)
      guard step > 0 else { return 0 }
      totals[[metric.rawValue] + labels] = total
      return step
    }
    metrics.add(metric, labels, amount: step)
  }
}
