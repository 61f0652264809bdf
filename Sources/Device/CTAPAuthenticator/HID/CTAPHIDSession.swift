internal import CTAP

/// Lets the clients of a virtual security key speak to a ``CTAPAuthenticator``: takes their reports and sends its own.
package actor CTAPHIDSession {
  /// How often a waiting client gets a keepalive (CTAP 2.1 §11.2.9.1.7).
  package static let keepaliveTime = Duration.milliseconds(100)

  private var transport = CTAPHIDTransport()
  private let authenticator: CTAPAuthenticator
  private let send: @Sendable ([UInt8]) -> Void
  private let wink: @Sendable () -> Void
  private let elapsed: @Sendable () -> Duration
  private let sleep: @Sendable (Duration) async throws -> Void
  private var performing: Task<Void, Never>?

  /// - Parameters:
  ///   - clock: Measures waiting times.
  ///   - wink: Called when a client wants the person to see which key this is.
  ///   - send: Sends a report of 64 bytes.
  package init<Time: Clock<Duration>>(
    _ authenticator: CTAPAuthenticator, clock: Time, wink: @escaping @Sendable () -> Void = {},
    send: @escaping @Sendable ([UInt8]) -> Void
  ) {
    (self.authenticator, self.send, self.wink) = (authenticator, send, wink)
    let start = clock.now
    elapsed = { start.duration(to: clock.now) }
    sleep = { try await clock.sleep(for: $0) }
  }

  /// Handles a report of a client.
  package func receive(_ report: [UInt8]) {
    let before = transport.deadline
    run(transport.receive(report, at: elapsed()))
    if let deadline = transport.deadline, deadline != before {
      let wait = deadline - elapsed()
      Task { [weak self, sleep] in
        try? await sleep(wait)
        await self?.tick()
      }
    }
  }

  /// Called when the last client is gone: takes the current question away.
  package func close() { run(transport.close()) }

  private func tick() { run(transport.tick(at: elapsed())) }

  private func run(_ effects: [CTAPHIDTransport.Effect]) {
    for effect in effects {
      switch effect {
      case .send(let message): for packet in message.packets { send(packet.bytes) }
      case .perform(let transaction, let channel, let request): perform(transaction, channel, request)
      case .cancel: performing?.cancel()
      case .wink: wink()
      }
    }
  }

  private func perform(_ transaction: Int, _ channel: UInt32, _ request: [UInt8]) {
    let keepalive = Task { [weak self, sleep] in
      while (try? await sleep(Self.keepaliveTime)) != nil {
        guard await self?.keepAlive(transaction) == true else { return }
      }
    }
    performing = Task { [authenticator, weak self] in
      let reply = await authenticator.reply(to: request, on: channel)
      keepalive.cancel()
      await self?.finish(transaction, reply)
    }
  }

  private func keepAlive(_ transaction: Int) -> Bool {
    let effects = transport.keepalive(
      transaction, authenticator.isAsking ? .userPresenceNeeded : .processing)
    run(effects)
    return !effects.isEmpty
  }

  private func finish(_ transaction: Int, _ reply: [UInt8]) {
    run(transport.finish(transaction, with: reply))
  }
}
