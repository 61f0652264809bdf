internal import Concurrency
internal import Foundation
package import Logging
package import PushService

/// Whether the server is about to stop, and which requests it still has to answer.
///
/// Once begun, a drain does not end: the server is not ready, devices that wait for messages are answered, and each answer
/// closes its connection. Requests are answered as before until the time is up.
package final class Drain: Sendable {
  /// A request that is being answered. Its query is left out, because it may carry secrets.
  struct Running: Sendable, Hashable {
    let method: String
    let path: String
  }

  private struct State: Sendable {
    var isUnderWay = false
    var running: [UInt64: Running] = [:]
    var count: UInt64 = 0
  }

  private let direct: PollWaiters
  private let gate: ConnectionGate
  private let randomBytes: @Sendable (Int) -> [UInt8]
  private let logger: Logger
  private let state = Locked(State())

  /// Milliseconds after which devices that listened here are told to connect again. Drawn for each, so that they do not all come
  /// at once.
  static let reconnection = 1_000...15_000

  /// How many of the requests that were cut are logged one by one.
  private static let linesOfCut = 20

  package init(
    direct: PollWaiters, gate: ConnectionGate, randomBytes: @escaping @Sendable (Int) -> [UInt8],
    logger: Logger
  ) {
    self.direct = direct
    self.gate = gate
    self.randomBytes = randomBytes
    self.logger = logger
  }

  package var isUnderWay: Bool { state.withLock { $0.isUnderWay } }

  /// Requests whose answer has not begun.
  package var running: Int { state.withLock { $0.running.count } }

  /// Makes the server not ready from now on. Only the first call counts.
  package func begin() {
    let (isFirst, running) = state.withLock { state -> (Bool, Int) in
      defer { state.isUnderWay = true }
      return (!state.isUnderWay, state.running.count)
    }
    guard isFirst else { return }
    logger.notice(
      "the server is stopping; requests under way are finished",
      metadata: [
        "requests": .stringConvertible(running), "listening": .stringConvertible(direct.listening.count),
      ])
    direct.close()
  }

  /// Registers a request that has begun. Give the number to ``ended(_:)``.
  func began(_ request: Running) -> UInt64 {
    state.withLock { state in
      state.count += 1
      state.running[state.count] = request
      return state.count
    }
  }

  package func ended(_ number: UInt64) { state.withLock { _ = $0.running.removeValue(forKey: number) } }

  /// Closes all connections when the time is up, and logs what was not answered.
  package func cut() {
    let running = state.withLock { $0.running.sorted { $0.key < $1.key }.map(\.value) }
    let connections = gate.closeAll()
    guard !running.isEmpty || connections > 0 else { return }
    logger.warning(
      "the time to stop is up; what was not finished is cut",
      metadata: [
        "requests": .stringConvertible(running.count), "connections": .stringConvertible(connections),
      ])
    for request in running.prefix(Self.linesOfCut) {
      logger.warning("request cut", metadata: ["method": "\(request.method)", "path": "\(request.path)"])
    }
  }

  /// When a device that listened here should connect again, in milliseconds.
  package func reconnectionTime() -> Int {
    let random = randomBytes(4).reduce(0) { $0 << 8 | Int($1) }
    return Self.reconnection.lowerBound + random % Self.reconnection.count
  }
}
