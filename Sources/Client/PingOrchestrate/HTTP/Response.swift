public import Foundation
internal import PingNetwork
internal import StrictJSON

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// The server's answer to a ``Request``.
public protocol Response {
  /// The body.
  var data: Data { get }
  /// The body as text, or `""` when it is not valid UTF-8.
  func body() async -> String
  /// The HTTP status, 0 when there is none.
  func status() -> Int
  /// The cookies that the answer sets (RFC 6265 §5.2); those that the server must not set are left out.
  func getCookies() -> [HTTPCookie]
  /// The value of a header; names are case-insensitive.
  func header(name: String) -> String?
  /// The body as a JSON object.
  ///
  /// - Returns: the object; `[:]` when the body is other JSON.
  /// - Throws: ``ResponseError`` when the body is not JSON (RFC 8259; duplicate names are refused), is nested deeper than 64 levels,
  ///   or is larger than 2 MiB.
  func json() throws -> [String: Any]
}

extension Response {
  public func json() throws -> [String: Any] {
    // For a hostile answer, Foundation's parser needs 160 times its size in memory, and seconds for each megabyte.
    let limit = HttpClient.maximumJSONSize
    guard data.count <= limit else { throw ResponseError.tooLarge(size: data.count, limit: limit) }
    do {
      let value = try JSONValue(parsing: data, limits: JSONLimits(maximumBytes: limit))
      return value.objectValue?.foundationDictionary ?? [:]
    } catch {
      throw ResponseError.notJSON(
        status: status(), reason: data.isEmpty ? "it is empty" : "\(data.count) bytes do not parse")
    }
  }
}

/// The answer of an HTTP server.
// `data` is a value, and `response` an object that does not change after it was made.
public struct HttpResponse: Response, @unchecked Sendable {
  public var data: Data
  /// The head.
  public let response: URLResponse

  // swift-format-ignore: AlwaysUseLowerCamelCase
  // swift-format-ignore: NoLeadingUnderscores
  /// Names of JSON members and parameters.
  public enum Constants {
    public static let clientId = "clientId"
    public static let scopes = "scopes"
    public static let nonce = "nonce"
    public static let redirectUri = "redirectUri"
    public static let href = "href"
    public static let _links = "_links"
    public static let next = "next"
    public static let idp = "idp"
  }

  /// An answer.
  public init(data: Data, response: URLResponse) {
    self.data = data
    self.response = response
  }

  public func body() -> String { String(data: data, encoding: .utf8) ?? "" }

  public func status() -> Int { (response as? HTTPURLResponse)?.statusCode ?? 0 }

  public func header(name: String) -> String? {
    (response as? HTTPURLResponse)?.value(forHTTPHeaderField: name)
  }

  public func getCookies() -> [HTTPCookie] {
    guard let url = response.url, let header = header(name: "Set-Cookie") else { return [] }
    return SetCookie.cookies(joinedIn: header, for: url, receivedAt: Date())
  }
}
