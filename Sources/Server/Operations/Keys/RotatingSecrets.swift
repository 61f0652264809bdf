internal import Bytes
internal import Concurrency
package import Foundation
package import JourneyStore
package import Logging

/// The secrets that are made anew with each server key, and which of them count now.
///
/// The secret of the key in use seals and signs everything new. What an earlier secret made is accepted until its lifetime is over, counted
/// from when the next key came into use; a revoked key's secrets end at once. A server seals and signs nothing while it lacks the key in
/// use, or has not asked the database for longer than ``ServerKeyLease``.
package final class RotatingSecrets: Sendable, Redacted {
  private struct Generation: Sendable {
    let id: String
    let isActivated: Bool

    /// When the next key came into use.
    let endedAt: Date?
    let secrets: [String: [UInt8]]
  }

  private struct State: Sendable {
    /// The newest first.
    var generations: [Generation] = []
    var reported: Report?

    /// When the database was last asked for the keys.
    var askedAt: ContinuousClock.Instant?
  }

  private struct Report: Sendable {
    let keys: [String]
    let current: String?
    let time: ContinuousClock.Instant
  }

  private let store: any ServerStore
  private let clock: @Sendable () -> Date
  private let instant: @Sendable () -> ContinuousClock.Instant
  private let randomBytes: @Sendable (Int) -> [UInt8]
  private let logger: Logger
  private let state = Locked(State())

  /// The database is read once at a time, so that an older result does not replace a newer one.
  private let turn = AsyncMutex()

  /// The name of this server where keys are rotated.
  package let server: String

  /// The age of ignored generations. Seconds: the longest lifetime of what they made, known devices' cookies, and a day.
  private static let longestMemory: TimeInterval = 91 * 86_400

  /// How often a server reports that it runs; a third of ``ServerKeyRotation/absence``.
  private static let reportInterval = Duration.seconds(10)

  package init(
    store: any ServerStore, clock: @escaping @Sendable () -> Date,
    instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    randomBytes: @escaping @Sendable (Int) -> [UInt8], logger: Logger
  ) {
    self.store = store
    self.clock = clock
    self.instant = instant
    self.randomBytes = randomBytes
    self.logger = logger
    server = "\(ProcessInfo.processInfo.hostName) \(randomBytes(4).hexadecimal)"
  }

  /// The secrets of that name: the one in use, then earlier ones whose results are still valid.
  ///
  /// - Parameter lifetime: the longest lifetime of what a secret makes. Seconds.
  /// - Returns: an empty list when this server lacks the key in use, or cannot know which one that is.
  package func secrets(named name: String, lifetime: TimeInterval) -> [[UInt8]] {
    guard isRecent else { return [] }
    let generations = state.withLock { $0.generations }
    guard let current = generations.first(where: \.isActivated), let secret = current.secrets[name] else {
      return []
    }
    let now = clock()
    let others = generations.filter { generation in
      generation.id != current.id
        && generation.endedAt.map { now < $0.addingTimeInterval(lifetime) } ?? true
    }
    return [secret] + others.compactMap { $0.secrets[name] }
  }

  /// Whether this server has the key in use. Otherwise it seals nothing, and should get no requests.
  package var hasCurrentKey: Bool {
    state.withLock { $0.generations.first(where: \.isActivated)?.secrets.isEmpty == false }
  }

  /// Reads the state of the keys from the database, and reports which of them this server has.
  package func refresh() async throws { try await turn.withLock { try await look() } }

  /// Reads the keys only if the last result is too old to rely on, as after this process stood still.
  package func refreshIfOld() async throws {
    if isRecent { return }
    try await turn.withLock { if !isRecent { try await look() } }
  }

  private var isRecent: Bool {
    state.withLock(\.askedAt).map { $0.duration(to: instant()) < ServerKeyLease.length } ?? false
  }

  private func look() async throws {
    let asked = instant()
    let entries = try await store.refreshKeys()
    let known = state.withLock { $0.generations }
    let now = clock()
    var generations: [Generation] = []
    for (index, entry) in entries.enumerated().reversed() where !entry.isRevoked {
      let endedAt = entries[(index + 1)...].compactMap(\.activatedAt).first
      guard endedAt.map({ now < $0.addingTimeInterval(Self.longestMemory) }) ?? true else { continue }
      var secrets = known.first(where: { $0.id == entry.id })?.secrets ?? [:]
      if entry.isRetired || store.serverKey.has(entry.id) {
        for name in ServerKeyRotation.Secret.all where secrets[name] == nil {
          secrets[name] = try await store.secret(named: name, of: entry) { randomBytes(32) }
        }
      }
      if entry.isRetired, secrets.isEmpty { continue }
      generations.append(
        Generation(id: entry.id, isActivated: entry.activatedAt != nil, endedAt: endedAt, secrets: secrets))
    }
    noteChange(to: generations, asked)
    try await report(generations.filter { !$0.secrets.isEmpty }.map(\.id))
  }

  private func noteChange(to generations: [Generation], _ asked: ContinuousClock.Instant) {
    let before = state.withLock { state in
      let before = state.generations
      state.generations = generations
      state.askedAt = asked
      return before
    }
    let (old, new) = (before.first(where: \.isActivated)?.id, generations.first(where: \.isActivated)?.id)
    if let old, let new, old != new {
      logger.notice("the server key was rotated", metadata: ["key": "\(new)", "before": "\(old)"])
      do { try store.markLedger() } catch {
        logger.warning("\(LedgerMark.fileName) could not be sealed under the new server key: \(error)")
      }
    }
    for generation in generations where generation.secrets.isEmpty {
      let isKnown = before.contains { $0.id == generation.id && $0.secrets.isEmpty }
      guard !isKnown else { continue }
      logger.error(
        "this server lacks a server key of its database; give it the key, or it cannot go on once the key is in use",
        metadata: ["key": "\(generation.id)"])
    }
  }

  private func report(_ keys: [String]) async throws {
    let report = Report(keys: keys, current: store.serverKey.currentID, time: .now)
    if let last = state.withLock({ $0.reported }), last.keys == report.keys, last.current == report.current,
      last.time.duration(to: report.time) < Self.reportInterval
    {
      return
    }
    try await store.noteKeys(keys, of: server)
    state.withLock { $0.reported = report }
  }

  /// Reports that this server has stopped.
  package func leave() async throws {
    guard state.withLock({ $0.reported }) != nil else { return }
    try await store.forgetKeys(of: server)
  }
}
