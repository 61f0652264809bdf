public import Foundation
public import PingLogger

/// Makes HTTP clients.
public enum HttpClient {
  /// A client over URLSession, set up by `configure`.
  public static func createClient(
    _ configure: (HttpClientConfig) -> Void = { _ in }
  ) -> any HttpClientProtocol {
    URLSessionHttpClient.createClient(configure)
  }
}

/// Sends HTTP requests.
public protocol HttpClientProtocol: Sendable {
  /// A new request of this client's kind, with the headers that PingAM recognises an SDK by.
  func request() -> any HttpRequest

  /// Sends `request`. Every HTTP answer is a success, whatever its status, including redirects.
  ///
  /// A failure is a ``NetworkError`` if there is a matching one, else a `URLError`.
  func request(request: any HttpRequest) async -> Result<any HttpResponse, any Error>

  /// Sends the request that `builder` fills in.
  func request(
    builder: @escaping @Sendable (any HttpRequest) -> Void
  ) async -> Result<any HttpResponse, any Error>

  /// Cancels running requests. The client cannot be used afterwards.
  func close()
}

/// A client's settings, read once when it is created.
public final class HttpClientConfig {
  /// How long to wait for an answer, from the request to its last byte, in seconds.
  public var timeout: TimeInterval = 15.0

  /// Logs requests and statuses; never headers, query parameters or bodies.
  public var logger: any Logger = LogManager.warning

  /// Whether requests may use plain `http` to other machines, where anyone on the network path can read them. Meant for tests
  /// with a server such as `http://10.0.2.2:8080`; requests to this machine need no permission.
  public var allowsInsecureHTTP = false

  /// The certificate authorities to trust instead of the machine's, for servers with a private authority; `nil` for the machine's.
  public var certificateAuthorities: CertificateAuthorities?

  /// The largest answer that is accepted, in bytes.
  public var maximumBodySize = 16 << 20

  private(set) var requestInterceptors: [HttpRequestInterceptor] = []
  private(set) var responseInterceptors: [HttpResponseInterceptor] = []

  /// The standard configuration.
  public init() {}

  /// The standard configuration.
  public static var `default`: HttpClientConfig { HttpClientConfig() }

  /// Adds an interceptor that may change every request before it is sent. Interceptors run in the order of their addition.
  public func onRequest(_ interceptor: @escaping HttpRequestInterceptor) {
    requestInterceptors.append(interceptor)
  }

  /// Adds an interceptor that sees every response. Interceptors run in the order of their addition.
  public func onResponse(_ interceptor: @escaping HttpResponseInterceptor) {
    responseInterceptors.append(interceptor)
  }
}

/// Changes a request before it is sent.
public typealias HttpRequestInterceptor = @Sendable (any HttpRequest) -> Void

/// Looks at a response.
public typealias HttpResponseInterceptor = @Sendable (any HttpResponse) -> Void
