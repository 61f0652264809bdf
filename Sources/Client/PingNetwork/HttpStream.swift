public import Foundation

/// An answer whose body is read while it arrives.
public struct HttpStream: Sendable {
  /// The status code.
  public let status: Int

  /// The headers, under lower-case names.
  public let headers: [String: String]

  /// The body in pieces of any size. It ends with the answer, and throws if the answer breaks off. Stopping to read, or cancelling
  /// the reading task, ends the request.
  public let body: AsyncThrowingStream<Data, any Error>

  public init(status: Int, headers: [String: String], body: AsyncThrowingStream<Data, any Error>) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// An HTTP client that can read an answer while it arrives.
public protocol HttpStreamingClient: HttpClientProtocol {
  /// Sends `request`, and returns when the head of the answer has arrived.
  ///
  /// - Parameter idleTimeout: The longest time without a byte from the server, in seconds.
  /// - Throws: ``NetworkError`` if there is one for the failure, else a `URLError`.
  func stream(request: any HttpRequest, idleTimeout: TimeInterval) async throws -> HttpStream
}
