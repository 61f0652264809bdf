internal import AsyncHTTPClient
internal import Concurrency
package import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

/// How long an unwilling push service is waited for.
package struct Patience: Sendable, Hashable {
  package var connecting = TimeAmount.seconds(5)

  /// From the request to the answer's head, and between its parts.
  package var answering = TimeAmount.seconds(10)

  package init() {}
}

/// An HTTP client that is made when it is first needed, and follows no redirects.
final class OutgoingClient: Sendable {
  private enum State {
    case unused
    case open(HTTPClient)
    case closed
  }

  private let state = Locked(State.unused)
  private let configuration: @Sendable () -> HTTPClient.Configuration
  private let patience: Patience

  /// - Parameter names: addresses to connect to instead of asking for a host's.
  init(trust: NIOSSLTrustRoots, patience: Patience, names: [String: String] = [:]) {
    self.patience = patience
    configuration = {
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.minimumTLSVersion = .tlsv12
      tls.trustRoots = trust
      var configuration = HTTPClient.Configuration(
        tlsConfiguration: tls, redirectConfiguration: .disallow,
        timeout: .init(connect: patience.connecting, read: patience.answering))
      configuration.connectionPool.retryConnectionEstablishment = false
      configuration.connectionPool.idleTimeout = .minutes(5)
      configuration.dnsOverride = names
      return configuration
    }
  }

  /// What came back; the body only as far as it was asked for.
  struct Answer: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: [UInt8]
  }

  /// Sends a request and takes the answer, all of it within twice ``Patience/answering``.
  ///
  /// - Parameter limit: longest body in bytes; `nil` reads none, because the other side is not trusted with our time.
  func execute(_ request: HTTPClientRequest, bodyLimit limit: Int?) async throws -> Answer {
    let client = try current()
    let patience = patience
    let waiting = Locked<CheckedContinuation<Answer, any Error>?>(nil)
    return try await withCheckedThrowingContinuation { continuation in
      waiting.withLock { $0 = continuation }
      @Sendable func finish(_ result: Result<Answer, any Error>) -> Bool {
        let continuation = waiting.withLock { waiting in
          defer { waiting = nil }
          return waiting
        }
        continuation?.resume(with: result)
        return continuation != nil
      }
      // A request that meets the end of its connection may hear nothing any more, not even of its own deadline.
      let end = client.eventLoopGroup.any().scheduleTask(in: patience.answering * 2) { [self] in
        if finish(.failure(HTTPClientError.deadlineExceeded)) { replace(client) }
      }
      Task {
        do {
          let response = try await client.execute(request, timeout: patience.answering)
          var body: [UInt8] = []
          if let limit { body = Array(try await response.body.collect(upTo: limit).readableBytesView) }
          _ = finish(
            .success(Answer(status: Int(response.status.code), headers: response.headers, body: body)))
        } catch { _ = finish(.failure(error)) }
        end.cancel()
      }
    }
  }

  private func current() throws -> HTTPClient {
    let configuration = configuration
    let client = state.withLock { state -> HTTPClient? in
      switch state {
      case .open(let client): return client
      case .closed: return nil
      case .unused:
        let client = HTTPClient(
          eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton),
          configuration: configuration())
        state = .open(client)
        return client
      }
    }
    guard let client else { throw HTTPClientError.alreadyShutdown }
    return client
  }

  /// Leaves a client that does not answer any more; the next request gets another.
  private func replace(_ stuck: HTTPClient) {
    let isCurrent = state.withLock { state in
      guard case .open(let client) = state, client === stuck else { return false }
      state = .unused
      return true
    }
    guard isCurrent else { return }
    Task { try? await stuck.shutdown() }
  }

  /// Ends what is under way and gives the connections back.
  func close() async {
    let client = state.withLock { state -> HTTPClient? in
      defer { state = .closed }
      guard case .open(let client) = state else { return nil }
      return client
    }
    guard let client else { return }
    // A connection that met its end at the wrong moment may keep the client from ending. It is not waited for.
    let waiting = Locked<CheckedContinuation<Void, Never>?>(nil)
    let loop = client.eventLoopGroup.any()
    await withCheckedContinuation { continuation in
      waiting.withLock { $0 = continuation }
      @Sendable func finish() {
        waiting.withLock { waiting in
          defer { waiting = nil }
          return waiting
        }?.resume()
      }
      let end = loop.scheduleTask(in: patience.answering) { finish() }
      Task {
        try? await client.shutdown()
        end.cancel()
        finish()
      }
    }
  }

  /// What went wrong, without the address that was asked: addresses of devices are secrets.
  static func text(_ error: any Error) -> String {
    switch error {
    case let error as HTTPClientError: error.shortDescription
    case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
      "TLS failed, or the certificate is not trusted"
    case is NIOConnectionError, is IOError, is ChannelError: "the connection failed"
    default: "\(type(of: error))"
    }
  }
}
