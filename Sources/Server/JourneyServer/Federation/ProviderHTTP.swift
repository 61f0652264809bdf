internal import AsyncHTTPClient
internal import Concurrency
internal import JourneyNodes
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

/// Calls identity providers. Which servers may be called is decided by the caller; no redirect is followed, so it stays with those.
struct ProviderHTTP: ProviderTransport {
  private static let patience = TimeAmount.seconds(10)

  func send(_ request: ProviderRequest, limit: Int) async throws -> ProviderAnswer {
    var outgoing = HTTPClientRequest(url: request.url)
    outgoing.method = HTTPMethod(rawValue: request.method)
    for (name, value) in request.headers { outgoing.headers.add(name: name, value: value) }
    outgoing.headers.add(name: "User-Agent", value: "sealring")
    if let body = request.body { outgoing.body = .bytes(body) }
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.minimumTLSVersion = .tlsv12
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: tls, redirectConfiguration: .disallow,
      timeout: .init(connect: Self.patience, read: Self.patience))
    configuration.httpVersion = .http1Only
    let client = HTTPClient(
      eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton), configuration: configuration)
    do {
      // The whole answer within the time: a provider could send a byte every few seconds for ever.
      let answer = try await firstOf(
        { [outgoing] in
          let response = try await client.execute(outgoing, timeout: Self.patience)
          let body = try await response.body.collect(upTo: limit)
          return ProviderAnswer(status: Int(response.status.code), body: Array(body.readableBytesView))
        }, orAfter: .seconds(20))
      try? await client.shutdown()
      return answer
    } catch {
      try? await client.shutdown()
      throw ProviderUnreachable(reason: (error as? HTTPClientError)?.shortDescription ?? "\(type(of: error))")
    }
  }
}
