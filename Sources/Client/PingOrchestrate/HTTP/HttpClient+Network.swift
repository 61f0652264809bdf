package import PingNetwork

#if canImport(FoundationNetworking)
  internal import Foundation
  internal import FoundationNetworking
#else
  internal import Foundation
#endif

extension HttpClient {
  /// A client that sends through `client`, one of PingNetwork: its time limit, its rule about `http` and its interceptors apply.
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
