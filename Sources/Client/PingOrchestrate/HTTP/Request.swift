internal import Bytes
internal import Concurrency

#if canImport(FoundationNetworking)
  internal import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// A request to the server, filled by the modules of a workflow one after the other.
///
/// Invalid values (a URL that does not parse, a body that is not JSON) do not trap: the request keeps its state, and sending
/// it fails with a ``RequestError`` that names the fault.
// Its one stored property is a lock around values.
public class Request: @unchecked Sendable {
  private struct Contents: Sendable {
    var urlRequest: URLRequest
    /// Why the request must not be sent.
    var problem: RequestError?
  }

  private let contents: Locked<Contents>

  /// The request as it stands.
  public var urlRequest: URLRequest { contents.withLock { $0.urlRequest } }

  /// A GET request for `urlString`, which must be absolute; without one the request is blank until `url` is called.
  public init(urlString: String = "https://") {
    let isBlank = urlString == "https://"
    let url = isBlank ? nil : Self.absoluteURL(urlString)
    contents = Locked(
      Contents(
        urlRequest: URLRequest(url: url ?? Self.blankURL),
        problem: url == nil && !isBlank ? .invalidURL(urlString) : nil))
  }

  /// A request that cannot be sent, because of `problem`.
  package init(failing problem: RequestError) {
    contents = Locked(Contents(urlRequest: URLRequest(url: Self.blankURL), problem: problem))
  }

  /// Why the request must not be sent: what was wrong with it, or that it has no URL.
  package var problem: RequestError? {
    contents.withLock { $0.problem }
      ?? (isBlank ? .missingURL(reason: "no module and no caller has set one") : nil)
  }

  /// Whether nothing has set a URL, not even an invalid one.
  var isBlank: Bool {
    contents.withLock { $0.problem == nil && $0.urlRequest.url?.host?.isEmpty ?? true }
  }

  // The fallback is used only if "https://" ceased to parse. A file URL has no host either, so the request stays blank.
  private static var blankURL: URL { URL(string: "https://") ?? URL(fileURLWithPath: "/") }

  private static func absoluteURL(_ text: String) -> URL? {
    guard let url = URL(string: text), let host = url.host, !host.isEmpty else { return nil }
    return url
  }

  private func change(_ body: @Sendable (inout URLRequest) -> Void) {
    contents.withLock { body(&$0.urlRequest) }
  }

  /// Sets the URL, which must be absolute, and the JSON content type.
  public func url(_ urlString: String) {
    contents.withLock { contents in
      guard let url = Self.absoluteURL(urlString) else {
        contents.problem = .invalidURL(urlString)
        return
      }
      contents.problem = nil
      contents.urlRequest.url = url
      contents.urlRequest.setValue(ContentType.json.rawValue, forHTTPHeaderField: Constants.contentType)
    }
  }

  /// Replaces the whole request.
  public func url(_ urlRequest: URLRequest) {
    contents.withLock { $0 = Contents(urlRequest: urlRequest, problem: nil) }
  }

  /// Appends a query item; name and value are percent-encoded, `+` too.
  public func parameter(name: String, value: String) {
    let item = "\(PercentEncoding.encode(name))=\(PercentEncoding.encode(value))"
    change { request in
      guard let url = request.url, var components = URLComponents(url: url, resolvingAgainstBaseURL: false)
      else { return }
      let query = components.percentEncodedQuery ?? ""
      components.percentEncodedQuery = query.isEmpty ? item : "\(query)&\(item)"
      request.url = components.url ?? url
    }
  }

  /// Adds a header; the value is appended to an existing header after a comma (RFC 9110 §5.3).
  ///
  /// Headers with a single value are replaced instead: Content-Type, Authorization, Accept-API-Version, User-Agent,
  /// Host, Content-Length.
  public func header(name: String, value: String) {
    if Self.singleValued.contains(name.lowercased()) {
      setHeader(name: name, value: value)
    } else {
      guard isSafe(name, value) else { return }
      change { $0.addValue(value, forHTTPHeaderField: name) }
    }
  }

  /// Sets a header in place of what was there; names are case-insensitive.
  public func setHeader(name: String, value: String) {
    guard isSafe(name, value) else { return }
    change { $0.setValue(value, forHTTPHeaderField: name) }
  }

  /// Refuses characters that would end the header's line (RFC 9110 §5.5).
  private func isSafe(_ name: String, _ value: String) -> Bool {
    let isSafe = (name + value).unicodeScalars.allSatisfy {
      $0.value >= 0x20 && $0.value != 0x7F || $0 == "\t"
    }
    if !isSafe || name.isEmpty { contents.withLock { $0.problem = .invalidHeader(name: name) } }
    return isSafe && !name.isEmpty
  }

  private static let singleValued: Set<String> = [
    "content-type", "authorization", "accept-api-version", "user-agent", "host", "content-length",
  ]

  /// Appends `name=value` of each cookie to the Cookie header (RFC 6265 §5.4).
  public func cookies(cookies: [HTTPCookie]) {
    guard !cookies.isEmpty else { return }
    let pairs = cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
    change { request in
      let present = request.value(forHTTPHeaderField: "Cookie").map { $0 + "; " } ?? ""
      request.setValue(present + pairs, forHTTPHeaderField: "Cookie")
    }
  }

  /// Makes the request a POST with `body` as JSON: members sorted by name, slashes not escaped.
  public func body(body: [String: Any]) {
    guard JSONSerialization.isValidJSONObject(body),
      let data = try? JSONSerialization.data(
        withJSONObject: body, options: [.sortedKeys, .withoutEscapingSlashes])
    else {
      let members = body.keys.sorted()
      contents.withLock { $0.problem = .unencodableBody(members: members) }
      return
    }
    post(data, contentType: .json)
  }

  /// Makes the request a POST with `formData` percent-encoded, sorted by name.
  public func form(formData: [String: String]) {
    post(Data(PercentEncoding.form(formData).utf8), contentType: .urlEncoded)
  }

  private func post(_ data: Data, contentType: ContentType) {
    change { request in
      request.httpMethod = HTTPMethod.post.rawValue
      request.setValue(contentType.rawValue, forHTTPHeaderField: Constants.contentType)
      request.httpBody = data
    }
  }

  /// Sets the method.
  public func method(_ method: HTTPMethod) {
    change { $0.httpMethod = method.rawValue }
  }

  /// The method, in capitals.
  public func getMethod() -> String? { urlRequest.httpMethod }
}
