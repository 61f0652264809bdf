internal import Concurrency
internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The streams of one client. They have their own session, because their answers may take any time and must not keep requests
/// waiting for a connection.
final class URLSessionStreams: NSObject, URLSessionDataDelegate {
  private struct Exchange {
    var head: CheckedContinuation<HttpStream, any Error>?
    let body: AsyncThrowingStream<Data, any Error>
    let pieces: AsyncThrowingStream<Data, any Error>.Continuation
  }

  private struct Sessions {
    var isClosed = false
    var session: URLSession?
  }

  private struct State {
    var isClosed = false
    var exchanges: [Int: Exchange] = [:]
  }

  /// How many pieces may wait for a slow reader.
  private static let pieceLimit = 1024

  private let state = Locked(State())
  /// Has its own lock: creating a task waits for the reader, which may be waiting for the delegate.
  private let sessions = Locked(Sessions())
  private let challenges: (any URLSessionTaskDelegate)?
  #if canImport(FoundationNetworking)
    private let curl: CurlTransport?
  #endif

  /// - Parameter authorities: The authorities to trust instead of the machine's; `nil` for the task's, else the machine's.
  init(challenges: (any URLSessionTaskDelegate)?, authorities: CertificateAuthorities? = nil) {
    self.challenges = challenges
    #if canImport(FoundationNetworking)
      curl = (authorities ?? .ofTask).map(CurlTransport.init(authorities:))
    #endif
  }

  func open(
    _ request: URLRequest, configuration: @Sendable () -> URLSessionConfiguration
  ) async throws -> HttpStream {
    #if canImport(FoundationNetworking)
      if let curl {
        return try await curl.open(
          request, idleTimeout: request.timeoutInterval, pieceLimit: Self.pieceLimit)
      }
    #endif
    let made = sessions.withLock { sessions -> (URLSession, URLSessionDataTask)? in
      guard !sessions.isClosed else { return nil }
      let session =
        sessions.session
        ?? URLSession(configuration: configuration(), delegate: self, delegateQueue: .forDelegate())
      sessions.session = session
      return (session, session.dataTask(with: request))
    }
    guard let (session, task) = made else { throw NetworkError.invalidRequest("the client was closed") }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { head in
        let (body, pieces) = AsyncThrowingStream.makeStream(
          of: Data.self, bufferingPolicy: .bufferingOldest(Self.pieceLimit))
        pieces.onTermination = { [weak self] _ in self?.cancel(task, in: session) }
        let isClosed = state.withLock { state in
          if !state.isClosed {
            state.exchanges[task.taskIdentifier] = Exchange(head: head, body: body, pieces: pieces)
          }
          return state.isClosed
        }
        if isClosed {
          head.resume(throwing: NetworkError.cancelled)
        } else if Task.isCancelled {
          cancel(task, in: session)
        } else {
          task.resume()
        }
      }
    } onCancel: {
      cancel(task, in: session)
    }
  }

  func close() {
    #if canImport(FoundationNetworking)
      curl?.close()
    #endif
    let session = closeSession()
    let open = state.withLock { state in
      state.isClosed = true
      defer { state.exchanges = [:] }
      return Array(state.exchanges.values)
    }
    for exchange in open { end(exchange, NetworkError.cancelled) }
    session?.stopAll()
  }

  private func closeSession() -> URLSession? {
    sessions.withLock { sessions in
      sessions.isClosed = true
      defer { sessions.session = nil }
      return sessions.session
    }
  }

  /// Refuses new requests, and closes when the open ones have ended.
  func drain() {
    #if canImport(FoundationNetworking)
      curl?.drain()
    #endif
    // The session keeps this object, its delegate, until then.
    closeSession()?.finishTasksAndInvalidate()
  }

  private func cancel(_ task: URLSessionTask, in session: URLSession) {
    // When the exchange has already ended, there is nothing to stop.
    if finish(task, NetworkError.cancelled) { session.stop(task) }
  }

  /// Ends the exchange with `error`, and returns whether it was still running.
  @discardableResult
  private func finish(_ task: URLSessionTask, _ error: (any Error)?) -> Bool {
    let identifier = task.taskIdentifier
    let exchange = state.withLock { $0.exchanges.removeValue(forKey: identifier) }
    guard let exchange else { return false }
    end(exchange, error)
    return true
  }

  private func end(_ exchange: Exchange, _ error: (any Error)?) {
    exchange.head?.resume(throwing: error ?? NetworkError.invalidResponse("it is not HTTP"))
    exchange.pieces.finish(throwing: error)
  }

  private func begin(_ task: URLSessionTask, _ response: URLResponse?) {
    guard let response = response as? HTTPURLResponse else { return }
    let identifier = task.taskIdentifier
    let exchange = state.withLock { state in
      defer { state.exchanges[identifier]?.head = nil }
      return state.exchanges[identifier]
    }
    guard let exchange, let head = exchange.head else { return }
    let headers = response.allHeaderFields.map { ("\($0.key)".lowercased(), "\($0.value)") }
    head.resume(
      returning: HttpStream(
        status: response.statusCode, headers: Dictionary(headers) { $1 }, body: exchange.body))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    begin(dataTask, response)
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    begin(dataTask, dataTask.response)
    let identifier = dataTask.taskIdentifier
    guard let pieces = state.withLock({ $0.exchanges[identifier]?.pieces }) else { return }
    if case .dropped = pieces.yield(data) {
      finish(dataTask, NetworkError.invalidResponse("it comes faster than it is read"))
      session.stop(dataTask)
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    begin(task, task.response)
    finish(task, error.map { networkError(for: $0) })
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { session.keep(self) }

  #if canImport(Darwin)
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      session.hand(challenge, of: task, to: challenges, completionHandler)
    }
  #endif
}
