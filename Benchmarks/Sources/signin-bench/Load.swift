import BenchmarkReport
import BenchmarkServer
import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// What one stretch of load measured.
struct Round: Sendable {
  let rate: Double
  /// Server's processor time per sign-in.
  let serverMicroseconds: Double
  /// Server's allocations per sign-in, where they are counted.
  var allocations: Double?
  /// Durations of whole sign-ins in milliseconds, sorted.
  let durations: [Double]

  func percentile(_ share: Double) -> Double { durations.percentile(share) }
}

/// Drives one connection per device, each in a loop, for a time.
enum Load {
  /// - Parameters:
  ///   - servers: the connections are spread over them.
  ///   - rate: how many sign-ins a second are begun on all connections together, each at its own moment, whatever has become of
  ///     earlier ones; a sign-in counts from that moment, also when its connection was still busy. `nil` for as many as they can.
  static func run(
    _ dialogue: some Dialogue, on servers: ServerChild..., fleet: Fleet, seconds: Int, rate: Double? = nil
  ) async throws -> Round {
    try await run(dialogue, on: servers, fleet: fleet, seconds: seconds, rate: rate)
  }

  static func run(
    _ dialogue: some Dialogue, on servers: [ServerChild], fleet: Fleet, seconds: Int, rate: Double? = nil
  ) async throws -> Round {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let tally = Tally()
    let before = servers.reduce(0) { $0 + $1.processorTime }
    let allocated = servers.first?.allocations
    let start = ContinuousClock.now
    let deadline = start + .seconds(seconds)
    let channels = try await withThrowingTaskGroup(of: (any Channel).self) { connecting in
      for (number, device) in fleet.devices.enumerated() {
        let port = servers[number % servers.count].port
        let pace = rate.map { rate in
          Pace(
            next: start + .seconds(Double(number) / rate),
            interval: .seconds(Double(fleet.devices.count) / rate))
        }
        connecting.addTask {
          try await ClientBootstrap(group: group)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
              channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(
                  DeviceHandler(
                    device: device, dialogue: dialogue, tally: tally, deadline: deadline, pace: pace))
              }
            }
            .connect(host: "127.0.0.1", port: port).get()
        }
      }
      return try await connecting.reduce(into: []) { $0.append($1) }
    }
    for channel in channels { try await channel.closeFuture.get() }
    let elapsed = start.duration(to: .now) / .seconds(1)
    let used = servers.reduce(0) { $0 + $1.processorTime } - before
    let allocations = allocated.flatMap { before in servers.first?.allocations.map { $0 - before } }
    try await group.shutdownGracefully()
    let result = tally.result()
    if let error = result.error { throw error }
    guard !result.durations.isEmpty else { throw BenchError("nobody signed in within \(seconds) s") }
    return Round(
      rate: Double(result.durations.count) / elapsed,
      serverMicroseconds: used * 1_000_000 / Double(result.durations.count),
      allocations: allocations.map { $0 / Double(result.durations.count) },
      durations: result.durations.sorted())
  }
}

/// Collects over all connections. One error spoils the run: a refused answer would be cheaper than a sign-in.
final class Tally: Sendable {
  private let state = Mutex<(durations: [Double], error: (any Error)?)>(([], nil))

  func add(_ milliseconds: Double) { state.withLock { $0.durations.append(milliseconds) } }

  func fail(_ error: any Error) { state.withLock { $0.error = $0.error ?? error } }

  func result() -> (durations: [Double], error: (any Error)?) { state.withLock { $0 } }
}

/// When a connection begins its sign-ins.
struct Pace: Sendable {
  var next: ContinuousClock.Instant
  let interval: Duration
}

/// One device on one connection: the requests of a dialogue, each after the answer to the one before, again until the deadline.
final class DeviceHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let device: Fleet.Device
  private let dialogue: any Dialogue
  private let tally: Tally
  private let deadline: ContinuousClock.Instant
  private var received: [UInt8] = []
  private var started = ContinuousClock.now
  /// Requests of this run that were answered.
  private var answered = 0
  private var isDone = false
  private var pace: Pace?

  init(
    device: Fleet.Device, dialogue: any Dialogue, tally: Tally, deadline: ContinuousClock.Instant,
    pace: Pace?
  ) {
    self.pace = pace
    self.device = device
    self.dialogue = dialogue
    self.tally = tally
    self.deadline = deadline
  }

  func channelActive(context: ChannelHandlerContext) { begin(context) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    received.append(contentsOf: unwrapInboundIn(data).readableBytesView)
    guard let body = HTTPAnswer(received)?.body else { return }
    received.removeAll(keepingCapacity: true)
    do {
      answered += 1
      if answered == 1 { return send(try dialogue.second(device, after: body), context) }
      if answered == 2, let third = try dialogue.third(device, after: body) { return send(third, context) }
      guard dialogue.succeeded(body) else {
        throw BenchError("a run was refused: \(String(decoding: body, as: UTF8.self))")
      }
      tally.add(started.duration(to: .now) / .milliseconds(1))
      begin(context)
    } catch { errorCaught(context: context, error: error) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    if !isDone { tally.fail(BenchError("the server closed a connection")) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    tally.fail(error)
    context.close(promise: nil)
  }

  private func begin(_ context: ChannelHandlerContext) {
    answered = 0
    let now = ContinuousClock.now
    started = pace?.next ?? now
    guard max(started, now) < deadline else {
      isDone = true
      return context.close(promise: nil)
    }
    if let interval = pace?.interval { pace?.next += interval }
    guard started <= now else {
      let wait = now.duration(to: started) / .nanoseconds(1)
      let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
      context.eventLoop.scheduleTask(in: .nanoseconds(Int64(wait))) {
        let (handler, context) = bound.value
        handler.sendFirst(context)
      }
      return
    }
    sendFirst(context)
  }

  private func sendFirst(_ context: ChannelHandlerContext) {
    do { send(try dialogue.first(device), context) } catch { errorCaught(context: context, error: error) }
  }

  private func send(_ request: (path: String, body: [UInt8]), _ context: ChannelHandlerContext) {
    var buffer = context.channel.allocator.buffer(capacity: request.body.count + 256)
    buffer.writeString(
      HTTPAnswer.post(request.path, count: request.body.count, fields: dialogue.fields))
    buffer.writeBytes(request.body)
    context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
  }
}
