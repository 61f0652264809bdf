internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL

/// For other parts of the server that send something out.
extension OutgoingClient {
  /// How a ``post(_:contentType:body:)`` was answered.
  package struct Receipt: Sendable, Hashable {
    package let status: Int

    /// Seconds after which it may be sent again, if the other side said so.
    package let retryAfter: Double?
  }

  /// A client that trusts whom the system trusts.
  package convenience init() { self.init(trust: .default, timeouts: Timeouts()) }

  /// Sends `body`; the answer's own is not read.
  package func post(_ address: String, contentType: String, body: [UInt8]) async throws -> Receipt {
    var request = HTTPClientRequest(url: address)
    request.method = .POST
    request.headers = ["content-type": contentType]
    request.body = .bytes(body)
    let answer = try await execute(request, bodyLimit: nil)
    return Receipt(
      status: answer.status,
      retryAfter: RetryAfter.seconds(answer.headers.first(name: "retry-after"), now: Date()))
  }

  /// Sends a request and takes the whole answer, whatever its status.
  ///
  /// - Parameter bodyLimit: the longest body, in bytes; a longer one is an error.
  package func send(
    _ method: String, _ address: String, headers: [(name: String, value: String)], body: [UInt8]?,
    bodyLimit: Int
  ) async throws -> (status: Int, body: [UInt8]) {
    var request = HTTPClientRequest(url: address)
    request.method = HTTPMethod(rawValue: method)
    for (name, value) in headers { request.headers.add(name: name, value: value) }
    if let body { request.body = .bytes(body) }
    let answer = try await execute(request, bodyLimit: bodyLimit)
    return (answer.status, answer.body)
  }

  /// What went wrong, without the address that was asked.
  package static func reason(_ error: any Error) -> String { text(error) }
}
