import Concurrency
import Foundation
import PingLogger
import PingOrchestrate
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

  init(_ answer: @escaping Answer = { _ in (200, "{}", [:]) }) { self.answer = answer }

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

/// What happened, in order.
final class Journal: Sendable {
  private let lines = Locked<[String]>([])
  var entries: [String] { lines.withLock { $0 } }
  func add(_ line: String) { lines.withLock { $0.append(line) } }
}

/// A door that stays shut until it is opened.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Locked(State())

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  func pass() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiting.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }
}

/// Keeps what is logged.
final class MemoryLogger: PingLogger.Logger, Sendable {
  private let lines = Locked<[String]>([])
  var text: String { lines.withLock { $0.joined(separator: "\n") } }
  func d(_ message: String) { lines.withLock { $0.append(message) } }
  func i(_ message: String) { lines.withLock { $0.append(message) } }
  func w(_ message: String, error: (any Error)?) { lines.withLock { $0.append(message) } }
  func e(_ message: String, error: (any Error)?) { lines.withLock { $0.append(message) } }
}

struct Refused: Error, Equatable {}

/// A workflow with one module, whose requests go to `server`.
func makeWorkflow(
  _ server: FakeServer = FakeServer(), _ setup: @escaping @Sendable (Setup<Void>) -> Void = { _ in }
) -> Workflow {
  Workflow.createWorkflow { config in
    config.httpClient = server.client
    config.module(Module.of(setup: setup))
  }
}

/// The head of an answer that did not come by HTTP.
func plainHead() throws -> URLResponse {
  let url = try #require(URL(string: "file:///nowhere"))
  return URLResponse(url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
}
