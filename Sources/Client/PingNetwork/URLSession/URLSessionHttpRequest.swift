internal import Bytes
internal import Concurrency
public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A request of ``URLSessionHttpClient``. May be used from any thread.
public final class URLSessionHttpRequest: HttpRequest {
  struct State {
    var url: String?
    var method = HttpMethod.get
    var headers: [(name: String, value: String)] = []
    var parameters: [(name: String, value: String)] = []
    /// Fields in the order of the calls that added them; a name may come again.
    var form: [(name: String, value: String)] = []
    var body: Data?
    /// Why the request cannot be sent.
    var problem: String?
  }

  private let state: Locked<State>

  /// A GET request with the headers that PingAM recognises an SDK by.
  public init() {
    state = Locked(
      State(headers: [
        (NetworkConstants.headerRequestedWith, NetworkConstants.requestedWithValue),
        (NetworkConstants.headerRequestedPlatform, NetworkConstants.requestedPlatformValue),
      ]))
  }

  /// The absolute `http` or `https` URL.
  public var url: String? {
    get { state.withLock { $0.url } }
    set { state.withLock { $0.url = newValue } }
  }

  public func setParameter(name: String, value: String) {
    state.withLock { $0.parameters.append((name, value)) }
  }

  public func setHeader(name: String, value: String) {
    state.withLock { $0.setHeader(name, value) }
  }

  public func setCookie(cookie: String) { setCookies(cookies: [cookie]) }

  public func setCookies(cookies: [String]) {
    guard !cookies.isEmpty else { return }
    state.withLock { state in
      let before = state.header(NetworkConstants.headerCookie).map { [$0] } ?? []
      state.setHeader(NetworkConstants.headerCookie, (before + cookies).joined(separator: "; "))
    }
  }

  public func get() { send(.get, nil, contentType: nil) }

  public func post(json: [String: Any] = [:]) { send(.post, json) }

  public func put(json: [String: Any] = [:]) { send(.put, json) }

  public func delete(json: [String: Any] = [:]) { send(.delete, json) }

  public func post(contentType: String = NetworkConstants.contentTypeJSON, body: String) {
    send(.post, Data(body.utf8), contentType: contentType)
  }

  public func put(contentType: String = NetworkConstants.contentTypeJSON, body: String) {
    send(.put, Data(body.utf8), contentType: contentType)
  }

  public func delete(contentType: String = NetworkConstants.contentTypeJSON, body: String) {
    send(.delete, Data(body.utf8), contentType: contentType)
  }

  public func form(parameters: [String: String]) {
    state.withLock { state in
      state.form += parameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
      state.method = .post
      state.body = Data(PercentEncoding.form(state.form.map { ($0.name, $0.value) }).utf8)
      state.setHeader(NetworkConstants.headerContentType, NetworkConstants.contentTypeForm)
    }
  }

  public func setMethod(_ method: HttpMethod) { state.withLock { $0.method = method } }

  public func setBody(_ body: Data?) {
    state.withLock { state in
      state.body = body
      state.form = []
      state.problem = nil
    }
  }

  public func getMethod() -> HttpMethod { state.withLock { $0.method } }

  public func getHeader(name: String) -> String? { state.withLock { $0.header(name) } }

  public func getHeaders() -> [String: String] {
    state.withLock { state in Dictionary(state.headers.map { ($0.name, $0.value) }) { $1 } }
  }

  /// The request as URLSession takes it; `nil` when it cannot be sent.
  public func buildURLRequest() -> URLRequest? { try? makeURLRequest() }

  /// The request as URLSession takes it.
  ///
  /// - Throws: ``NetworkError/invalidRequest(_:)``
  func makeURLRequest() throws -> URLRequest { try state.withLock { try $0.makeURLRequest() } }

  private func send(_ method: HttpMethod, _ json: [String: Any]) {
    // On Apple platforms JSONSerialization raises an exception that Swift cannot catch when a value is not JSON.
    let body =
      JSONSerialization.isValidJSONObject(json) ? try? JSONSerialization.data(withJSONObject: json) : nil
    let problem = body == nil ? "the body holds a value that JSON cannot express" : nil
    send(method, body, contentType: NetworkConstants.contentTypeJSON, problem: problem)
  }

  private func send(_ method: HttpMethod, _ body: Data?, contentType: String?, problem: String? = nil) {
    state.withLock { state in
      state.method = method
      state.body = body
      state.form = []
      state.problem = problem
      if let contentType { state.setHeader(NetworkConstants.headerContentType, contentType) }
    }
  }
}

extension URLSessionHttpRequest.State {
  func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  mutating func setHeader(_ name: String, _ value: String) {
    headers.removeAll { $0.name.lowercased() == name.lowercased() }
    headers.append((name, value))
  }

  func makeURLRequest() throws -> URLRequest {
    if let problem { throw NetworkError.invalidRequest(problem) }
    guard let url, var components = URLComponents(string: url), components.host?.isEmpty == false,
      let scheme = components.scheme?.lowercased(), ["http", "https"].contains(scheme)
    else {
      throw NetworkError.invalidRequest("\(self.url ?? "no URL") is not an absolute http or https URL")
    }
    if !parameters.isEmpty {
      let query = components.percentEncodedQuery.flatMap { $0.isEmpty ? nil : [$0] } ?? []
      let added = PercentEncoding.form(parameters.map { ($0.name, $0.value) })
      components.percentEncodedQuery = (query + [added]).joined(separator: "&")
    }
    guard let address = components.url else {
      throw NetworkError.invalidRequest("\(url) is not a valid URL")
    }
    var request = URLRequest(url: address)
    request.httpMethod = method.rawValue
    request.httpBody = body
    // The cookies are those that the caller set; no store of the process adds its own.
    request.httpShouldHandleCookies = false
    for (name, value) in headers {
      try requireHeader(name, value)
      request.setValue(value, forHTTPHeaderField: name)
    }
    return request
  }
}

/// Refuses a header that a server could read as another one, such as a value with a line end (RFC 9110 §5.5).
///
/// - Throws: ``NetworkError/invalidRequest(_:)``
package func requireHeader(_ name: String, _ value: String) throws(NetworkError) {
  guard isHeaderName(name),
    !value.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" || $0.value == 0x7f })
  else {
    throw .invalidRequest("the header \(name.debugDescription) has a character that is not allowed")
  }
}

/// Whether `name` is a header name (RFC 9110 §5.1).
package func isHeaderName(_ name: String) -> Bool {
  !name.isEmpty
    && name.utf8.allSatisfy { PercentEncoding.isUnreserved($0) || "!#$%&'*+^`|".utf8.contains($0) }
}
