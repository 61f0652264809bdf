public import Foundation
public import PingLogger
public import PingNetwork

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Sends the requests of a workflow. PingNetwork also publishes an `HttpClient` and an `HttpResponse`: where both modules are
/// imported, write the module's name.
///
/// To add a proxy, certificate pinning or a test's answers, override ``sendRequest(request:)``, or create a client with your
/// own `URLSession` or closure, and set ``WorkflowConfig/httpClient``. Redirects are never followed. Cookies are
/// neither stored nor sent, except those that a module puts into the request. An answer of more than 16 MiB is
/// abandoned as soon as it exceeds the limit.
// Mutable properties are guarded, the others are immutable; subclasses are responsible for what they add.
open class HttpClient: NSObject, @unchecked Sendable {
  /// Sends one request.
  public typealias Transport = @Sendable (URLRequest) async throws -> (Data, URLResponse)

  /// How long an answer may take, from the request to its last byte, in seconds. A workflow sets it to its `timeout`.
  @Guarded public var timeoutIntervalForRequest: TimeInterval = 60

  /// Whether requests may use plain `http` to other machines, where anyone on the network path can read them. Meant for tests
  /// with a server such as `http://10.0.2.2:8080`; requests to this machine need no permission.
  @Guarded public var allowsInsecureHTTP = false

  /// The largest answer that is read, in bytes.
  static let maximumAnswerSize = 16 << 20

  /// The largest answer that is parsed as JSON, in bytes.
  static let maximumJSONSize = 2 << 20

  /// Where requests and answers are logged, at debug level. A workflow sets it to its logger; without one it is
  /// `LogManager.logger`.
  @Guarded public var logger: (any Logger)?

  private let transport: Transport
  /// Whether requests leave the process.
  private let usesNetwork: Bool
  /// The sessions that this client created, and therefore closes.
  private let sessions: URLSessionTransport?

  /// A client with a session of its own, which keeps no cookies, no cache and no credentials.
  public override init() {
    let sessions = Self.sessions(Self.standardConfiguration, delegate: nil)
    self.sessions = sessions
    usesNetwork = true
    transport = { try await Self.send($0, through: sessions) }
  }

  /// A client that sends through `session` when that is an instance of the app's own subclass, which then also decides about redirects.
  ///
  /// When `session` is one of Foundation's own, this client makes a new session with its configuration and delegate, because only a
  /// session's delegate can count an answer's bytes while they arrive and refuse redirects. A redirect to another origin is never followed:
  /// it would carry the session's and the request's headers there. About other redirects the delegate of `session` decides, if it has the
  /// method for that; on Apple's systems it also answers authentication challenges. Without a delegate, redirects are refused. (Off Apple's
  /// systems nobody can see whether a delegate has the method: one without it follows redirects of the same origin.)
  public init(session: URLSession) {
    usesNetwork = true
    if let own = AppSession(session) {
      sessions = nil
      transport = { try await own.send($0, deadline: $0.timeoutInterval) }
      return
    }
    let sessions = Self.sessions(
      session.configuration, delegate: session.delegate as? any URLSessionTaskDelegate)
    self.sessions = sessions
    transport = { try await Self.send($0, through: sessions) }
  }

  /// A client that connects only to servers whose certificate is signed by one of `authorities`.
  public init(certificateAuthorities authorities: CertificateAuthorities) {
    let sessions = Self.sessions(Self.standardConfiguration, delegate: nil, authorities: authorities)
    self.sessions = sessions
    usesNetwork = true
    transport = { try await Self.send($0, through: sessions) }
  }

  private static var standardConfiguration: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.forgetEverything()
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    return configuration
  }

  private static func sessions(
    _ configuration: URLSessionConfiguration, delegate: (any URLSessionTaskDelegate)?,
    authorities: CertificateAuthorities? = nil
  ) -> URLSessionTransport {
    URLSessionTransport(
      configuration: configuration, maximumBodySize: maximumAnswerSize, delegate: delegate,
      redirects: delegate, authorities: authorities)
  }

  private static func send(
    _ request: URLRequest, through sessions: URLSessionTransport
  ) async throws -> (Data, URLResponse) {
    do {
      return try await sessions.send(request, deadline: request.timeoutInterval)
    } catch let error as AnswerTooLarge {
      throw ResponseError.tooLarge(size: error.size, limit: error.limit)
    } catch NetworkError.timeout {
      throw URLError.requestTimedOut
    } catch NetworkError.cancelled {
      throw URLError(.cancelled)
    } catch let error as URLError where error.code == .timedOut {
      // The system's own time limit, whose error has no description off Apple's systems.
      throw URLError.requestTimedOut
    }
  }

  /// A client that sends through `transport`, without a network.
  public init(transport: @escaping Transport) {
    sessions = nil
    usesNetwork = false
    self.transport = transport
  }

  deinit { sessions?.drain() }

  /// Sends a request and returns the body and the head of the answer, whatever its status.
  ///
  /// - Throws: ``ResponseError/tooLarge(size:limit:)``; the error of the connection; `CancellationError` or `URLError.cancelled` when the
  ///   task was cancelled.
  open func sendRequest(request: Request) async throws -> (Data, URLResponse) {
    var urlRequest = request.urlRequest
    urlRequest.timeoutInterval = timeoutIntervalForRequest
    return try await transport(urlRequest)
  }

  /// Refuses an address at which somebody else could read the request: see `PlainHTTP`.
  ///
  /// - Parameter isAllowed: Whether another setting than ``allowsInsecureHTTP`` allows plain `http`.
  package func checkAddress(_ address: String, isAllowed: Bool = false) throws(InsecureAddressError) {
    let isAllowed = isAllowed || allowsInsecureHTTP
    try PlainHTTP.checkMachine(address, isAllowed: isAllowed)
    if usesNetwork { try PlainHTTP.checkWay(address, isAllowed: isAllowed) }
  }

  /// Checks, logs and sends a request.
  package func response(to request: Request) async throws -> HttpResponse {
    if let problem = request.problem { throw problem }
    try checkAddress(request.urlRequest.url?.absoluteString ?? "")
    logRequest(request: request.urlRequest)
    let (data, head) = try await sendRequest(request: request)
    let response = HttpResponse(data: data, response: head)
    log { WireLog.line(for: response) }
    return response
  }

  /// Logs a request at debug level, without its body. Only headers and query values that are not secret are shown.
  public func logRequest(request: URLRequest?) {
    guard let request else { return }
    log { WireLog.line(for: request) }
  }

  private func log(_ line: () -> String) {
    let logger = logger ?? LogManager.logger
    // Does not format a line that is not logged.
    if !(logger is NoneLogger) { logger.d(line()) }
  }
}

/// A session delegate that never follows a redirect: the caller gets the response with the Location header.
public final class RedirectPreventer: NSObject, URLSessionDelegate, URLSessionTaskDelegate {
  /// Refuses the redirect.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }
}
