internal import Concurrency
internal import Foundation
internal import PingLogger
internal import PingNetwork
internal import PushFormats

/// Fetches messages from servers that keep them until the device asks.
final class PollingClient: Sendable {
  /// The server has no stream; it may still answer polls.
  struct NoStream: Error {}

  private struct State {
    var isClosed = false
    var running: [UUID: @Sendable () -> Void] = [:]
    var watchers: [UUID: AsyncStream<Void>.Continuation] = [:]
  }

  private let http: any HttpClientProtocol
  private let ownsClient: Bool
  private let dependencies: PushDependencies
  private let logger: any Logger
  private let state = Locked(State())

  /// The longest time without a byte of a stream, in seconds: keep-alives come more often.
  private static let idleTimeout: TimeInterval = 90

  init(
    http: any HttpClientProtocol, ownsClient: Bool, dependencies: PushDependencies, logger: any Logger
  ) {
    self.http = http
    self.ownsClient = ownsClient
    self.dependencies = dependencies
    self.logger = logger
  }

  /// The open messages of the credential.
  ///
  /// - Parameter wait: How long the server may wait for a new one, in seconds.
  func poll(_ credential: PushCredential, wait: Int) async throws -> [DeliveredPushMessage] {
    let body = PushPollBody(mechanismUID: credential.id, jwt: try await token(credential), wait: wait)
    let response = try await http.postPush(
      body.serialized, to: credential.pollEndpoint, failure: "The messages were not fetched.")
    guard response.status.isSuccess() else {
      throw PushError.networkFailure(
        "The server answered the request for messages with status code \(response.status).", nil)
    }
    do { return try PushPollAnswer(parsing: response.body ?? Data()).messages } catch {
      throw PushError.networkFailure("The server's answer has no messages: \(error.reason)", error)
    }
  }

  /// Passes on messages as they arrive, until the server ends the stream.
  ///
  /// - Returns: The pause that the server requests, in milliseconds.
  /// - Throws: ``NoStream`` when the server offers no stream.
  func stream(
    _ credential: PushCredential, _ receive: (DeliveredPushMessage) async -> Void
  ) async throws -> Int? {
    guard let http = http as? any HttpStreamingClient,
      let url = try? PushServerURL(credential.serverEndpoint).replacingMessagePath(with: "push/stream")
    else { throw NoStream() }
    let request = http.request()
    request.url = url
    request.get()
    request.setHeader(name: "Accept", value: "text/event-stream")
    request.setHeader(
      name: NetworkConstants.headerAuthorization,
      value: "\(NetworkConstants.bearerValue) \(try await token(credential))")
    let stream = try await http.stream(request: request, idleTimeout: Self.idleTimeout)
    switch stream.status {
    case 200: break
    case 404, 405, 406, 415, 501: throw NoStream()
    default:
      throw PushError.networkFailure(
        "The server answered the request for a stream with status code \(stream.status).", nil)
    }
    guard stream.headers["content-type"]?.lowercased().hasPrefix("text/event-stream") == true else {
      throw NoStream()
    }
    var parser = EventStreamParser(limit: 4 * PushFormatLimits.tokenBytes)
    for try await piece in stream.body {
      for event in try parser.parse(piece) {
        // A malformed event must not block the others.
        do throws(PushFormatError) { await receive(try DeliveredPushMessage(parsing: event)) } catch {
          logger.w("An event of the stream is not a message: \(error.reason)")
        }
      }
    }
    try Task.checkCancellation()
    return parser.retryMilliseconds
  }

  private func token(_ credential: PushCredential) async throws -> String {
    let issuedAt = Int64(dependencies.now().timeIntervalSince1970)
    return try await PushFetch(mechanismUID: credential.id, issuedAt: issuedAt).token(
      secret: try credential.secret())
  }
}

extension PollingClient {
  /// Runs `body` in a task that is cancelled with the caller's task, or when this object is closed.
  func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let task = Task { try await body() }
    let id = UUID()
    let isClosed = state.withLock { state in
      if !state.isClosed { state.running[id] = { task.cancel() } }
      return state.isClosed
    }
    if isClosed { task.cancel() }
    defer { state.withLock { $0.running[id] = nil } }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Yields once at the start and whenever credentials are added or removed, until this object is closed.
  func changes() -> AsyncStream<Void> {
    let (stream, watcher) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id = UUID()
    watcher.onTermination = { [weak self] _ in self?.state.withLock { $0.watchers[id] = nil } }
    let isClosed = state.withLock { state in
      if !state.isClosed { state.watchers[id] = watcher }
      return state.isClosed
    }
    if isClosed { watcher.finish() } else { watcher.yield() }
    return stream
  }

  func credentialsChanged() {
    for watcher in state.withLock({ Array($0.watchers.values) }) { watcher.yield() }
  }

  func close() {
    let (running, watchers) = state.withLock { state in
      state.isClosed = true
      return (Array(state.running.values), Array(state.watchers.values))
    }
    for cancel in running { cancel() }
    for watcher in watchers { watcher.finish() }
    if ownsClient { http.close() }
  }
}
