internal import Foundation
package import PingNetwork

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A client of PingOrchestrate, which apps subclass, for code that sends through a client of PingNetwork. The other way round is
/// ``HttpClient/init(sendingThrough:)``.
///
/// Every request goes through `sendRequest(request:)`, so that what a subclass does there (pinned certificates, a test's answers)
/// holds for it, and its time limit and its rule about `http` apply.
package struct OrchestrateClient: HttpClientProtocol {
  private let client: HttpClient

  package init(client: HttpClient) { self.client = client }

  package func request() -> any HttpRequest { URLSessionHttpRequest() }

  package func request(
    builder: @escaping @Sendable (any HttpRequest) -> Void
  ) async -> Result<any PingNetwork.HttpResponse, any Error> {
    let request = request()
    builder(request)
    return await self.request(request: request)
  }

  package func request(request: any HttpRequest) async -> Result<any PingNetwork.HttpResponse, any Error> {
    do {
      guard let urlRequest = (request as? URLSessionHttpRequest)?.buildURLRequest() else {
        throw NetworkError.invalidRequest("it has no address, or a header that is not allowed")
      }
      let sent = Request()
      sent.url(urlRequest)
      let answer = try await client.response(to: sent)
      guard let head = answer.response as? HTTPURLResponse else {
        throw NetworkError.invalidResponse("it is not an HTTP answer")
      }
      let headers = head.allHeaderFields.map { ("\($0.key)", ["\($0.value)"]) }
      return .success(
        URLSessionHttpResponse(
          request: request, status: head.statusCode, headers: Dictionary(headers) { $0 + $1 },
          body: answer.data, httpURLResponse: head))
    } catch {
      return .failure(error)
    }
  }

  /// The app's client goes on living.
  package func close() {}
}
