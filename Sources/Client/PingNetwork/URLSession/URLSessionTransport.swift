internal import Concurrency
package import Foundation
internal import WebAddresses

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

/// Sends requests through a session with a delegate of its own.
///
/// Only a session's delegate can refuse redirects on every platform: with FoundationNetworking, calls with a completion handler
/// and asynchronous calls follow them whatever a task's delegate says. Only it can also count an answer while it arrives.
package final class URLSessionTransport: Sendable {
  private let session: URLSession
  private let exchanges: Exchanges
  private let maximumBodySize: Int
  #if canImport(FoundationNetworking)
    /// Replaces the session when the caller sets the authorities.
    private let curl: CurlTransport?
  #endif
  /// Whether requests may be sent. An invalidated session raises an exception when asked for a task.
  private let isOpen = Locked(true)

  /// - Parameters:
  ///   - configuration: The session's configuration.
  ///   - maximumBodySize: The largest answer that is accepted, in bytes.
  ///   - delegate: Answers authentication challenges on Apple platforms.
  ///   - redirects: Decides about redirects; `nil` follows none. A redirect to another origin is never followed.
  ///   - authorities: The authorities to trust instead of the machine's; `nil` for the task's, else the machine's. With authorities no
  ///     redirect is followed, and the configuration's headers are not sent.
  package init(
    configuration: URLSessionConfiguration, maximumBodySize: Int, delegate: (any URLSessionTaskDelegate)?,
    redirects: (any URLSessionTaskDelegate)? = nil, authorities: CertificateAuthorities? = nil
  ) {
    self.maximumBodySize = maximumBodySize
    #if canImport(FoundationNetworking)
      curl = (authorities ?? .ofTask).map(CurlTransport.init(authorities:))
    #endif
    exchanges = Exchanges(maximumBodySize: maximumBodySize, challenges: delegate, redirects: redirects)
    configuration.nameProgram()
    session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: .forDelegate())
  }

  /// Sends `request` and waits for the whole answer. Cancelling the task cancels the request.
  ///
  /// - Parameter deadline: How long the whole exchange may take, in seconds: the session's own limits restart with every packet.
  /// - Throws: ``AnswerTooLarge``, ``NetworkError``, `URLError`.
  package func send(
    _ request: URLRequest, deadline: TimeInterval
  ) async throws -> (body: Data, response: HTTPURLResponse) {
    #if canImport(FoundationNetworking)
      if let curl {
        return try await curl.send(request, maximumBodySize: maximumBodySize, deadline: deadline)
      }
    #endif
    do { return try await sendBySession(request, deadline: deadline) } catch let error as URLError {
      throw error.inPlainWords(url: request.url)
    }
  }

  private func sendBySession(
    _ request: URLRequest, deadline: TimeInterval
  ) async throws -> (body: Data, response: HTTPURLResponse) {
    // Creating a task waits for the reader, which may be waiting for the delegate: hold no lock of the delegate's.
    guard let task = isOpen.withLock({ [session] in $0 ? session.dataTask(with: request) : nil }) else {
      throw NetworkError.invalidRequest("the client was closed")
    }
    let timer = Task { [self] in
      try await Task.sleep(for: .seconds(deadline.isFinite ? min(max(deadline, 0), 1e9) : 1e9))
      end(task, NetworkError.timeout)
    }
    defer { timer.cancel() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        exchanges.begin(task, continuation)
        // A cancellation before `begin` found no exchange to end.
        if Task.isCancelled { end(task, NetworkError.cancelled) } else { task.resume() }
      }
    } onCancel: {
      end(task, NetworkError.cancelled)
    }
  }

  private func end(_ task: URLSessionTask, _ error: NetworkError) {
    if exchanges.end(task, error) { session.stop(task) }
  }

  /// Cancels running requests and refuses new ones.
  package func close() {
    #if canImport(FoundationNetworking)
      curl?.close()
    #endif
    isOpen.withLock { $0 = false }
    exchanges.close()
    session.stopAll()
  }

  /// Refuses new requests; running ones finish.
  package func drain() {
    #if canImport(FoundationNetworking)
      curl?.drain()
    #endif
    isOpen.withLock { $0 = false }
    session.finishTasksAndInvalidate()
  }
}

/// An answer was abandoned because it is too long.
package struct AnswerTooLarge: Error {
  /// The number of bytes that had arrived by then.
  package let size: Int
  /// The largest accepted number of bytes.
  package let limit: Int
}

/// The running requests, by task.
private final class Exchanges: NSObject, URLSessionDataDelegate {
  typealias Answer = (body: Data, response: HTTPURLResponse)

  private struct Exchange {
    var body = Data()
    /// The number of bytes that have arrived.
    var size = 0
    var continuation: CheckedContinuation<Answer, any Error>
  }

  private struct State {
    var isClosed = false
    var exchanges: [Int: Exchange] = [:]
  }

  private let state = Locked(State())
  private let maximumBodySize: Int
  private let challenges: (any URLSessionTaskDelegate)?
  private let redirects: (any URLSessionTaskDelegate)?

  init(
    maximumBodySize: Int, challenges: (any URLSessionTaskDelegate)?,
    redirects: (any URLSessionTaskDelegate)?
  ) {
    self.maximumBodySize = maximumBodySize
    self.challenges = challenges
    self.redirects = redirects
  }

  func begin(_ task: URLSessionDataTask, _ continuation: CheckedContinuation<Answer, any Error>) {
    let isClosed = state.withLock { state in
      if !state.isClosed { state.exchanges[task.taskIdentifier] = Exchange(continuation: continuation) }
      return state.isClosed
    }
    if isClosed { continuation.resume(throwing: NetworkError.cancelled) }
  }

  /// Ends the exchange with `error`, and returns whether it was still running.
  func end(_ task: URLSessionTask, _ error: NetworkError) -> Bool {
    guard let exchange = end(task) else { return false }
    exchange.continuation.resume(throwing: error)
    return true
  }

  func close() {
    let open = state.withLock { state in
      state.isClosed = true
      defer { state.exchanges = [:] }
      return Array(state.exchanges.values)
    }
    for exchange in open { exchange.continuation.resume(throwing: NetworkError.cancelled) }
  }

  private typealias RedirectAnswer = (
    URLSession, URLSessionTask, HTTPURLResponse, URLRequest, @escaping @Sendable (URLRequest?) -> Void
  ) -> Void

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // Another origin must not receive the headers of the request or the session's configuration, so the delegate is not asked.
    guard let redirects, Self.isOneOrigin(response.url, request.url) else { return completionHandler(nil) }
    let decide: @Sendable (URLRequest?) -> Void = { next in
      completionHandler(Self.isOneOrigin(response.url, next?.url) ? next : nil)
    }
    // The method is optional on Apple's systems. Elsewhere it always exists, and its default follows redirects.
    let answer: RedirectAnswer? = redirects.urlSession(
      _:task:willPerformHTTPRedirection:newRequest:completionHandler:)
    guard let answer else { return completionHandler(nil) }
    answer(session, task, response, request, decide)
  }

  /// Whether a redirect stays with the server and the scheme that it came from.
  private static func isOneOrigin(_ from: URL?, _ to: URL?) -> Bool {
    guard let from, let to, let first = WebOrigin(address: from.absoluteString) else { return false }
    return WebOrigin(address: to.absoluteString) == first
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let identifier = dataTask.taskIdentifier
    let tooLarge = state.withLock { [maximumBodySize] state -> Exchange? in
      guard var exchange = state.exchanges.removeValue(forKey: identifier) else { return nil }
      exchange.size += data.count
      // An abandoned exchange is forgotten: the rest of its answer is dropped.
      guard exchange.size <= maximumBodySize else { return exchange }
      exchange.body.append(data)
      state.exchanges[identifier] = exchange
      return nil
    }
    guard let tooLarge else { return }
    tooLarge.continuation.resume(throwing: AnswerTooLarge(size: tooLarge.size, limit: maximumBodySize))
    session.stop(dataTask)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let exchange = end(task) else { return }
    if let error {
      exchange.continuation.resume(throwing: error)
    } else if let response = task.response as? HTTPURLResponse {
      exchange.continuation.resume(returning: (exchange.body, response))
    } else {
      exchange.continuation.resume(throwing: NetworkError.invalidResponse("it is not HTTP"))
    }
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { session.keep(self) }

  private func end(_ task: URLSessionTask) -> Exchange? {
    let identifier = task.taskIdentifier
    return state.withLock { $0.exchanges.removeValue(forKey: identifier) }
  }

  #if canImport(Darwin)
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      session.hand(challenge, of: task, to: challenges, completionHandler)
    }
  #endif
}
