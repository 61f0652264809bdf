internal import Bytes
internal import Crypto
internal import HTTPTypes
internal import Hummingbird
internal import ServerHTTP

/// The browser in which an authorization request waits for a sign-in, known by a cookie of its own.
///
/// The request waits in an address that anybody could pass on, so it continues only in the browser where it began.
struct WaitingBrowser: Sendable {
  /// The cookie's value.
  private let text: String
  private let name: String

  /// Whether the browser does not have the cookie yet.
  let isNew: Bool

  /// 256 bits in base64url.
  private static let length = 43

  /// How long browsers keep the cookie after a request: longer than requests wait. Seconds.
  private static let lifetime = 2 * Int(AuthorizeEndpoint.patience)

  init(new text: String, _ sessions: SessionAuthority) {
    (self.text, name, isNew) = (text, Self.name(sessions), true)
  }

  /// The browser that sent `request`; `nil` when it has no such cookie.
  init?(_ request: Request, _ sessions: SessionAuthority) {
    let name = Self.name(sessions)
    guard let value = request.cookies[name]?.value, value.utf8.count == Self.length,
      Base64URL.decode(value) != nil
    else { return nil }
    (text, self.name, isNew) = (value, name, false)
  }

  /// The cookie's name. It is for this host alone if the session's cookie is, so that a sibling host cannot set either.
  private static func name(_ sessions: SessionAuthority) -> String {
    (sessions.cookieName.lowercased().hasPrefix("__host-") ? "__Host-" : "") + "sealring-authorize"
  }

  /// The hash by which a sealed request names the browser.
  var mark: String { Base64URL.encode(Array(SHA256.hash(data: Array("sealring authorize \(text)".utf8)))) }

  func isNamed(by mark: String?) -> Bool {
    mark.map { ConstantTime.areEqual($0.utf8, self.mark.utf8) } ?? false
  }

  /// The answer, with the cookie when the browser does not have it yet.
  func named(in response: Response, _ attributes: CookieAttributes) -> Response {
    guard isNew else { return response }
    var response = response
    response.add(cookie: attributes.setting(name, to: text, lifetime: Self.lifetime))
    return response
  }
}
