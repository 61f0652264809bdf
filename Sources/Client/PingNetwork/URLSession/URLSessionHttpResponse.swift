public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A response of ``URLSessionHttpClient``.
public final class URLSessionHttpResponse: HttpResponse {
  public let request: any HttpRequest
  public let status: Int
  public let headers: [String: [String]]
  public let body: Data?
  /// The spelling in ``headers`` of each name, by the name in lower case.
  private let names: [String: String]
  private let url: URL?
  private let receivedAt: Date

  /// A response, as a client or a test makes it.
  ///
  /// - Parameters:
  ///   - request: The request; its state is copied.
  ///   - status: The status code.
  ///   - headers: The headers, under names of any case.
  ///   - body: The body, if there was one.
  ///   - httpURLResponse: Names the URL for which cookies are set; when it is `nil`, that is the request's URL.
  public convenience init(
    request: any HttpRequest, status: Int, headers: [String: [String]], body: Data?,
    httpURLResponse: HTTPURLResponse?
  ) {
    self.init(
      request: request, status: status, headers: headers, body: body, httpURLResponse: httpURLResponse,
      receivedAt: Date())
  }

  /// The answer whose head is `httpURLResponse`.
  package convenience init(request: any HttpRequest, body: Data, httpURLResponse head: HTTPURLResponse) {
    let headers = head.allHeaderFields.map { ("\($0.key)", ["\($0.value)"]) }
    self.init(
      request: request, status: head.statusCode, headers: Dictionary(headers) { $0 + $1 }, body: body,
      httpURLResponse: head)
  }

  /// - Parameter receivedAt: When a cookie's `Max-Age` begins.
  package init(
    request: any HttpRequest, status: Int, headers: [String: [String]], body: Data?,
    httpURLResponse: HTTPURLResponse?, receivedAt: Date
  ) {
    self.request = SentRequest(request)
    self.status = status
    // Names that differ only in case are one header, under the first spelling.
    var names: [String: String] = [:]
    self.headers = headers.sorted { $0.key < $1.key }.reduce(into: [:]) { kept, header in
      let lowercased = header.key.lowercased()
      let name = names[lowercased] ?? header.key
      names[lowercased] = name
      kept[name, default: []] +=
        lowercased == NetworkConstants.headerSetCookieLowercased
        ? header.value.flatMap(SetCookie.split) : header.value
    }
    self.names = names
    self.body = body
    self.receivedAt = receivedAt
    url = httpURLResponse?.url ?? request.url.flatMap { URL(string: $0) }
  }

  public func getHeader(name: String) -> String? { getHeaders(name: name)?.first }

  public func getHeaders(name: String) -> [String]? { names[name.lowercased()].flatMap { headers[$0] } }

  public func getCookies() -> [HTTPCookie] {
    guard let url else { return [] }
    return getCookieStrings().compactMap { SetCookie($0)?.cookie(for: url, receivedAt: receivedAt) }
  }

  public func getCookieStrings() -> [String] { getHeaders(name: NetworkConstants.headerSetCookie) ?? [] }

  public func bodyAsString() -> String { body.map { String(decoding: $0, as: UTF8.self) } ?? "" }
}
