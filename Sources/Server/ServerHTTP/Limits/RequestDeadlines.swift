internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import Operations
internal import StrictJSON

/// Ends requests whose body or whose answer takes too long, and those with too large a head.
///
/// The limits run from the head to the body's end, and from there until the client has received the answer; single bytes do not
/// extend them. The answer to a late body is 408, to too large a head 431; then the connection is closed (of HTTP/2: the stream).
final class RequestDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let bodyTime: TimeAmount
  private let answerTime: TimeAmount
  private let discardedBytes: Int
  private let metrics: ServerMetrics

  /// Heads that have been read, less answers that have been sent.
  private var open = 0
  private var isReadingBody = false
  private var hasAnswerBegun = false
  private var isEnded = false
  private var discarded = 0
  private var bodyDeadline: Scheduled<Void>?
  private var answerDeadline: Scheduled<Void>?

  init(limits: ServerLimits, metrics: ServerMetrics = .none) {
    bodyTime = TimeAmount(seconds: limits.bodyTime)
    answerTime = TimeAmount(seconds: limits.answerTime)
    discardedBytes = limits.discardedBytes
    self.metrics = metrics
  }

  func handlerRemoved(context: ChannelHandlerContext) { cancel() }

  func channelInactive(context: ChannelHandlerContext) {
    cancel()
    connectionGuard(context)?.handler.requestsEnded(
      open, on: connectionGuard(context)?.channel ?? context.channel)
    open = 0
    context.fireChannelInactive()
  }

  // MARK: Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isEnded else { return }
    switch unwrapInboundIn(data) {
    case .head: guard headWasRead(context) else { return end(context) }
    case .body(let bytes):
      if isAnswered {
        // Read on for a while, so that the client gets the answer and not a reset connection.
        discarded += bytes.readableBytes
        if discarded > discardedBytes {
          metrics.count(.limitReached, "discardedBytes")
          return end(context)
        }
      }
    case .end:
      bodyDeadline?.cancel()
      bodyDeadline = nil
      isReadingBody = false
      if open > 0, answerDeadline == nil { startAnswerDeadline(context) }
    }
    context.fireChannelRead(data)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? HTTPParserError, error == .headerOverflow, open == 0, !isEnded else {
      return context.fireErrorCaught(error)
    }
    metrics.count(.limitReached, "headerBytes")
    refuse(
      context,
      with: ErrorResponse(.requestHeaderFieldsTooLarge, "The request's header fields are too large."))
  }

  /// Whether all answers have gone out while a body is still being read.
  private var isAnswered: Bool { isReadingBody && open == 0 }

  /// Returns `false` when the server takes no more requests.
  private func headWasRead(_ context: ChannelHandlerContext) -> Bool {
    if let (connection, channel) = connectionGuard(context), !connection.requestBegan(on: channel) {
      return false
    }
    open += 1
    isReadingBody = true
    discarded = 0
    bodyDeadline?.cancel()
    bodyDeadline = context.eventLoop.assumeIsolated().scheduleTask(in: bodyTime) { [self] in
      metrics.count(.limitReached, "bodyTime")
      refuse(context, with: ErrorResponse(.requestTimeout, "The body took too long."))
    }
    return true
  }

  // MARK: Answers

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard !isEnded else {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    switch unwrapOutboundIn(data) {
    case .head(let head):
      hasAnswerBegun = head.status.kind != .informational
      if head.headerFields.value(of: .contentType) == Self.eventStream {
        answerDeadline?.cancel()
        answerDeadline = nil
      }
      context.write(data, promise: promise)
    case .body: context.write(data, promise: promise)
    case .end:
      let promise = promise ?? context.eventLoop.makePromise(of: Void.self)
      promise.futureResult.assumeIsolated().whenComplete { [self] _ in answerWasSent(context) }
      context.write(data, promise: promise)
    }
  }

  /// An answer of this type goes on for as long as the client listens.
  private static let eventStream = "text/event-stream"

  private func startAnswerDeadline(_ context: ChannelHandlerContext) {
    answerDeadline = context.eventLoop.assumeIsolated().scheduleTask(in: answerTime) { [self] in
      metrics.count(.limitReached, "answerTime")
      refuse(context, with: .unavailable("the answer took too long"))
    }
  }

  private func answerWasSent(_ context: ChannelHandlerContext) {
    answerDeadline?.cancel()
    answerDeadline = nil
    guard open > 0 else { return }
    open -= 1
    hasAnswerBegun = false
    if let (connection, channel) = connectionGuard(context) { connection.requestsEnded(1, on: channel) }
    // The next request had come before this answer was out.
    if open > 0, !isEnded, !isReadingBody || open > 1 { startAnswerDeadline(context) }
  }

  // MARK: The end

  private func refuse(_ context: ChannelHandlerContext, with refusal: ErrorResponse) {
    // The client would misread a second answer, or one in the middle of another.
    guard !isEnded, !hasAnswerBegun, open <= 1, !isAnswered else { return end(context) }
    isEnded = true
    cancel()
    // A client that takes nothing does not take this either.
    answerDeadline = context.eventLoop.assumeIsolated().scheduleTask(in: answerTime) { [self] in
      metrics.count(.limitReached, "answerTime")
      context.close(promise: nil)
    }
    let body = ByteBuffer(bytes: refusal.body.serialized)
    var head = HTTPResponse(status: refusal.status, headerFields: Response.jsonHeaders)
    // HTTP/2 has no such field, and swift-nio-http2 sends no answer that has it.
    if !isStream(context) { head.headerFields[.connection] = "close" }
    head.headerFields[.contentLength] = String(body.readableBytes)
    for field in refusal.headers { head.headerFields.append(field) }
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(body)), promise: nil)
    let sent = context.eventLoop.makePromise(of: Void.self)
    sent.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: sent)
  }

  private func end(_ context: ChannelHandlerContext) {
    isEnded = true
    cancel()
    context.close(promise: nil)
  }

  private func cancel() {
    bodyDeadline?.cancel()
    answerDeadline?.cancel()
    (bodyDeadline, answerDeadline) = (nil, nil)
  }

  private func isStream(_ context: ChannelHandlerContext) -> Bool {
    connectionGuard(context).map { $0.channel !== context.channel } ?? false
  }

  /// The guard of the connection, which for HTTP/2 is the parent of the stream's channel.
  private func connectionGuard(
    _ context: ChannelHandlerContext
  ) -> (handler: ConnectionGuard, channel: any Channel)? {
    if let handler = try? context.pipeline.syncOperations.handler(type: ConnectionGuard.self) {
      return (handler, context.channel)
    }
    guard let parent = context.channel.parent, parent.eventLoop.inEventLoop,
      let handler = try? parent.pipeline.syncOperations.handler(type: ConnectionGuard.self)
    else { return nil }
    return (handler, parent)
  }
}

@available(*, unavailable)
extension RequestDeadlines: Sendable {}
