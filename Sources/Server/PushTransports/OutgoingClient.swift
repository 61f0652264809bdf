internal import AsyncHTTPClient
internal import Locking
package import NIOCore
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

  func execute(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
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
    return try await client.execute(request, timeout: patience.answering)
  }

  /// Ends what is under way and gives the connections back.
  func close() async {
    let client = state.withLock { state -> HTTPClient? in
      defer { state = .closed }
      guard case .open(let client) = state else { return nil }
      return client
    }
    try? await client?.shutdown()
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
