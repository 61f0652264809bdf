public import Foundation
public import PingLogger
public import PingNetwork

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Sends the requests of a workflow. PingNetwork publishes an `HttpClient` and an `HttpResponse` too: where both modules are
/// imported, write the module's name.
///
/// To put a proxy, certificate pinning or a test in the way, override ``sendRequest(request:)``, or give an
/// `URLSession` or a closure of your own, and set ``WorkflowConfig/httpClient``. Redirects are never followed; cookies are
/// neither stored nor sent, save those that a module puts into the request. An answer of more than 16 MiB is
/// abandoned as soon as it exceeds the limit.
// What changes is guarded, the rest is immutable; subclasses are responsible for what they add.
open class HttpClient: NSObject, @unchecked Sendable {
  /// Sends one request.
  public typealias Transport = @Sendable (URLRequest) async throws -> (Data, URLResponse)

  /// How long an answer may take, from the request to its last byte, in seconds. A workflow sets it to its `timeout`.
  @Guarded public var timeoutIntervalForRequest: TimeInterval = 60

  /// Whether requests go by `http` to other machines too, readable by anyone on the way. For tests with a server such as
  /// `http://10.0.2.2:8080`; this machine needs no permission.
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
  /// Created by this client, and therefore closed by it.
  private let sessions: URLSessionTransport?

  /// A client with a session of its own, which keeps no cookies, no cache and no credentials.
  public override init() {
    let sessions = Self.sessions(Self.standardConfiguration, delegate: nil)
    self.sessions = sessions
    usesNetwork = true
    transport = { try await Self.send($0, through: sessions) }
  }

  /// A client that sends through `session` when it is of a subclass of the app's, which then decides about redirects, too.
  ///
  /// Of a session of Foundation's own the configuration and the delegate are used, in a session of this client's: only a session's
  /// delegate can count an answer while it comes, and refuse redirects. A redirect to another origin is never followed: it would carry the
  /// session's and the request's headers there. About others a delegate of `session` decides, if it has the method for that; on Apple's
  /// systems it also answers authentication challenges. Without one, redirects are refused. (Off Apple's systems nobody can see whether a
  /// delegate has the method. One that has none follows redirects of the same origin.)
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

  /// A client for servers whose certificate is signed by one of `authorities`, and for no others.
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
      // The system's own limit, which says nothing off Apple's systems.
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

  /// Refuses an address where others would get the request.
  ///
  /// - Parameter isAllowed: Whether the app has allowed that elsewhere than in ``allowsInsecureHTTP``.
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

  /// Logs a request at debug level: never its body, and of query and headers only what is not a secret.
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
