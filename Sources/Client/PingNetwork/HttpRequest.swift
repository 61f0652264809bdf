public import Foundation

/// A request under construction.
public protocol HttpRequest: AnyObject, Sendable {
  /// The absolute `http` or `https` URL.
  var url: String? { get set }

  /// Appends a query parameter, percent-encoded, to those that the URL has.
  func setParameter(name: String, value: String)

  /// Sets a header, replacing one of that name in any case.
  func setHeader(name: String, value: String)

  /// Adds `cookie`, `name=value`, to the `Cookie` header.
  func setCookie(cookie: String)

  /// Adds `cookies`, each `name=value`, to the `Cookie` header.
  func setCookies(cookies: [String])

  /// Makes this a GET request without a body.
  func get()

  /// Makes this a POST request with a JSON object.
  func post(json: [String: Any])

  /// Makes this a PUT request with a JSON object.
  func put(json: [String: Any])

  /// Makes this a DELETE request with a JSON object.
  func delete(json: [String: Any])

  /// Makes this a POST request with `body`.
  func post(contentType: String, body: String)

  /// Makes this a PUT request with `body`.
  func put(contentType: String, body: String)

  /// Makes this a DELETE request with `body`.
  func delete(contentType: String, body: String)

  /// Makes this a POST request with form parameters, after those of earlier calls. A field that an earlier call has is sent
  /// again: a form may repeat a name.
  func form(parameters: [String: String])

  /// Sets the method and leaves the body alone.
  func setMethod(_ method: HttpMethod)

  /// Sets the body and leaves method and headers alone.
  func setBody(_ body: Data?)

  /// The method; GET at first.
  func getMethod() -> HttpMethod

  /// The header `name`, whatever its case.
  func getHeader(name: String) -> String?

  /// All headers.
  func getHeaders() -> [String: String]
}

/// An HTTP method.
public enum HttpMethod: String, Sendable {
  case get = "GET"
  case post = "POST"
  case put = "PUT"
  case delete = "DELETE"
  case patch = "PATCH"
  case head = "HEAD"
  case options = "OPTIONS"
}
