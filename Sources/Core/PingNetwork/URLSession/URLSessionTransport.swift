internal import Foundation
internal import Locking

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Sends requests through a session whose delegate it is.
///
/// The session's delegate alone can refuse redirects everywhere: with FoundationNetworking, the calls with a completion
/// handler and the asynchronous ones follow them whatever a task's delegate says.
final class URLSessionTransport: Sendable {
  private let session: URLSession
  private let exchanges: Exchanges

  init(
    configuration: URLSessionConfiguration, maximumBodySize: Int, delegate: (any URLSessionTaskDelegate)?
  ) {
    exchanges = Exchanges(maximumBodySize: maximumBodySize, challenges: delegate)
    session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
  }

  /// Sends `request` and waits for the whole answer. Cancelling the task cancels the request.
  func send(_ request: URLRequest) async throws -> (body: Data, response: HTTPURLResponse) {
    guard let task = exchanges.open({ [session] in session.dataTask(with: request) }) else {
      throw NetworkError.invalidRequest("the client was closed")
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        exchanges.begin(task, continuation)
        // A cancellation that came before `begin` found nobody to tell.
        if Task.isCancelled { exchanges.cancel(task) } else { task.resume() }
      }
    } onCancel: {
      exchanges.cancel(task)
    }
  }

  /// Cancels what is under way, and refuses what comes after.
  func close() {
    exchanges.close()
    session.invalidateAndCancel()
  }
}

/// The requests under way, by task.
private final class Exchanges: NSObject, URLSessionDataDelegate {
  typealias Answer = (body: Data, response: HTTPURLResponse)

  private struct Exchange {
    var body = Data()
    var isTooLarge = false
    var continuation: CheckedContinuation<Answer, any Error>
  }

  private struct State {
    var isClosed = false
    var exchanges: [Int: Exchange] = [:]
  }

  private let state = Locked(State())
  private let maximumBodySize: Int
  private let challenges: (any URLSessionTaskDelegate)?

  init(maximumBodySize: Int, challenges: (any URLSessionTaskDelegate)?) {
    self.maximumBodySize = maximumBodySize
    self.challenges = challenges
  }

  /// A task made by `make`, unless closed: a session that was invalidated raises an exception when asked for one.
  func open(_ make: @Sendable () -> URLSessionDataTask) -> URLSessionDataTask? {
    state.withLock { $0.isClosed ? nil : make() }
  }

  func begin(_ task: URLSessionDataTask, _ continuation: CheckedContinuation<Answer, any Error>) {
    let isClosed = state.withLock { state in
      if !state.isClosed { state.exchanges[task.taskIdentifier] = Exchange(continuation: continuation) }
      return state.isClosed
    }
    if isClosed { continuation.resume(throwing: NetworkError.cancelled) }
  }

  func cancel(_ task: URLSessionTask) {
    end(task)?.continuation.resume(throwing: NetworkError.cancelled)
    task.cancel()
  }

  func close() {
    let open = state.withLock { state in
      state.isClosed = true
      defer { state.exchanges = [:] }
      return Array(state.exchanges.values)
    }
    for exchange in open { exchange.continuation.resume(throwing: NetworkError.cancelled) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let identifier = dataTask.taskIdentifier
    let isTooLarge = state.withLock { [maximumBodySize] state in
      guard var exchange = state.exchanges.removeValue(forKey: identifier) else { return false }
      exchange.isTooLarge = exchange.isTooLarge || data.count > maximumBodySize - exchange.body.count
      if exchange.isTooLarge { exchange.body = Data() } else { exchange.body.append(data) }
      state.exchanges[identifier] = exchange
      return exchange.isTooLarge
    }
    if isTooLarge { dataTask.cancel() }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let exchange = end(task) else { return }
    if exchange.isTooLarge {
      let reason = "it has more than \(maximumBodySize) bytes"
      exchange.continuation.resume(throwing: NetworkError.invalidResponse(reason))
    } else if let error {
      exchange.continuation.resume(throwing: error)
    } else if let response = task.response as? HTTPURLResponse {
      exchange.continuation.resume(returning: (exchange.body, response))
    } else {
      exchange.continuation.resume(throwing: NetworkError.invalidResponse("it is not HTTP"))
    }
  }

  private func end(_ task: URLSessionTask) -> Exchange? {
    let identifier = task.taskIdentifier
    return state.withLock { $0.exchanges.removeValue(forKey: identifier) }
  }

  #if canImport(Darwin)
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      if let answer = challenges?.urlSession(_:task:didReceive:completionHandler:) {
        answer(session, task, challenge, completionHandler)
      } else if let answer = challenges?.urlSession(_:didReceive:completionHandler:) {
        answer(session, challenge, completionHandler)
      } else {
        completionHandler(.performDefaultHandling, nil)
      }
    }
  #endif
}
