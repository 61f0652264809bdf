internal import Foundation
internal import NIOCore
internal import Operations

/// Closes a connection whose first request does not come, or that has had none for too long, and tells the ``ConnectionGate`` of its
/// requests.
///
/// The first handler in the pipeline, before TLS: it does not look at bytes, and ``RequestDeadlines`` reports requests to it.
final class ConnectionGuard: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

  private let gate: ConnectionGate
  private let headTime: TimeAmount
  private let idleTime: TimeAmount
  private let metrics: ServerMetrics
  private var deadline: Scheduled<Void>?
  private var requests = 0

  /// How much longer than the idle time an idle connection stays: over HTTP/2 Hummingbird says that it ends, and closes it only when the
  /// client has confirmed that.
  static let farewell: TimeInterval = 15

  init(
    gate: ConnectionGate, headTime: TimeInterval, idleTime: TimeInterval, metrics: ServerMetrics = .none
  ) {
    self.gate = gate
    self.headTime = TimeAmount(seconds: headTime)
    self.idleTime = TimeAmount(seconds: idleTime + Self.farewell)
    self.metrics = metrics
  }

  func handlerAdded(context: ChannelHandlerContext) {
    close(context.channel, in: headTime, limit: "headTime")
  }

  private func close(_ channel: any Channel, in time: TimeAmount, limit: String) {
    deadline?.cancel()
    deadline = channel.eventLoop.scheduleTask(in: time) { [metrics] in
      metrics.count(.limitReached, limit)
      channel.close(promise: nil)
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    context.fireChannelInactive()
  }

  /// Returns `false`, and does not count the request, when there are too many under way.
  func requestBegan(on channel: any Channel) -> Bool {
    guard gate.begins(channel) else { return false }
    deadline?.cancel()
    deadline = nil
    requests += 1
    return true
  }

  func requestsEnded(_ count: Int, on channel: any Channel) {
    requests -= count
    gate.ends(count, channel)
    if count > 0, requests == 0, channel.isActive { close(channel, in: idleTime, limit: "idleTime") }
  }
}

@available(*, unavailable)
extension ConnectionGuard: Sendable {}
