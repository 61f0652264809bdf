import Foundation
import HTTPTypes
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import Testing

@testable import Operations
@testable import ServerHTTP

@Suite("Requests that take too long") struct RequestDeadlinesTests {
  private static let limits: ServerLimits = {
    var limits = ServerLimits()
    (limits.bodyTime, limits.answerTime, limits.discardedBytes) = (30, 90, 100)
    return limits
  }()

  private static let get = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/")
  private static let post = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/")

  private func channel() throws -> EmbeddedChannel {
    let channel = EmbeddedChannel(handler: RequestDeadlines(limits: Self.limits))
    try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
    return channel
  }

  private func send(_ parts: HTTPRequestPart..., to channel: EmbeddedChannel) throws {
    for part in parts { try channel.writeInbound(part) }
  }

  private func answer(_ parts: HTTPResponsePart..., on channel: EmbeddedChannel) throws {
    for part in parts { try channel.writeOutbound(part) }
  }

  /// The status of the answer that has gone out; `nil` when none has.
  private func status(on channel: EmbeddedChannel) throws -> Int? {
    while let part = try channel.readOutbound(as: HTTPResponsePart.self) {
      if case .head(let head) = part { return head.status.code }
    }
    return nil
  }

  @Test func `a body that trickles in does not extend its time: 408, and the connection closes`() throws {
    let channel = try channel()
    try send(.head(Self.post), to: channel)
    for _ in 1...29 {
      channel.embeddedEventLoop.advanceTime(by: .seconds(1))
      try send(.body(ByteBuffer(string: "x")), to: channel)
    }
    #expect(channel.isActive)
    #expect(try status(on: channel) == nil)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(try status(on: channel) == 408)
    #expect(!channel.isActive)
  }

  @Test func `an answer that does not come, or that the client does not take, ends the connection`() throws {
    let silent = try channel()
    try send(.head(Self.get), .end(nil), to: silent)
    silent.embeddedEventLoop.advanceTime(by: .seconds(89))
    #expect(silent.isActive)
    silent.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(try status(on: silent) == 503)
    #expect(!silent.isActive)

    let begun = try channel()
    try send(.head(Self.get), .end(nil), to: begun)
    try answer(.head(HTTPResponse(status: .ok)), on: begun)
    begun.embeddedEventLoop.advanceTime(by: .seconds(90))
    #expect(try status(on: begun) == 200)
    #expect(!begun.isActive)
    #expect(try begun.readOutbound(as: HTTPResponsePart.self) == nil)
  }

  /// Takes what is written, and never says that it has gone out: the client reads nothing.
  private final class Unread: ChannelOutboundHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart
    private var promises: [EventLoopPromise<Void>] = []

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      if let promise { promises.append(promise) }
    }

    func end() { for promise in promises { promise.fail(ChannelError.ioOnClosedChannel) } }
  }

  @Test func `a client that does not even take the refusal loses its connection`() throws {
    let unread = Unread()
    let channel = EmbeddedChannel(handlers: [unread, RequestDeadlines(limits: Self.limits)])
    try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
    try send(.head(Self.post), to: channel)
    channel.embeddedEventLoop.advanceTime(by: .seconds(30))
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .seconds(90))
    #expect(!channel.isActive)
    unread.end()
  }

  @Test func `a stream of events goes on, and so does a connection that is used again and again`() throws {
    let stream = try channel()
    try send(.head(Self.get), .end(nil), to: stream)
    try answer(
      .head(HTTPResponse(status: .ok, headerFields: [.contentType: "text/event-stream"])), on: stream)
    stream.embeddedEventLoop.advanceTime(by: .hours(24))
    #expect(stream.isActive)

    let reused = try channel()
    for _ in 1...10 {
      try send(.head(Self.post), to: reused)
      reused.embeddedEventLoop.advanceTime(by: .seconds(29))
      try send(.end(nil), to: reused)
      reused.embeddedEventLoop.advanceTime(by: .seconds(89))
      try answer(.head(HTTPResponse(status: .ok)), .end(nil), on: reused)
      reused.embeddedEventLoop.advanceTime(by: .seconds(200))
      #expect(reused.isActive)
    }
  }

  @Test func `the body of a refused request is read on for a while, and no longer`() throws {
    let channel = try channel()
    try send(.head(Self.post), to: channel)
    try answer(.head(HTTPResponse(status: .contentTooLarge)), .end(nil), on: channel)
    try send(.body(ByteBuffer(repeating: 0x20, count: 100)), to: channel)
    #expect(channel.isActive)
    try send(.body(ByteBuffer(repeating: 0x20, count: 1)), to: channel)
    #expect(!channel.isActive)

    let slow = try self.channel()
    try send(.head(Self.post), to: slow)
    try answer(.head(HTTPResponse(status: .contentTooLarge)), .end(nil), on: slow)
    slow.embeddedEventLoop.advanceTime(by: .seconds(30))
    #expect(!slow.isActive)
    #expect(try status(on: slow) == 413)
    #expect(try status(on: slow) == nil)
  }

  @Test func `requests that come before their turn have their own time`() throws {
    let channel = try channel()
    try send(.head(Self.get), .end(nil), .head(Self.get), .end(nil), to: channel)
    channel.embeddedEventLoop.advanceTime(by: .seconds(60))
    try answer(.head(HTTPResponse(status: .ok)), .end(nil), on: channel)
    channel.embeddedEventLoop.advanceTime(by: .seconds(60))
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .seconds(30))
    #expect(!channel.isActive)
  }

  @Test func `a head that is too large is 431`() throws {
    let channel = try channel()
    channel.pipeline.fireErrorCaught(HTTPParserError.headerOverflow)
    #expect(try status(on: channel) == 431)
    #expect(!channel.isActive)
  }

  @Test func `a request beyond those that the server takes is not answered`() throws {
    let gate = ConnectionGate(
      maximum: 1, maximumPerAddress: 1, address: { $0?.ipAddress }, now: { Date(timeIntervalSince1970: 0) })
    let channel = try channel()
    #expect(gate.admit(channel, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
    try channel.pipeline.syncOperations.addHandler(
      ConnectionGuard(gate: gate, headTime: 20, idleTime: 75), position: .first)
    for _ in 1...2 { try send(.head(Self.get), .end(nil), to: channel) }
    #expect(channel.isActive)
    try send(.head(Self.get), .end(nil), to: channel)
    channel.embeddedEventLoop.run()
    #expect(!channel.isActive && gate.count == 0)
  }

  @Test func `a long poll has room within the time for an answer`() {
    #expect(ServerLimits().answerTime >= 30 + 30)
  }
}
