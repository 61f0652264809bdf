import CommonFixtures
import Foundation
import PingNetwork
import Testing

/// Answers that are read while they come. Pieces that come before the end: `PingPushTests/DirectDeliveryTests`.
@Suite("HttpStreamingClient", .timeLimit(.minutes(2)))
struct HttpStreamTests {
  private func stream(
    _ client: any HttpClientProtocol, _ url: String, idleTimeout: TimeInterval = 20
  ) async throws -> HttpStream {
    let client = try #require(client as? any HttpStreamingClient)
    let request = client.request()
    request.url = url
    return try await client.stream(request: request, idleTimeout: idleTimeout)
  }

  private func text(of stream: HttpStream) async throws -> String {
    var data = Data()
    for try await piece in stream.body { data += piece }
    return String(decoding: data, as: UTF8.self)
  }

  @Test(arguments: ["200 OK", "404 Not Found", "302 Found"])
  func `an answer has status headers and body`(status: String) async throws {
    let body = String(repeating: "0123456789", count: 20_000)
    let server = try LocalServer { _ in
      answer(status, headers: ["X-Two: 2", "Location: /elsewhere"], body: body)
    }
    let stream = try await stream(HttpClient.createClient(), server.url)
    #expect("\(stream.status)" == status.prefix(3) && stream.headers["x-two"] == "2")
    #expect(try await text(of: stream) == body)
    #expect(server.requests.count == 1)
  }

  @Test func `an answer without body ends`() async throws {
    let server = try LocalServer { _ in answer("200 OK") }
    #expect(try await text(of: stream(HttpClient.createClient(), server.url)).isEmpty)
  }

  @Test func `an answer that breaks off throws`() async throws {
    let server = try LocalServer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort" }
    let stream = try await stream(HttpClient.createClient(), server.url)
    await #expect(throws: (any Error).self) { try await text(of: stream) }
  }

  @Test func `a server that says nothing is a timeout`() async throws {
    let server = try LocalServer { _ in nil }
    await #expect(throws: NetworkError.timeout) {
      try await stream(HttpClient.createClient(), server.url, idleTimeout: 1)
    }
  }

  @Test func `what cannot be sent is refused`() async throws {
    await #expect(throws: NetworkError.self) { try await stream(HttpClient.createClient(), "ftp://x") }
    let client = HttpClient.createClient()
    client.close()
    await #expect(throws: NetworkError.self) { try await stream(client, "http://127.0.0.1:1") }
  }

  @Test func `closing or cancelling ends what waits`() async throws {
    let (asked, askedAgain) = (Signal(), Signal())
    let server = try LocalServer { request in
      (request.requestLine.contains("/again") ? askedAgain : asked).fire()
      return nil
    }
    let client = HttpClient.createClient()
    let waiting = Task { try await stream(client, server.url) }
    try await asked.wait(until: "the server is asked")
    client.close()
    await #expect(throws: NetworkError.cancelled) { try await waiting.value }
    let other = HttpClient.createClient()
    let cancelled = Task { try await stream(other, server.url + "/again") }
    try await askedAgain.wait(until: "the server is asked again")
    cancelled.cancel()
    await #expect(throws: NetworkError.cancelled) { try await cancelled.value }
  }
}
