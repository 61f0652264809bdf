internal import Concurrency
package import Foundation
package import JourneyStore
package import Logging
internal import PushService
internal import ServiceLifecycle

/// Accepts messages at once and sends them in the background, retrying until they expire.
///
/// A message that cannot be sent is not lost: the device can still fetch it from this server. For the same reason the queue does not
/// survive a restart.
package final class PushQueue: PushSender, Service, CustomStringConvertible {
  /// The limits of a queue.
  package struct Limits: Sendable, Hashable {
    /// The most messages in the queue, including those that wait for another attempt.
    package var messages = 10_000

    /// The most messages sent at once.
    package var atOnce = 64

    /// Whether one lane gets at most a quarter of the free slots, because others choose the lanes.
    package var limitsLanes = false

    /// Seconds after which an attempt makes its lane slow.
    package var slow: TimeInterval = 3
  }

  /// Time and randomness, which tests replace.
  package struct Dependencies: Sendable {
    package var clock: @Sendable () -> Date
    package var pause: @Sendable (TimeInterval) async throws -> Void = {
      try await Task.sleep(for: .seconds($0))
    }

    /// A number in `0..<1`.
    package var random: @Sendable () -> Double = { Double.random(in: 0..<1) }

    package init(clock: @escaping @Sendable () -> Date) { self.clock = clock }
  }

  private struct Job {
    let item: PushInboxItem
    let notice: PushNotice
    var device: PushDeviceRecord
  }

  private struct State {
    var counts = PushQueueCounts()
    var isClosed = false
  }

  private let service: any RemotePushService
  private let store: any ServerStore
  private let limits: Limits
  private let backoff: Backoff
  private let dependencies: Dependencies
  private let logger: Logger
  private let slots: SendSlots
  private let state = Locked(State())
  private let jobs: AsyncStream<Job>
  private let entrance: AsyncStream<Job>.Continuation

  package init(
    service: any RemotePushService, store: any ServerStore, limits: Limits = Limits(),
    backoff: Backoff = Backoff(),
    dependencies: Dependencies, logger: Logger
  ) {
    self.service = service
    self.store = store
    self.limits = limits
    self.backoff = backoff
    self.dependencies = dependencies
    self.logger = logger
    slots = SendSlots(count: limits.atOnce, limitsLanes: limits.limitsLanes)
    // Bounded by the count in `deliver`.
    (jobs, entrance) = AsyncStream.makeStream(of: Job.self, bufferingPolicy: .unbounded)
  }

  package var description: String { "PushQueue(\(service.name))" }

  /// The push service's name.
  var name: String { service.name }

  /// The counts so far.
  package var counts: PushQueueCounts { state.withLock { $0.counts } }

  // MARK: PushSender

  package func address(forToken token: String) throws -> String { try service.address(forToken: token) }

  /// Accepts the message for sending later. Skips devices with a dead token; like all devices, they can fetch the message from
  /// this server.
  ///
  /// - Throws: ``PushSendError`` when the queue is full or closed.
  package func deliver(_ item: PushInboxItem, to device: PushDeviceRecord) throws {
    guard device.tokenRetiredAt == nil else {
      count { $0.skipped += 1 }
      return
    }
    do {
      try enter(Job(item: item, notice: try PushNotice(item), device: device))
    } catch {
      count { $0.failed += 1 }
      log(.warning, "a push message was not accepted", item, device, "\(error)")
      throw error
    }
  }

  private func enter(_ job: Job) throws(PushSendError) {
    let limit = limits.messages
    let refusal = state.withLock { state -> String? in
      if state.isClosed { return "the server is shutting down" }
      guard state.counts.queued < limit else { return "\(limit) push messages are already waiting" }
      state.counts.queued += 1
      return nil
    }
    if let refusal { throw PushSendError(refusal) }
    entrance.yield(job)
  }

  // MARK: Sending

  /// Sends until the server shuts down. Attempts under way are then finished, and all other messages are discarded.
  package func run() async throws {
    let rest = await cancelWhenGracefulShutdown { [self] in
      await withDiscardingTaskGroup { group in
        for await job in jobs {
          group.addTask { await self.process(job) }
        }
      }
      return state.withLock { state in
        state.isClosed = true
        let rest = state.counts.queued
        state.counts.queued = 0
        state.counts.failed += rest
        return rest
      }
    }
    if rest > 0 {
      logger.notice(
        "push messages were discarded at the shutdown; devices can fetch them",
        metadata: ["transport": "\(service.name)", "messages": "\(rest)"])
    }
    await service.close()
  }

  private func process(_ job: Job) async {
    var job = job
    var attempt = 0
    while true {
      attempt += 1
      let lane = service.lane(ofToken: job.device.deviceToken)
      await slots.acquire(lane)
      let began = dependencies.clock()
      guard !Task.isCancelled else { return slots.release(lane, wasSlow: false) }
      guard job.notice.expiresAt > began else {
        slots.release(lane, wasSlow: false)
        return fail(job, "it expired before it could be sent")
      }
      if attempt > 1 { count { $0.retried += 1 } }
      let outcome = await send(job)
      slots.release(lane, wasSlow: dependencies.clock().timeIntervalSince(began) > limits.slow)
      let wait: TimeInterval
      switch outcome {
      case .sent: return finish { $0.sent += 1 }
      case .failed(let reason): return fail(job, reason)
      case .retired(let reason, let since):
        guard await !retire(job, at: since ?? began, reason) else { return }
        wait = 0
      case .retry(let reason, let asked):
        wait = backoff.wait(afterAttempt: attempt, random: dependencies.random(), asked: asked)
        guard dependencies.clock() + wait < job.notice.expiresAt else {
          return fail(job, "\(reason); attempt \(attempt) was the last before it expires")
        }
        log(.info, "a push message is sent again later", job.item, job.device, reason)
      }
      // Only a shutdown ends the wait early; `run` counts the discarded message.
      guard (try? await dependencies.pause(wait)) != nil, !Task.isCancelled else { return }
      guard let current = await current(job) else { return finish { $0.skipped += 1 } }
      job = current
    }
  }

  /// Makes one attempt, which a shutdown does not cancel.
  private func send(_ job: Job) async -> PushSendOutcome {
    await Task { [service] in
      await service.send(job.notice, toToken: job.device.deviceToken, device: job.device.mechanismUID)
    }.value
  }

  /// Retires the dead token and ends the job; returns `false` when the device has another token by now.
  private func retire(_ job: Job, at date: Date, _ reason: String) async -> Bool {
    do {
      let isRetired = try await store.retirePushToken(
        mechanismUID: job.device.mechanismUID, realm: job.device.realm, token: job.device.deviceToken,
        at: date)
      if isRetired {
        finish {
          $0.retired += 1
          $0.failed += 1
        }
        log(.notice, "a device's push token is dead and was retired", job.item, job.device, reason)
        return true
      }
      let current = try await store.pushDevice(mechanismUID: job.device.mechanismUID, realm: job.device.realm)
      if let current, current.deviceToken != job.device.deviceToken { return false }
      fail(job, reason)
    } catch {
      fail(job, "\(reason); the store did not note it: \(error)")
    }
    return true
  }

  /// The job with the device's current token; `nil` when the message is no longer open or the device no longer reachable this way. When
  /// the store cannot be read, the job stays as it is.
  private func current(_ job: Job) async -> Job? {
    do {
      guard
        let message = try await store.pushMessage(id: job.item.messageID, realm: job.device.realm),
        message.isOpen(at: dependencies.clock()),
        let device = try await store.pushDevice(
          mechanismUID: job.device.mechanismUID, realm: job.device.realm),
        device.tokenRetiredAt == nil, device.communicationType == job.device.communicationType
      else { return nil }
      var job = job
      job.device = device
      return job
    } catch {
      return job
    }
  }

  // MARK: Counting

  private func fail(_ job: Job, _ reason: String) {
    finish { $0.failed += 1 }
    log(.warning, "a push message was not delivered; the device can fetch it", job.item, job.device, reason)
  }

  private func finish(_ change: @Sendable (inout PushQueueCounts) -> Void) {
    count {
      $0.queued -= 1
      change(&$0)
    }
  }

  private func count(_ change: @Sendable (inout PushQueueCounts) -> Void) {
    state.withLock { change(&$0.counts) }
  }

  private func log(
    _ level: Logger.Level, _ text: Logger.Message, _ item: PushInboxItem, _ device: PushDeviceRecord,
    _ reason: String
  ) {
    logger.log(
      level: level, text,
      metadata: [
        "transport": "\(service.name)", "message": "\(item.messageID)", "realm": "\(device.realm)",
        "device": "\(device.uuid)", "reason": "\(reason)",
      ])
  }
}
