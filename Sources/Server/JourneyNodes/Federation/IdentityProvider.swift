public import Bytes
public import StrictJSON
package import WebAddresses

/// A provider by which people may sign in here, as the operator has configured it: of OpenID Connect, or of OAuth 2.0 alone.
public struct IdentityProvider: Sendable {
  /// How the server authenticates to the provider as its client (OpenID Connect Core 1.0 §9).
  public enum ClientAuthentication: String, Sendable, CaseIterable {
    case basic = "CLIENT_SECRET_BASIC"
    case post = "CLIENT_SECRET_POST"
    /// A public client: PKCE alone.
    case none = "NONE"
  }

  /// What journeys call it, such as `google`.
  public var name: String

  /// The issuer in people's links, beside their subject. Of a provider of OAuth 2.0 alone it is the origin that says who they are, and the
  /// member that identifies them, behind a `#`, which no issuer has.
  public var issuer: String
  public var clientID: String
  /// `nil` for a public client.
  public var clientSecret: ClientSecret?
  public var authentication: ClientAuthentication
  public var scopes: [String]
  /// Where the provider sends the person back to; must be registered there. `nil` is the login page of this server.
  public var redirectURI: String?
  public var acrValues: [String]
  /// How pages show the provider: label, colours, icon. As configured.
  public var uiConfig: JSONObject
  public var isEnabled: Bool
  /// Whether the userinfo endpoint is asked for claims that the ID token has not.
  public var readsUserinfo: Bool
  /// `true`: the operator vouches that the provider asks people again when it is told to (`prompt=login`), although it does not say when
  /// they signed in (`auth_time`). `false`: it takes no `prompt=login`.
  public var honoursPrompt: Bool?
  /// The id of the script, in the journey's file, that makes a normalized profile of the claims; `nil` for the standard claims.
  public var transformation: String?
  /// Where it is asked; `nil` for OpenID providers, which say so themselves.
  package var plainOAuth: PlainOAuth?
  /// The only servers that are called for it: the issuer's, and those that the configuration names.
  package var origins: Set<WebOrigin>

  /// Whether requests may go to `address`.
  package func allows(_ address: String) -> Bool {
    WebOrigin(address: address).map(origins.contains) ?? false
  }
}

/// A provider without OpenID Connect: its userinfo endpoint says who came back, for the access token that this server got for the code
/// (RFC 6749 §4.1). The answer is not signed, so it is trusted because of its connection.
package struct PlainOAuth: Sendable {
  package var authorizationEndpoint: String
  package var tokenEndpoint: String
  package var userinfoEndpoint: String

  /// The member of the userinfo that identifies a person for good: `id`, `sub`.
  package var subjectKey: String

  /// The separator of scopes: a blank in the standard, a comma at some providers.
  package var scopeDelimiter: String
}

/// The secret of this server as a client. Never printed.
public struct ClientSecret: Sendable, Redacted {
  private let text: String

  public init(_ text: String) { self.text = text }

  func reveal() -> String { text }
}

/// The providers of each realm.
public struct IdentityProviders: Sendable {
  private var providers: [String: [IdentityProvider]]

  /// - Parameter providers: by realm; those of `""` are for every realm.
  public init(_ providers: [String: [IdentityProvider]] = [:]) { self.providers = providers }

  public var isEmpty: Bool { providers.values.allSatisfy(\.isEmpty) }

  /// The enabled ones of `realm`, by name. A realm's own comes before one of the same name for all.
  public func all(in realm: String) -> [IdentityProvider] {
    let own = providers[realm] ?? []
    let names = Set(own.map(\.name))
    return (own + (providers[""] ?? []).filter { !names.contains($0.name) })
      .filter(\.isEnabled).sorted { $0.name < $1.name }
  }

  /// The enabled ones, for each realm that has providers of its own, and for all others.
  var byRealm: [[IdentityProvider]] { Set(providers.keys).union([""]).sorted().map { all(in: $0) } }

  public func provider(_ name: String, in realm: String) -> IdentityProvider? {
    all(in: realm).first { $0.name.hasSameBytes(as: name) }
  }

  /// Adds the providers of a file, for `realm` or, with `""`, for all.
  public mutating func add(_ more: [IdentityProvider], realm: String) throws(JSONFault) {
    for provider in more {
      guard providers[realm]?.contains(where: { $0.name == provider.name }) != true else {
        throw JSONFault("the provider \(provider.name.quoted) is configured twice")
      }
      providers[realm, default: []].append(provider)
    }
  }
}
