internal import NIOCore
internal import NIOTLS

/// Closes a connection whose TLS handshake takes too long, or when the server shuts down during it: no other timeout of the
/// server applies yet. Leaves the pipeline after the handshake.
final class HandshakeDeadline: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = Any

  private let timeout: TimeAmount
  private var deadline: Scheduled<Void>?

  init(_ timeout: TimeAmount) { self.timeout = timeout }

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    deadline = context.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    context.fireChannelInactive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent { return context.close(promise: nil) }
    context.fireUserInboundEventTriggered(event)
    if case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent {
      context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
  }
}
