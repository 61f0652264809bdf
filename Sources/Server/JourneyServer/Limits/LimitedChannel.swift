internal import Foundation
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore

/// A connection of any protocol (HTTP/1, with TLS, HTTP/2), admitted by the ``ConnectionGate`` and watched by a
/// ``ConnectionGuard``. The only place where connections get their limits.
struct LimitedChannel<Base: ServerChildChannel>: ServerChildChannel {
  let base: Base
  let gate: ConnectionGate
  let limits: ServerLimits

  /// There are too many connections.
  struct Refused: Error {}

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
    guard gate.admit(channel, logger: logger) else {
      channel.close(promise: nil)
      return channel.eventLoop.makeFailedFuture(Refused())
    }
    do {
      try channel.pipeline.syncOperations.addHandler(
        ConnectionGuard(gate: gate, headTime: limits.headTime))
    } catch { return channel.eventLoop.makeFailedFuture(error) }
    return base.setup(channel: channel, logger: logger)
  }

  func handle(value: Base.Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}

extension ServerLimits {
  /// What each connection by HTTP/1, and each stream of HTTP/2, is set up with.
  var connectionPipeline: ConnectionPipeline {
    var pipeline = ConnectionPipeline()
    pipeline.requestHandlers = { [RequestDeadlines(limits: self)] }
    pipeline.headers = .init(
      maxHeaderFieldSize: headerFieldBytes, maxHeaderListSize: headerBytes,
      maxHeaderFieldCount: headerFields)
    pipeline.idleTimeout = TimeAmount(seconds: idleTime)
    return pipeline
  }
}

extension TimeAmount {
  init(seconds: TimeInterval) { self = .milliseconds(Int64(seconds * 1000)) }
}
