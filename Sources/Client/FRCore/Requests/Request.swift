internal import Bytes
internal import Foundation

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

/// A request to the server, as interceptors see and replace it.
// Immutable; the parameters are values of JSON.
public struct Request: @unchecked Sendable {
  public enum HTTPMethod: String, Sendable {
    case GET, PUT, POST, DELETE
  }

  public enum ContentType: String, Sendable {
    case plainText = "text/plain"
    case json = "application/json"
    case urlEncoded = "application/x-www-form-urlencoded"
  }

  /// The address without its query.
  public let url: String
  public let method: HTTPMethod
  public let headers: [String: String]
  /// The members of a JSON body, or the fields of a form.
  public let bodyParams: [String: Any]
  /// The query, decoded.
  public let urlParams: [String: String]
  public let requestType: ContentType
  public let responseType: ContentType
  /// The time limit in seconds.
  public let timeoutInterval: Double

  public init(
    url: String, method: HTTPMethod, headers: [String: String] = [:], bodyParams: [String: Any] = [:],
    urlParams: [String: String] = [:], requestType: ContentType = .json, responseType: ContentType = .json,
    timeoutInterval: Double = 60
  ) {
    self.url = url
    self.method = method
    self.headers = headers
    self.bodyParams = bodyParams
    self.urlParams = urlParams
    self.requestType = requestType
    self.responseType = responseType
    self.timeoutInterval = timeoutInterval
  }
}

extension Request {
  /// Converts `request` for interceptors; `nil` when this type cannot express it.
  package init?(_ request: URLRequest) {
    guard let address = request.url, var parts = URLComponents(url: address, resolvingAgainstBaseURL: false),
      let method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
    else { return nil }
    let query = parts.queryItems ?? []
    parts.query = nil
    let type = request.value(forHTTPHeaderField: "Content-Type") ?? ContentType.json.rawValue
    let requestType = ContentType(rawValue: type.split(separator: ";").first.map(String.init) ?? type)
    self.init(
      url: parts.url?.absoluteString ?? address.absoluteString, method: method,
      headers: request.allHTTPHeaderFields ?? [:], bodyParams: Self.parameters(request.httpBody),
      urlParams: Dictionary(query.map { ($0.name, $0.value ?? "") }) { first, _ in first },
      requestType: requestType ?? .json, timeoutInterval: request.timeoutInterval)
  }

  /// Returns `original` with this request's changes.
  package func applied(to original: URLRequest) -> URLRequest {
    var request = original
    let before = Request(original)
    if url != before?.url || urlParams != before?.urlParams {
      let query = urlParams.isEmpty ? "" : "?\(PercentEncoding.form(urlParams))"
      if let address = URL(string: url + query) { request.url = address }
    }
    request.httpMethod = method.rawValue
    for name in (original.allHTTPHeaderFields ?? [:]).keys where headers[name] == nil {
      request.setValue(nil, forHTTPHeaderField: name)
    }
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    // An unchanged body is sent as it was written.
    let body = Self.encoded(bodyParams)
    if body != Self.encoded(before?.bodyParams ?? [:]) {
      request.httpBody = requestType == .urlEncoded ? form : body
    }
    return request
  }

  private var form: Data { Data(PercentEncoding.form(bodyParams.mapValues { "\($0)" }).utf8) }

  private static func parameters(_ body: Data?) -> [String: Any] {
    body.flatMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] } ?? [:]
  }

  private static func encoded(_ parameters: [String: Any]) -> Data? {
    guard !parameters.isEmpty, JSONSerialization.isValidJSONObject(parameters) else { return nil }
    return try? JSONSerialization.data(
      withJSONObject: parameters, options: [.sortedKeys, .withoutEscapingSlashes])
  }
}
