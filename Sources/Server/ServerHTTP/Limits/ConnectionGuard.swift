internal import Foundation
internal import NIOCore
internal import Operations

/// Closes a connection whose first request does not come, and tells the ``ConnectionGate`` when it has requests.
///
/// The first handler in the pipeline, before TLS: it does not look at bytes, and ``RequestDeadlines`` reports requests to it.
final class ConnectionGuard: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

  private let gate: ConnectionGate
  private let headTime: TimeAmount
  private let metrics: ServerMetrics
  private var deadline: Scheduled<Void>?
  private var requests = 0

  init(gate: ConnectionGate, headTime: TimeInterval, metrics: ServerMetrics = .none) {
    self.gate = gate
    self.headTime = TimeAmount(seconds: headTime)
    self.metrics = metrics
  }

  func handlerAdded(context: ChannelHandlerContext) {
    deadline = context.eventLoop.assumeIsolated().scheduleTask(in: headTime) { [metrics] in
      metrics.count(.limitReached, "headTime")
      context.close(promise: nil)
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    context.fireChannelInactive()
  }

  func requestBegan(on channel: any Channel) {
    deadline?.cancel()
    deadline = nil
    requests += 1
    if requests == 1 { gate.begins(channel) }
  }

  func requestsEnded(_ count: Int, on channel: any Channel) {
    requests -= count
    if count > 0, requests == 0 { gate.waits(channel) }
  }
}

@available(*, unavailable)
extension ConnectionGuard: Sendable {}
