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
    let (status, answer) = try await channel.eventLoop.flatSubmit { [channel, handler] in
      let answered = channel.eventLoop.makePromise(of: (Int, [UInt8]).self)
      handler.value.begin(answered)
      var buffer = channel.allocator.buffer(capacity: body.count + 256)
      buffer.writeString(
        "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(channel.remoteAddress?.port ?? 0)\r\nContent-Type: application/json\r\nContent-Length: \(body.count)\r\nAccept-API-Version: resource=2.1, protocol=1.0\r\n\r\n"
      )
      buffer.writeBytes(body)
      channel.writeAndFlush(buffer, promise: nil)
      return answered.futureResult
    }.get()
    guard status == 200 else {
      throw BenchError("\(path) was answered with \(status): \(String(decoding: answer, as: UTF8.self))")
    }
    return try JSONValue(parsing: answer)
  }

  func close() async { try? await channel.close().get() }
}

/// Reads just enough HTTP/1.1 for answers with Content-Length.
private final class ResponseHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private var received: [UInt8] = []
  private var waiting: EventLoopPromise<(Int, [UInt8])>?

  func begin(_ promise: EventLoopPromise<(Int, [UInt8])>) { waiting = promise }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    received.append(contentsOf: unwrapInboundIn(data).readableBytesView)
    guard let end = received.firstRange(of: [13, 10, 13, 10]) else { return }
    let head = String(decoding: received[..<end.lowerBound], as: UTF8.self).lowercased()
    guard let field = head.range(of: "content-length: "),
      let length = Int(head[field.upperBound...].prefix { $0.isNumber }),
      received.count >= end.upperBound + length, let status = Int(head.dropFirst(9).prefix(3))
    else { return }
    let body = Array(received[end.upperBound..<end.upperBound + length])
    received.removeAll(keepingCapacity: true)
    waiting?.succeed((status, body))
    waiting = nil
  }

  func channelInactive(context: ChannelHandlerContext) {
    waiting?.fail(BenchError("the server closed a connection"))
    waiting = nil
  }
}
