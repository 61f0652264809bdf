internal import WebAddresses

/// The server and realm that issued a session. The session's token is sent to no other.
public struct SessionIssuer: Sendable, Hashable, Codable {
  /// The server's origin, such as `https://am.example.com`.
  public let origin: String
  /// The realm's path, such as `/alpha`; `/` for the root.
  public let realm: String
  /// The name of the session cookie.
  public let cookie: String

  /// Creates an issuer; the issuer of a journey's sessions is ``JourneyConfig/sessionIssuer``.
  public init(origin: String, realm: String, cookie: String) {
    self.origin = origin
    self.realm = realm
    self.cookie = cookie
  }
}

extension JourneyConfig {
  /// The issuer whose sessions this journey uses; `nil` when ``serverUrl`` is not set, or is not an address.
  public var sessionIssuer: SessionIssuer? {
    serverOrigin.map { SessionIssuer(origin: $0.description, realm: realmName, cookie: cookie) }
  }
}

extension SSOTokenImpl {
  /// Whether this is a session of `issuer`. Sessions that an earlier version stored have no issuer and are never usable.
  func isUsable(by issuer: SessionIssuer?) -> Bool {
    !value.isEmpty && self.issuer != nil && self.issuer == issuer
  }
}
