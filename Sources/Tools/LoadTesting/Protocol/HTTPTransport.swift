internal import AsyncHTTPClient
internal import Concurrency
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

/// HTTP/1.1 over a bounded number of connections that all devices share. Redirects are not followed, so that only the named server
/// gets load.
package final class HTTPTransport: LoadTransport {
  private let client: HTTPClient
  private let timeout: TimeAmount

  private static let maximumBodyBytes = 1 << 20

  /// - Parameters:
  ///   - connections: the most connections.
  ///   - timeout: the time limit of a request, including the wait for a connection.
  ///   - authorities: certificates in PEM form that replace the machine's certificate authorities.
  /// - Throws: the TLS library's error for an invalid certificate.
  package init(connections: Int, timeout: Duration, authorities: [UInt8]? = nil) throws {
    self.timeout = TimeAmount(timeout)
    var configuration = HTTPClient.Configuration(
      redirectConfiguration: .disallow, timeout: .init(connect: min(self.timeout, .seconds(10))))
    if let authorities {
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(authorities))
      configuration.tlsConfiguration = tls
    }
    configuration.httpVersion = .http1Only
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
    configuration.connectionPool.retryConnectionEstablishment = false
    client = HTTPClient(
      eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton), configuration: configuration)
  }

  package func send(_ request: LoadRequest) async throws -> LoadAnswer {
    var outgoing = HTTPClientRequest(url: request.url)
    outgoing.method = .POST
    for header in request.headers { outgoing.headers.add(name: header.name, value: header.value) }
    outgoing.body = .bytes(ByteBuffer(bytes: request.body))
    do {
      let response = try await client.execute(outgoing, timeout: timeout)
      let body = try await response.body.collect(upTo: Self.maximumBodyBytes)
      return LoadAnswer(status: Int(response.status.code), body: Array(body.readableBytesView))
    } catch { throw Self.failure(error) }
  }

  /// Closes the connections.
  package func close() async {
    // No request is under way; a connection that does not close must not block the command.
    try? await firstOf({ [client] in try await client.shutdown() }, orAfter: .seconds(5), abandoning: true)
  }

  private static func failure(_ error: any Error) -> any Error {
    switch error {
    case is CancellationError: return error
    case let error as HTTPClientError:
      switch error {
      case .cancelled: return CancellationError()
      case .deadlineExceeded, .readTimeout, .writeTimeout, .getConnectionFromPoolTimeout:
        return LoadFailure(.timeout, "no answer in time")
      case .connectTimeout: return LoadFailure(.unreachable, "no connection in time")
      case .remoteConnectionClosed: return LoadFailure(.closed, "the server closed the connection")
      default: return LoadFailure(.closed, error.shortDescription)
      }
    case is NIOTooManyBytesError: return LoadFailure(.malformed, "an answer has more than 1 MiB")
    case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
      return LoadFailure(.tls, "TLS failed, or the certificate is not trusted")
    case is NIOConnectionError: return LoadFailure(.unreachable, "no connection can be made")
    case let error as IOError:
      let isRefused = error.errnoCode == ECONNREFUSED
      return LoadFailure(
        isRefused ? .unreachable : .closed,
        isRefused ? "no connection can be made" : "the connection failed (errno \(error.errnoCode))")
    default: return LoadFailure(.closed, "the connection failed (\(type(of: error)))")
    }
  }
}
