public import Foundation
public import PingLogger

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Sends the requests of a workflow.
///
/// To put a proxy, certificate pinning or a test in the way, override ``sendRequest(request:)``, or give an
/// `URLSession` or a closure of your own, and set ``WorkflowConfig/httpClient``. Redirects are never followed; cookies are
/// neither stored nor sent, save those that a module puts into the request.
// What changes is guarded, the rest is immutable; subclasses answer for what they add.
open class HttpClient: NSObject, @unchecked Sendable {
  /// Sends one request.
  public typealias Transport = @Sendable (URLRequest) async throws -> (Data, URLResponse)

  /// How long to wait for data, in seconds. A workflow sets it to its `timeout`.
  @Guarded public var timeoutIntervalForRequest: TimeInterval = 60

  /// Where requests and answers are logged, at debug level. A workflow sets it to its logger; without one it is
  /// `LogManager.logger`.
  @Guarded public var logger: (any Logger)?

  private let transport: Transport
  /// The session that this client made, and therefore ends.
  private let ownSession: URLSession?

  /// A client with a session of its own, which keeps no cookies, no cache and no credentials.
  public override init() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    let session = URLSession(configuration: configuration, delegate: RedirectPreventer(), delegateQueue: nil)
    ownSession = session
    transport = { try await session.data(for: $0) }
  }

  /// A client that sends through `session`.
  ///
  /// A session without a delegate is used through a copy whose delegate refuses redirects; one with a delegate decides
  /// about them itself.
  public init(session: URLSession) {
    let needsDelegate = session.delegate == nil
    let session =
      needsDelegate
      ? URLSession(configuration: session.configuration, delegate: RedirectPreventer(), delegateQueue: nil)
      : session
    ownSession = needsDelegate ? session : nil
    transport = { try await session.data(for: $0) }
  }

  /// A client that sends through `transport`, without a network.
  public init(transport: @escaping Transport) {
    ownSession = nil
    self.transport = transport
  }

  deinit { ownSession?.finishTasksAndInvalidate() }

  /// Sends a request and returns the body and the head of the answer, whatever its status.
  ///
  /// - Throws: the error of the connection; `CancellationError` or `URLError.cancelled` when the task was cancelled.
  open func sendRequest(request: Request) async throws -> (Data, URLResponse) {
    var urlRequest = request.urlRequest
    urlRequest.timeoutInterval = timeoutIntervalForRequest
    return try await transport(urlRequest)
  }

  /// Checks, logs and sends a request.
  package func response(to request: Request) async throws -> HttpResponse {
    if let problem = request.problem { throw problem }
    logRequest(request: request.urlRequest)
    let (data, head) = try await sendRequest(request: request)
    let response = HttpResponse(data: data, response: head)
    log { WireLog.line(for: response) }
    return response
  }

  /// Logs a request at debug level: never its body, and of query and headers only what is no secret.
  public func logRequest(request: URLRequest?) {
    guard let request else { return }
    log { WireLog.line(for: request) }
  }

  private func log(_ line: () -> String) {
    let logger = logger ?? LogManager.logger
    // Formats nothing that nobody reads.
    if !(logger is NoneLogger) { logger.d(line()) }
  }
}

/// A session delegate that never follows a redirect: the answer with the Location is the answer.
public final class RedirectPreventer: NSObject, URLSessionDelegate, URLSessionTaskDelegate {
  /// Refuses the redirect.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }
}
