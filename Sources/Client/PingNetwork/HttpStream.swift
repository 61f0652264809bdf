public import Foundation

/// An answer whose body is read while it comes.
public struct HttpStream: Sendable {
  /// The status code.
  public let status: Int

  /// The headers, under lower-case names.
  public let headers: [String: String]

  /// The pieces of the body, cut anywhere. It ends with the answer, and throws what breaks it off. Who stops reading, or is
  /// cancelled, ends the request.
  public let body: AsyncThrowingStream<Data, any Error>

  public init(status: Int, headers: [String: String], body: AsyncThrowingStream<Data, any Error>) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// An HTTP client that can read an answer while it comes.
public protocol HttpStreamingClient: HttpClientProtocol {
  /// Sends `request`, and returns when the head of the answer is there.
  ///
  /// - Parameter idleTimeout: The longest time without a byte from the server, in seconds.
  /// - Throws: ``NetworkError`` where there is one for the failure, else a `URLError`.
  func stream(request: any HttpRequest, idleTimeout: TimeInterval) async throws -> HttpStream
}
