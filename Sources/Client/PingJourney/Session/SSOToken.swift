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
  /// Where the server would send a browser now; may be relative.
  public let successUrl: String
  /// The realm's path, such as `/alpha`.
  public let realm: String

  /// Who gave it; `nil` for one that was stored by an earlier version. Journeys send a token to its issuer only.
  public let issuer: SessionIssuer?

  /// A session that no journey uses, because it does not say who gave it.
  public convenience init(value: String, successUrl: String, realm: String) {
    self.init(value: value, successUrl: successUrl, realm: realm, issuer: nil)
  }

  /// A session that `issuer` gave.
  public init(value: String, successUrl: String, realm: String, issuer: SessionIssuer?) {
    self.value = value
    self.successUrl = successUrl
    self.realm = realm
    self.issuer = issuer
  }

  /// Everything but the token.
  public var description: String { "SSOToken(value: …, successUrl: \(successUrl), realm: \(realm))" }

  /// Shows a debugger and `dump` no more than ``description``.
  public var customMirror: Mirror { Mirror(self, children: ["successUrl": successUrl, "realm": realm]) }
}
