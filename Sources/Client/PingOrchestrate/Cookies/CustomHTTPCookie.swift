public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A cookie in a form that can be stored.
public struct CustomHTTPCookie: Codable, Sendable {
  public var version: Int
  public var name: String?
  public var value: String?
  public var expiresDate: Date?
  public var isSessionOnly: Bool
  /// The domain. With a leading dot the cookie also applies to every host below it, without one only to that host.
  public var domain: String?
  public var path: String?
  public var isSecure: Bool
  public var isHTTPOnly: Bool
  public var comment: String?
  public var commentURL: URL?
  public var portList: [Int]?
  public var sameSitePolicy: String?

  /// Copies the properties of `cookie`.
  public init(from cookie: HTTPCookie) {
    version = cookie.version
    name = cookie.name
    value = cookie.value
    expiresDate = cookie.expiresDate
    isSessionOnly = cookie.expiresDate == nil
    domain = cookie.domain
    path = cookie.path
    isSecure = cookie.isSecure
    isHTTPOnly = cookie.isHTTPOnly
    comment = cookie.comment
    commentURL = cookie.commentURL
    portList = cookie.portList?.map(\.intValue)
    sameSitePolicy = cookie.properties?[HTTPCookiePropertyKey("SameSite")] as? String
  }

  /// The cookie; `nil` without a name, a value, a domain or a path.
  public func toHTTPCookie() -> HTTPCookie? {
    guard let name, let value, let domain, let path else { return nil }
    var properties: [HTTPCookiePropertyKey: Any] = [
      .name: name, .value: value, .domain: domain, .path: path, .version: String(version),
    ]
    if let expiresDate { properties[.expires] = expiresDate }
    if isSessionOnly { properties[.discard] = "TRUE" }
    if isSecure { properties[.secure] = "TRUE" }
    if isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
    if let comment { properties[.comment] = comment }
    if let commentURL { properties[.commentURL] = commentURL }
    if let portList { properties[.port] = portList.map(String.init).joined(separator: ",") }
    if let sameSitePolicy { properties[HTTPCookiePropertyKey("SameSite")] = sameSitePolicy }
    return HTTPCookie(properties: properties)
  }
}
