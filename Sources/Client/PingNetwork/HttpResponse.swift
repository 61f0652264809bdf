public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// The answer to a request.
public protocol HttpResponse: Sendable {
  /// The request as it was sent. Its setters do nothing.
  var request: any HttpRequest { get }

  /// The status code.
  var status: Int { get }

  /// The body, if there was one.
  var body: Data? { get }

  /// The headers, under the names that they came with; ``getHeader(name:)`` finds them in any case.
  var headers: [String: [String]] { get }

  /// The first value of the header `name`, whatever its case.
  func getHeader(name: String) -> String?

  /// All values of the header `name`, whatever its case.
  func getHeaders(name: String) -> [String]?

  /// The cookies that the server may set for the request's URL (RFC 6265 §5.3).
  func getCookies() -> [HTTPCookie]

  /// The `Set-Cookie` headers, one element each.
  func getCookieStrings() -> [String]

  /// The body as UTF-8 text, with invalid bytes replaced; empty without a body.
  func bodyAsString() -> String
}

extension Int {
  /// Whether this is a status code from 200 to 299.
  public func isSuccess() -> Bool { (200..<300).contains(self) }

  /// Whether this is a status code from 300 to 399.
  public func isRedirect() -> Bool { (300..<400).contains(self) }

  /// Whether this is a status code from 400 to 499.
  public func isClientError() -> Bool { (400..<500).contains(self) }

  /// Whether this is a status code from 500 to 599.
  public func isServerError() -> Bool { (500..<600).contains(self) }
}
