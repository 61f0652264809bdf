internal import AsyncHTTPClient
internal import Concurrency
package import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

/// How long to wait for a push service.
package struct Timeouts: Sendable, Hashable {
  package var connecting = TimeAmount.seconds(5)

  /// From the request to the answer's head, and between its parts.
  package var answering = TimeAmount.seconds(10)
}

/// An HTTP client that is created on first use and follows no redirects.
///
/// It works around a fault of AsyncHTTPClient, seen with 1.37.0 and HTTP/2; we know of no issue upstream that describes it. A request
/// whose connection ends while the request is handed to it gets neither an answer nor an error, not even at its own deadline, and
/// `shutdown()` then waits for that request forever. So both have a time limit here, and a client that missed it is replaced. Tests of
/// dropped connections and of GOAWAY in `APNsTests` trigger the fault. Once a release fixes it, both calls of `firstOf` and
/// ``replace(_:)`` can go.
package final class OutgoingClient: Sendable {
  private enum State {
    case unused
    case open(HTTPClient)
    case closed
  }

  private let state = Locked(State.unused)
  private let configuration: @Sendable () -> HTTPClient.Configuration
  private let timeouts: Timeouts

  /// - Parameter names: addresses by host name, which replace name resolution.
  init(trust: NIOSSLTrustRoots, timeouts: Timeouts, names: [String: String] = [:]) {
    self.timeouts = timeouts
    configuration = {
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.minimumTLSVersion = .tlsv12
      tls.trustRoots = trust
      var configuration = HTTPClient.Configuration(
        tlsConfiguration: tls, redirectConfiguration: .disallow,
        timeout: .init(connect: timeouts.connecting, read: timeouts.answering))
      configuration.connectionPool.retryConnectionEstablishment = false
      configuration.connectionPool.idleTimeout = .minutes(5)
      configuration.dnsOverride = names
      return configuration
    }
  }

  /// An AsyncHTTPClient that is released without a shutdown ends the process. A server that failed to start, and so never called
  /// ``close()``, must not crash that way.
  deinit {
    guard case .open(let client) = state.withLock({ $0 }) else { return }
    Task { try? await client.shutdown() }
  }

  /// An answer, with as much of its body as was requested.
  struct Answer: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: [UInt8]
  }

  /// Sends a request and reads the answer, within twice ``Timeouts/answering``.
  ///
  /// - Parameter limit: longest body in bytes; `nil` reads no body, because the other side could send it forever.
  func execute(_ request: HTTPClientRequest, bodyLimit limit: Int?) async throws -> Answer {
    let client = try current()
    do {
      return try await firstOf(
        { [timeouts] in
          let response = try await client.execute(request, timeout: timeouts.answering)
          var body: [UInt8] = []
          if let limit { body = Array(try await response.body.collect(upTo: limit).readableBytesView) }
          return Answer(status: Int(response.status.code), headers: response.headers, body: body)
        }, orAfter: Duration(timeouts.answering * 2), abandoning: true)
    } catch is TimeIsUp {
      replace(client)
      throw HTTPClientError.deadlineExceeded
    }
  }

  private func current() throws -> HTTPClient {
    try state.withLock { [configuration] state in
      switch state {
      case .open(let client): return client
      case .closed: throw HTTPClientError.alreadyShutdown
      case .unused:
        let client = HTTPClient(
          eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton),
          configuration: configuration())
        state = .open(client)
        return client
      }
    }
  }

  /// Drops a client that no longer answers; the next request gets a new one.
  private func replace(_ stuck: HTTPClient) {
    let isCurrent = state.withLock { state in
      guard case .open(let client) = state, client === stuck else { return false }
      state = .unused
      return true
    }
    guard isCurrent else { return }
    Task { try? await stuck.shutdown() }
  }

  /// Ends the requests under way and closes the connections.
  package func close() async {
    let client = state.withLock { state -> HTTPClient? in
      defer { state = .closed }
      guard case .open(let client) = state else { return nil }
      return client
    }
    guard let client else { return }
    // A separate task, because a cancelled server also closes its clients.
    await Task { [timeouts] in
      try? await firstOf(
        { try await client.shutdown() }, orAfter: Duration(timeouts.answering), abandoning: true)
    }.value
  }

  /// The reason for an error, without the address of the request: addresses of devices are secrets.
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
