import BenchmarkServer
import Foundation
import JourneyDriving
import NIOCore
import NIOPosix
import PushFormats

/// A device's stream of server-sent events, on a connection of its own.
final class MessageStream: Sendable {
  private let channel: any Channel
  private let messages: AsyncThrowingStream<DeliveredPushMessage, any Error>

  /// Returns once the server has begun to answer.
  static func open(_ device: Fleet.Device, port: Int, on group: any EventLoopGroup) async throws
    -> MessageStream
  {
    let token = try await device.device.fetchToken(at: Date())
    let (messages, source) = AsyncThrowingStream.makeStream(of: DeliveredPushMessage.self)
    let loop = group.next()
    let begun = loop.makePromise(of: Void.self)
    let channel = try await ClientBootstrap(group: loop)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(EventHandler(begun: begun, messages: source))
        }
      }
      .connect(host: "127.0.0.1", port: port).get()
    channel.writeAndFlush(
      ByteBuffer(
        string:
          "GET /am/json/realms/root/realms/alpha/push/stream HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAccept: text/event-stream\r\nAuthorization: Bearer \(token)\r\n\r\n"
      ), promise: nil)
    try await begun.futureResult.get()
    return MessageStream(channel: channel, messages: messages)
  }

  private init(channel: any Channel, messages: AsyncThrowingStream<DeliveredPushMessage, any Error>) {
    self.channel = channel
    self.messages = messages
  }

  func next() async throws -> DeliveredPushMessage {
    for try await message in messages { return message }
    throw BenchError("a device's stream ended")
  }

  func close() async { try? await channel.close().get() }
}

/// Finds the lines with data; each event comes in one piece of the chunked answer.
private final class EventHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let begun: EventLoopPromise<Void>
  private let messages: AsyncThrowingStream<DeliveredPushMessage, any Error>.Continuation
  private var received: [UInt8] = []
  private var hasBegun = false

  init(
    begun: EventLoopPromise<Void>, messages: AsyncThrowingStream<DeliveredPushMessage, any Error>.Continuation
  ) {
    self.begun = begun
    self.messages = messages
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    received.append(contentsOf: unwrapInboundIn(data).readableBytesView)
    while let end = received.firstIndex(of: 10) {
      let line = received[..<end].filter { $0 != 13 }
      received.removeSubrange(...end)
      let text = String(decoding: line, as: UTF8.self)
      if !hasBegun {
        hasBegun = true
        if text.hasPrefix("HTTP/1.1 200") {
          begun.succeed()
        } else {
          begun.fail(BenchError("a stream was answered with \(text)"))
        }
      } else if text.hasPrefix("data:") {
        do { messages.yield(try DeliveredPushMessage(parsing: Array(text.dropFirst(5).utf8))) } catch {
          messages.finish(throwing: error)
        }
      }
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    if !hasBegun { begun.fail(BenchError("the server closed a stream")) }
    messages.finish()
  }
}
