import BenchmarkServer
import Foundation
import NIOCore
import NIOPosix
import StrictJSON

/// One HTTP/1.1 connection, one request at a time.
final class Connection: Sendable {
  private let channel: any Channel
  private let handler: NIOLoopBound<ResponseHandler>

  static func open(port: Int, on group: any EventLoopGroup) async throws -> Connection {
    let loop = group.next()
    let handler = try await loop.submit { NIOLoopBound(ResponseHandler(), eventLoop: loop) }.get()
    let channel = try await ClientBootstrap(group: loop)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(handler.value)
        }
      }
      .connect(host: "127.0.0.1", port: port).get()
    return Connection(channel: channel, handler: handler)
  }

  private init(channel: any Channel, handler: NIOLoopBound<ResponseHandler>) {
    self.channel = channel
    self.handler = handler
  }

  /// The body of the answer, whose status has to be 200.
  func post(_ path: String, _ body: [UInt8]) async throws -> JSONValue {
    let answer = try await channel.eventLoop.flatSubmit { [channel, handler] in
      let answered = channel.eventLoop.makePromise(of: HTTPAnswer.self)
      handler.value.begin(answered)
      var buffer = channel.allocator.buffer(capacity: body.count + 256)
      buffer.writeString(HTTPAnswer.post(path, count: body.count, fields: HTTPAnswer.jsonFields))
      buffer.writeBytes(body)
      channel.writeAndFlush(buffer, promise: nil)
      return answered.futureResult
    }.get()
    guard answer.status == 200 else {
      throw BenchError(
        "\(path) was answered with \(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
    }
    return try JSONValue(parsing: answer.body)
  }

  func close() async { try? await channel.close().get() }
}

/// Reads just enough HTTP/1.1 for answers with Content-Length.
private final class ResponseHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private var received: [UInt8] = []
  private var waiting: EventLoopPromise<HTTPAnswer>?

  func begin(_ promise: EventLoopPromise<HTTPAnswer>) { waiting = promise }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    received.append(contentsOf: unwrapInboundIn(data).readableBytesView)
    guard let answer = HTTPAnswer(received) else { return }
    received.removeAll(keepingCapacity: true)
    waiting?.succeed(answer)
    waiting = nil
  }

  func channelInactive(context: ChannelHandlerContext) {
    waiting?.fail(BenchError("the server closed a connection"))
    waiting = nil
  }
}
