internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Ends HTTP/1.1 connections while the server is stopping: answers carry `Connection: close`, and then the connection closes.
///
/// The request's body is read to its end first, so that the client gets the answer and not a reset connection. Requests that the
/// client has already sent after this one are answered; the last answer closes. HTTP/2 has GOAWAY, which swift-nio-http2 and
/// Hummingbird send.
final class ClosingAnswers: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let drain: Drain

  /// Heads that have been read, less answers that have been written.
  private var open = 0
  private var isReadingBody = false

  /// Whether the client has been told that the connection closes after the answer under way.
  private var isLast = false
  private var isSent = false

  /// Whether this is a stream of HTTP/2, which has no such header.
  private var isStream = false

  init(drain: Drain) { self.drain = drain }

  func handlerAdded(context: ChannelHandlerContext) {
    guard let parent = context.channel.parent, parent.eventLoop.inEventLoop else { return }
    isStream = (try? parent.pipeline.syncOperations.handler(type: ConnectionGuard.self)) != nil
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head:
      // The client sent this request before it knew of the close. It may send it again elsewhere.
      if isLast { return }
      open += 1
      isReadingBody = true
    case .body: if isLast, !isReadingBody { return }
    case .end:
      if isLast, !isReadingBody { return }
      isReadingBody = false
      if isSent {
        context.fireChannelRead(data)
        return context.close(promise: nil)
      }
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head):
      if head.status.kind != .informational, open <= 1, !isStream, drain.isUnderWay {
        isLast = true
        head.headerFields[.connection] = "close"
        return context.write(wrapOutboundOut(.head(head)), promise: promise)
      }
      context.write(data, promise: promise)
    case .body: context.write(data, promise: promise)
    case .end:
      open -= 1
      guard isLast else { return context.write(data, promise: promise) }
      let promise = promise ?? context.eventLoop.makePromise(of: Void.self)
      promise.futureResult.assumeIsolated().whenComplete { [self] _ in
        isSent = true
        if !isReadingBody { context.close(promise: nil) }
      }
      context.write(data, promise: promise)
    }
  }
}

@available(*, unavailable)
extension ClosingAnswers: Sendable {}
