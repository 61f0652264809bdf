internal import Foundation
package import PingNetwork

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Makes PingOrchestrate's ``HttpClient``, which apps subclass, available to code that expects a client of PingNetwork. The reverse is
/// ``HttpClient/init(sendingThrough:)``.
///
/// Every request goes through `sendRequest(request:)`, so a subclass's override (pinned certificates, a test's answers), the
/// client's time limit and its rule about plain `http` apply.
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
      return .success(URLSessionHttpResponse(request: request, body: answer.data, httpURLResponse: head))
    } catch {
      return .failure(error)
    }
  }

  /// Does nothing: the app's client stays open.
  package func close() {}
}

extension HttpClient {
  /// A client that sends through PingNetwork's `client`, whose time limit, rule about plain `http` and interceptors apply.
  package convenience init(sendingThrough client: any HttpClientProtocol) {
    self.init { urlRequest in
      let request = client.request()
      request.url = urlRequest.url?.absoluteString
      for (name, value) in urlRequest.allHTTPHeaderFields ?? [:] {
        request.setHeader(name: name, value: value)
      }
      guard let method = HttpMethod(rawValue: urlRequest.httpMethod ?? HttpMethod.get.rawValue) else {
        throw NetworkError.invalidRequest("its method is unknown")
      }
      request.setBody(urlRequest.httpBody)
      request.setMethod(method)
      let answer = try await client.request(request: request).get()
      let headers = answer.headers.mapValues { $0.joined(separator: ", ") }
      guard let url = urlRequest.url,
        let head = HTTPURLResponse(
          url: url, statusCode: answer.status, httpVersion: "HTTP/1.1", headerFields: headers)
      else { throw NetworkError.invalidResponse("it has no head") }
      return (answer.body ?? Data(), head)
    }
  }
}
