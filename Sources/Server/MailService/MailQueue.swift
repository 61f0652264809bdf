internal import Bytes
internal import Concurrency
public import Foundation
public import Logging

/// Takes messages at once, and hands them over one after the other in the background: whoever asks for mail does not wait for it,
/// and cannot tell by the time whether there was any.
///
/// The queue is in memory: what waits in it when the process is killed is not sent.
public final class MailQueue: Sendable {
  private let transport: any MailTransport
  private let allows: @Sendable (MailMessage) async throws -> Bool
  private let clock: @Sendable () -> Date
  private let randomBytes: @Sendable (Int) -> [UInt8]
  private let pause: @Sendable (TimeInterval) async throws -> Void
  private let logger: Logger
  private let state = Locked(State())

  private struct State {
    var waiting: [MailMessage] = []
    var worker: Task<Void, Never>?
    var isClosed = false
  }

  /// Messages that wait at most; further ones are dropped, and logged.
  public static let capacity = 1000

  /// After failures that may pass. Seconds.
  public static let pauses: [TimeInterval] = [2, 10, 60]

  /// - Parameters:
  ///   - allows: whether the message may be sent now; counts it.
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

  /// Takes a message. Whatever becomes of it is in the log.
  public func send(_ message: MailMessage) {
    let isTaken = state.withLock { state in
      guard !state.isClosed, state.waiting.count < Self.capacity else { return false }
      state.waiting.append(message)
      if state.worker == nil { state.worker = Task { await self.work() } }
      return true
    }
    if !isTaken {
      logger.error(
        "a mail was dropped: the queue is full or closed", metadata: ["to": "\(message.recipient.shortened)"])
    }
  }

  /// Waits until everything that was taken was handed over or given up.
  public func drain() async {
    while let worker = state.withLock({ $0.worker }) { await worker.value }
  }

  /// Takes nothing more, and gives what waits `seconds` to leave.
  public func close(within seconds: TimeInterval) async {
    state.withLock { $0.isClosed = true }
    let deadline = Task { [state, pause] in
      try await pause(seconds)
      state.withLock { state in
        state.waiting = []
        state.worker?.cancel()
      }
    }
    await drain()
    deadline.cancel()
  }

  private func work() async {
    while let message = next() { await deliver(message) }
  }

  private func next() -> MailMessage? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.worker = nil
        return nil
      }
      return state.waiting.removeFirst()
    }
  }

  private func deliver(_ message: MailMessage) async {
    let to: Logger.Metadata = ["to": "\(message.recipient.shortened)"]
    do {
      guard try await allows(message) else {
        logger.warning("a mail was not sent: its address has had too many", metadata: to)
        return
      }
    } catch {
      logger.error("a mail was not sent: whether it may be cannot be found out: \(error)", metadata: to)
      return
    }
    let id = randomBytes(16).hexadecimal
    let bytes = message.wireForm(id: id, date: clock())
    for pauseBefore in [0] + Self.pauses {
      do {
        if pauseBefore > 0 { try await pause(pauseBefore) }
        try await transport.send(bytes, from: message.from, to: message.recipient, id: id)
        logger.info("a mail was handed over", metadata: to)
        return
      } catch let error as MailError where error.isTemporary {
        logger.warning("a mail could not be sent, and is tried again: \(error)", metadata: to)
      } catch {
        logger.error("a mail could not be sent: \(error)", metadata: to)
        return
      }
    }
    logger.error("a mail was given up", metadata: to)
  }
}
