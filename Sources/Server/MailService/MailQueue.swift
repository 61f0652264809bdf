internal import Bytes
internal import Concurrency
public import Foundation
public import Logging

/// Accepts messages at once and sends them in the background: requesters do not wait, and cannot tell from the time whether a mail was
/// sent.
///
/// Several messages are sent at a time, only a few of them to one domain, and messages for one address in order. A message that failed
/// temporarily waits beside the queue, so that it delays no other mail, and is queued again later.
///
/// The queue is in memory: messages in it are lost when the process is killed.
public final class MailQueue: Sendable {
  private let transport: any MailTransport
  private let allows: @Sendable (MailMessage) async throws -> Bool
  private let clock: @Sendable () -> Date
  private let randomBytes: @Sendable (Int) -> [UInt8]
  private let pause: @Sendable (TimeInterval) async throws -> Void
  private let logger: Logger
  private let state = Locked(State())

  /// A message on its way.
  private struct Job: Sendable {
    let message: MailMessage

    /// The id and bytes to send, the same for all attempts.
    var prepared: (id: String, bytes: [UInt8])?

    /// Attempts that have failed.
    var failures = 0

    var recipient: String { message.recipient.text.lowercased() }
    var domain: Substring { recipient.drop { $0 != "@" } }
    var metadata: Logger.Metadata { ["to": "\(message.recipient.shortened)"] }
  }

  private struct State {
    var waiting: [Job] = []

    /// The recipients of messages being sent, and the number of such messages by domain.
    var recipients: Set<String> = []
    var domains: [Substring: Int] = [:]

    /// Messages that wait beside the queue.
    var resting = 0
    var tasks: [UInt64: Task<Void, Never>] = [:]
    var latest: UInt64 = 0
    var isClosed = false

    /// Whether the time to close is over; nothing is retried then.
    var isOver = false

    var count: Int { waiting.count + recipients.count + resting }

    /// The next message that may be sent.
    mutating func next() -> Job? {
      guard recipients.count < MailQueue.atOnce else { return nil }
      let index = waiting.firstIndex { job in
        !recipients.contains(job.recipient) && domains[job.domain, default: 0] < MailQueue.atOncePerDomain
      }
      guard let index else { return nil }
      let job = waiting.remove(at: index)
      recipients.insert(job.recipient)
      domains[job.domain, default: 0] += 1
      return job
    }

    mutating func release(_ job: Job) {
      recipients.remove(job.recipient)
      let rest = domains[job.domain, default: 1] - 1
      domains[job.domain] = rest > 0 ? rest : nil
    }
  }

  /// The most messages that may wait; further ones are dropped, and logged.
  public static let capacity = 1000

  /// The most messages sent at a time, in all and to one domain.
  static let (atOnce, atOncePerDomain) = (8, 2)

  /// Pauses after temporary failures. Seconds.
  public static let pauses: [TimeInterval] = [2, 10, 60]

  /// - Parameters:
  ///   - allows: decides whether the message may be sent now, and counts it.
  ///   - pause: waits that many seconds.
  public init(
    _ transport: any MailTransport, allows: @escaping @Sendable (MailMessage) async throws -> Bool,
    clock: @escaping @Sendable () -> Date, randomBytes: @escaping @Sendable (Int) -> [UInt8], logger: Logger,
    pause: @escaping @Sendable (TimeInterval) async throws -> Void = {
      try await Task.sleep(for: .seconds($0))
    }
  ) {
    self.transport = transport
    self.allows = allows
    self.clock = clock
    self.randomBytes = randomBytes
    self.logger = logger
    self.pause = pause
  }

  /// Accepts a message. Its outcome is logged.
  public func send(_ message: MailMessage) {
    let job = Job(message: message)
    let isTaken = state.withLock { state in
      guard !state.isClosed, state.count < Self.capacity else { return false }
      state.waiting.append(job)
      begin(&state)
      return true
    }
    if !isTaken { logger.error("a mail was dropped: the queue is full or closed", metadata: job.metadata) }
  }

  /// Waits until all accepted messages are sent or given up.
  public func drain() async {
    while let task = state.withLock({ $0.tasks.values.first }) { await task.value }
  }

  /// Accepts no more messages, and waits up to `seconds` for the queue to empty.
  public func close(within seconds: TimeInterval) async {
    state.withLock { $0.isClosed = true }
    let deadline = Task { [state, pause] in
      try await pause(seconds)
      state.withLock { state in
        state.waiting = []
        state.isOver = true
        for task in state.tasks.values { task.cancel() }
      }
    }
    await drain()
    deadline.cancel()
  }

  /// Starts sending every message that may be sent now.
  private func begin(_ state: inout State) {
    while let job = state.next() { run(&state) { await self.work(job) } }
  }

  private func run(_ state: inout State, _ body: @escaping @Sendable () async -> Void) {
    state.latest += 1
    let number = state.latest
    state.tasks[number] = Task {
      await body()
      self.state.withLock { $0.tasks[number] = nil }
    }
  }

  private func work(_ job: Job) async {
    let failed = await deliver(job)
    let isGivenUp = state.withLock { state in
      state.release(job)
      defer { begin(&state) }
      guard let failed else { return false }
      guard !state.isOver else { return true }
      state.resting += 1
      run(&state) { await self.rest(failed) }
      return false
    }
    if isGivenUp { logger.error("a mail was given up: the server stops", metadata: job.metadata) }
  }

  /// Keeps a failed message beside the queue for its pause, and then queues it before all later ones.
  private func rest(_ job: Job) async {
    try? await pause(Self.pauses[job.failures - 1])
    let isGivenUp = state.withLock { state in
      state.resting -= 1
      if !state.isOver { state.waiting.insert(job, at: 0) }
      begin(&state)
      return state.isOver
    }
    if isGivenUp { logger.error("a mail was given up: the server stops", metadata: job.metadata) }
  }

  /// Makes one attempt. Returns the message if it should be tried again.
  private func deliver(_ given: Job) async -> Job? {
    var job = given
    let message = job.message
    if job.prepared == nil {
      guard await isAllowed(job) else { return nil }
      let id = randomBytes(16).hexadecimal
      job.prepared = (id, message.wireForm(id: id, date: clock()))
    }
    guard let (id, bytes) = job.prepared else { return nil }
    do {
      try await transport.send(bytes, from: message.from, to: message.recipient, id: id)
      logger.info("a mail was handed over", metadata: job.metadata)
      return nil
    } catch let error as MailError where error.isTemporary {
      job.failures += 1
      guard job.failures <= Self.pauses.count else {
        logger.error("a mail was given up: \(error)", metadata: job.metadata)
        return nil
      }
      logger.warning("a mail could not be sent, and is tried again: \(error)", metadata: job.metadata)
      return job
    } catch {
      logger.error("a mail could not be sent: \(error)", metadata: job.metadata)
      return nil
    }
  }

  private func isAllowed(_ job: Job) async -> Bool {
    do {
      if try await allows(job.message) { return true }
      logger.warning("a mail was not sent: its address has had too many", metadata: job.metadata)
    } catch {
      logger.error(
        "a mail was not sent: its limit could not be checked: \(error)", metadata: job.metadata)
    }
    return false
  }
}
