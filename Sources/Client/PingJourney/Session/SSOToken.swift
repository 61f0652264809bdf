public import PingOrchestrate

/// The session that a successful journey leaves.
public protocol SSOToken: Session, Codable {
  /// Where the server would send a browser now; may be relative.
  var successUrl: String { get }
  /// The realm's path, such as `/alpha`.
  var realm: String { get }
}

/// The session that a successful journey leaves. Its description leaves out the token.
public final class SSOTokenImpl: SSOToken, Sendable, Codable, CustomStringConvertible, CustomReflectable {
  /// The session token, `""` when the journey ran with `noSession`. A secret: never log it.
  public let value: String
  public let successUrl: String
  public let realm: String

  /// The session's issuer; `nil` for a session that an earlier version stored. Journeys send a token only to its issuer.
  public let issuer: SessionIssuer?

  /// A session without an issuer, which no journey uses.
  public convenience init(value: String, successUrl: String, realm: String) {
    self.init(value: value, successUrl: successUrl, realm: realm, issuer: nil)
  }

  /// A session of `issuer`.
  public init(value: String, successUrl: String, realm: String, issuer: SessionIssuer?) {
    self.value = value
    self.successUrl = successUrl
    self.realm = realm
    self.issuer = issuer
  }

  /// Everything but the token.
  public var description: String { "SSOToken(value: …, successUrl: \(successUrl), realm: \(realm))" }

  /// Without the token, for debuggers and `dump`.
  public var customMirror: Mirror { Mirror(self, children: ["successUrl": successUrl, "realm": realm]) }
}
