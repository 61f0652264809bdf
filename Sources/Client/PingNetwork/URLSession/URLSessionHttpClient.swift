internal import PingLogger

#if canImport(FoundationNetworking)
  public import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// An HTTP client over URLSession.
///
/// It follows no redirects and keeps no cookies, credentials or cache: every request is self-contained.
public final class URLSessionHttpClient: HttpStreamingClient {
  private let transport: URLSessionTransport
  private let streams: URLSessionStreams
  private let requestInterceptors: [HttpRequestInterceptor]
  private let responseInterceptors: [HttpResponseInterceptor]
  private let logger: any Logger
  private let allowsInsecureHTTP: Bool
  /// How long an answer may take, in seconds.
  private let timeout: TimeInterval

  /// A client set up by `configure`.
  public static func createClient(
    _ configure: (HttpClientConfig) -> Void = { _ in }
  ) -> URLSessionHttpClient {
    let config = HttpClientConfig()
    configure(config)
    let configuration = URLSessionConfiguration.ephemeral
    // FoundationNetworking counts whole seconds here, and 0 means "at once"; the deadline of each request is exact.
    configuration.timeoutIntervalForRequest = config.timeout.rounded(.up)
    configuration.timeoutIntervalForResource = config.timeout.rounded(.up)
    return URLSessionHttpClient(config: config, configuration: configuration, delegate: nil)
  }

  /// A client with the configuration of `session`.
  ///
  /// The client creates its own session, because on some platforms a session that follows redirects cannot be told not to.
  /// Cookies and caches of the configuration are switched off.
  /// - Parameter delegate: Answers authentication challenges on Apple platforms, for instance to pin certificates; the
  ///   session's own delegate when `nil`.
  public convenience init(
    config: HttpClientConfig, session: URLSession, delegate: (any URLSessionTaskDelegate)? = nil
  ) {
    self.init(
      config: config, configuration: session.configuration,
      delegate: delegate ?? session.delegate as? any URLSessionTaskDelegate)
  }

  private init(
    config: HttpClientConfig, configuration: URLSessionConfiguration, delegate: (any URLSessionTaskDelegate)?
  ) {
    configuration.forgetEverything()
    transport = URLSessionTransport(
      configuration: configuration, maximumBodySize: config.maximumBodySize, delegate: delegate,
      authorities: config.certificateAuthorities)
    streams = URLSessionStreams(challenges: delegate, authorities: config.certificateAuthorities)
    requestInterceptors = config.requestInterceptors
    responseInterceptors = config.responseInterceptors
    logger = config.logger
    allowsInsecureHTTP = config.allowsInsecureHTTP
    timeout = config.timeout
  }

  deinit {
    // An open stream continues: its reader need not keep the client.
    streams.drain()
    transport.close()
  }

  public func request() -> any HttpRequest { URLSessionHttpRequest() }

  public func request(
    builder: @escaping @Sendable (any HttpRequest) -> Void
  ) async -> Result<any HttpResponse, any Error> {
    let request = request()
    builder(request)
    return await self.request(request: request)
  }

  public func request(request: any HttpRequest) async -> Result<any HttpResponse, any Error> {
    do {
      let urlRequest = try urlRequest(for: request)
      let (body, httpResponse) = try await transport.send(urlRequest, deadline: timeout)
      let response = URLSessionHttpResponse(request: request, body: body, httpURLResponse: httpResponse)
      logger.d("\(request.getMethod().rawValue) \(urlRequest.url?.path ?? ""): status \(response.status)")
      for interceptor in responseInterceptors { interceptor(response) }
      return .success(response)
    } catch {
      let error = networkError(for: error)
      logger.w("\(request.getMethod().rawValue) request failed", error: error)
      return .failure(error)
    }
  }

  public func stream(request: any HttpRequest, idleTimeout: TimeInterval) async throws -> HttpStream {
    do {
      var urlRequest = try urlRequest(for: request)
      urlRequest.timeoutInterval = idleTimeout
      let stream = try await streams.open(urlRequest) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = idleTimeout
        configuration.httpMaximumConnectionsPerHost = 64
        configuration.forgetEverything()
        configuration.nameProgram()
        return configuration
      }
      logger.d(
        "\(request.getMethod().rawValue) \(urlRequest.url?.path ?? ""): status \(stream.status), stream")
      return stream
    } catch {
      let error = networkError(for: error)
      logger.w("\(request.getMethod().rawValue) request failed", error: error)
      throw error
    }
  }

  public func close() {
    streams.close()
    transport.close()
  }

  /// The request, changed by the interceptors.
  private func urlRequest(for request: any HttpRequest) throws -> URLRequest {
    guard let request = request as? URLSessionHttpRequest else {
      throw NetworkError.invalidRequest("\(type(of: request)) was not made by this client's request()")
    }
    for interceptor in requestInterceptors { interceptor(request) }
    let urlRequest = try request.makeURLRequest()
    do throws(InsecureAddressError) {
      try PlainHTTP.check(urlRequest.url?.absoluteString ?? "", isAllowed: allowsInsecureHTTP)
    } catch {
      throw NetworkError.invalidRequest(error.explanation)
    }
    return urlRequest
  }

}

extension URLSessionConfiguration {
  /// Keeps no cookies, no credentials and no cache.
  package func forgetEverything() {
    httpCookieStorage = nil
    httpShouldSetCookies = false
    httpCookieAcceptPolicy = .never
    urlCredentialStorage = nil
    urlCache = nil
  }
}

/// Returns the ``NetworkError`` for `error` if there is one, else `error`; a `URLError` is then described in words of our own.
func networkError(for error: any Error) -> any Error {
  if error is CancellationError { return NetworkError.cancelled }
  if let error = error as? AnswerTooLarge {
    return NetworkError.invalidResponse("it has more than \(error.limit) bytes")
  }
  switch (error as? URLError)?.code {
  case .timedOut: return NetworkError.timeout
  case .notConnectedToInternet, .networkConnectionLost: return NetworkError.networkUnavailable
  case .cancelled: return NetworkError.cancelled
  default: return (error as? URLError)?.inPlainWords() ?? error
  }
}
