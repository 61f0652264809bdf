import Concurrency
import Foundation
import PingJourney
import PingJourneyPlugin
import PingLogger
import PingOrchestrate
import PingStorage
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Answers requests in the test's process, and keeps them.
final class FakeServer: Sendable {
  typealias Answer =
    @Sendable (URLRequest) async throws -> (status: Int, body: String, headers: [String: String])

  private let received = Locked<[URLRequest]>([])
  private let answer: Answer

  init(_ answer: @escaping Answer) { self.answer = answer }

  /// Always answers the same.
  convenience init(_ status: Int = 200, _ body: String = "{}", _ headers: [String: String] = [:]) {
    self.init { _ in (status, body, headers) }
  }

  var requests: [URLRequest] { received.withLock { $0 } }

  var client: HttpClient {
    HttpClient { [self] request in
      received.withLock { $0.append(request) }
      let answer = try await answer(request)
      let url = try #require(request.url)
      let head = try #require(
        HTTPURLResponse(
          url: url, statusCode: answer.status, httpVersion: "HTTP/1.1", headerFields: answer.headers))
      return (Data(answer.body.utf8), head)
    }
  }
}

/// Keeps warnings and errors.
final class MemoryLogger: PingLogger.Logger, Sendable {
  private let lines = Locked<[String]>([])
  var warnings: [String] { lines.withLock { $0 } }
  func d(_ message: String) {}
  func i(_ message: String) {}
  func w(_ message: String, error: (any Error)?) { lines.withLock { $0.append(message) } }
  func e(_ message: String, error: (any Error)?) { lines.withLock { $0.append(message) } }
}

struct Refused: Error, Equatable {}

/// A journey whose requests go to `server`, and whose session is in `storage`.
func makeJourney(
  _ server: FakeServer, storage: any Storage<SSOTokenImpl> = MemoryStorage<SSOTokenImpl>(),
  _ configure: @Sendable (JourneyConfig) -> Void = { _ in }
) -> Journey {
  Journey.createJourney { config in
    config.serverUrl = "https://am.example.com/am"
    config.realm = "alpha"
    config.useLogger(LogManager.none)
    config.httpClient = server.client
    config.module(SessionModule.config) { $0.storage = storage }
    configure(config)
  }
}

extension URLRequest {
  var bodyText: String { httpBody.map { String(decoding: $0, as: UTF8.self) } ?? "" }

  /// Header names are case-insensitive, and Foundation changes their case.
  var headers: [String: String] {
    Dictionary((allHTTPHeaderFields ?? [:]).map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { $1 })
  }

  /// The body of a continue request.
  func postedCallbacks() throws -> [[String: Any]] {
    let json = try JSONSerialization.jsonObject(with: try #require(httpBody)) as? [String: Any]
    return try #require(json?["callbacks"] as? [[String: Any]])
  }
}

func object(_ text: String) throws -> [String: Any] {
  try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
}

/// JSON text with sorted members, to compare.
func text(_ object: [String: Any]) throws -> String {
  let data = try JSONSerialization.data(
    withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
  return String(decoding: data, as: UTF8.self)
}

let newer = SSOTokenImpl(value: "AQIC5wM3*", successUrl: "", realm: "/alpha", issuer: token.issuer)

let token = SSOTokenImpl(
  value: "AQIC5wM2*", successUrl: "/enduser/", realm: "/alpha",
  issuer: SessionIssuer(origin: "https://am.example.com", realm: "/alpha", cookie: "iPlanetDirectoryPro"))
