internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL

/// Conveniences for other parts of the server that send requests.
extension OutgoingClient {
  /// The answer to a ``post(_:contentType:body:)``.
  package struct Receipt: Sendable, Hashable {
    package let status: Int

    /// Seconds after which to retry, if the other side said so.
    package let retryAfter: Double?
  }

  /// A client that trusts the system's certificate authorities.
  package convenience init() { self.init(trust: .default, timeouts: Timeouts()) }

  /// Sends `body`; the answer's body is not read.
  package func post(_ address: String, contentType: String, body: [UInt8]) async throws -> Receipt {
    let request = HTTPClientRequest(.POST, address, ["content-type": contentType], body: body)
    let answer = try await execute(request, bodyLimit: nil)
    return Receipt(
      status: answer.status,
      retryAfter: RetryAfter.seconds(answer.headers.first(name: "retry-after"), now: Date()))
  }

  /// Sends a request and reads the whole answer, whatever its status.
  ///
  /// - Parameter bodyLimit: the longest body, in bytes; a longer one is an error.
  package func send(
    _ method: String, _ address: String, headers: [(name: String, value: String)], body: [UInt8]?,
    bodyLimit: Int
  ) async throws -> (status: Int, body: [UInt8]) {
    let headers = HTTPHeaders(headers.map { ($0.name, $0.value) })
    let request = HTTPClientRequest(HTTPMethod(rawValue: method), address, headers, body: body)
    let answer = try await execute(request, bodyLimit: bodyLimit)
    return (answer.status, answer.body)
  }

  /// The reason for an error, without the address of the request.
  package static func reason(_ error: any Error) -> String { text(error) }
}

extension HTTPClientRequest {
  init(_ method: HTTPMethod, _ url: String, _ headers: HTTPHeaders, body: [UInt8]?) {
    self.init(url: url)
    self.method = method
    self.headers = headers
    self.body = body.map { .bytes($0) }
  }
}
