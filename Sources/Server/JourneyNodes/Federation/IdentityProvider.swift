public import Bytes
internal import OpenIDFormats
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

  /// The issuer that people's links name beside their subject. For a provider of OAuth 2.0 alone: the origin of its userinfo endpoint, a
  /// `#`, which no issuer has, and the member that identifies people.
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
  /// Whether the userinfo endpoint is asked for claims that the ID token does not have.
  public var readsUserinfo: Bool
  /// `true`: the operator vouches that the provider asks people again when it is told to (`prompt=login`), although it does not say when
  /// they signed in (`auth_time`). `false`: it takes no `prompt=login`.
  public var honoursPrompt: Bool?
  /// The id of the script, in the journey's file, that makes a normalized profile of the claims; `nil` for the standard claims.
  public var transformation: String?
  /// The endpoints of a provider of OAuth 2.0 alone; `nil` for OpenID providers, which publish theirs.
  package var plainOAuth: PlainOAuth?
  /// The only servers that are called for the provider: the issuer's, and those that the configuration names.
  package var origins: Set<WebOrigin>

  /// Whether requests may go to `address`.
  package func allows(_ address: String) -> Bool {
    WebOrigin(address: address).map(origins.contains) ?? false
  }
}

/// A provider without OpenID Connect. Its userinfo endpoint says who came back, for the access token that this server got for the code (RFC
/// 6749 §4.1). The answer is not signed; it is trusted because of its connection.
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

  /// The enabled providers of `realm`, by name. A realm's own provider replaces one of the same name for all realms.
  public func all(in realm: String) -> [IdentityProvider] {
    let own = providers[realm] ?? []
    let names = Set(own.map(\.name))
    return (own + (providers[""] ?? []).filter { !names.contains($0.name) })
      .filter(\.isEnabled).sorted { $0.name < $1.name }
  }

  /// The enabled providers of each realm that has its own, and those of all other realms.
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

extension IdentityProvider {
  /// What the client answers to sign in without a provider.
  static let localAuthentication = "localAuthentication"

  /// The largest file of providers, in bytes; an export of journeys may be one.
  public static let maximumFileBytes = 16 << 20
  private static let maximumCount = 100

  /// Reads providers from a file: an object of providers by name, or an export of journeys, whose members
  /// `socialIdentityProviders` are used.
  ///
  /// A provider has the members of the platform's exports: `issuer` or `wellKnownEndpoint`, `clientId`, `clientSecret`,
  /// `clientAuthenticationMethod`, `scopes`, `redirectURI`, `acrValues`, `enabled`, `uiConfig`, `transform`; and ours:
  /// `clientSecretEnvironment`, the name of a variable that has the secret, `hosts`, further servers that the provider uses, and
  /// `userinfo`, false to ask for no more claims than the ID token's; `honoursPrompt`, see ``honoursPrompt``. A provider of OAuth 2.0 alone
  /// has no issuer, but `authorizationEndpoint`, `tokenEndpoint`, `userInfoEndpoint`, `authenticationIdKey`, and perhaps `scopeDelimiter`.
  ///
  /// - Parameter environment: the value of a variable.
  /// - Throws: `JSONFault` with the path of what is wrong.
  public static func parse(
    _ file: [UInt8], environment: (String) -> String?
  ) throws(JSONFault) -> [IdentityProvider] {
    let document = try JSONReader(
      parsing: file, limits: JSONLimits(maximumBytes: maximumFileBytes),
      rules: JSONReader.Rules(skipsBlanks: true))
    var found: [(name: String, value: JSONReader)] = []
    for group in try groups(of: document) {
      // Several trees of one export repeat the providers that they share.
      for (name, value) in try group.members()
      where !found.contains(where: { $0.name == name && $0.value.value == value.value }) {
        found.append((name, try value.object()))
      }
    }
    guard !found.isEmpty else { throw document.wrong("it has no providers") }
    guard found.count <= maximumCount else {
      throw document.wrong("it has more than \(maximumCount) providers")
    }
    var providers: [IdentityProvider] = []
    for (name, value) in found {
      guard !providers.contains(where: { $0.name == name }) else {
        throw value.wrong("it has two different providers \(name.quoted)")
      }
      providers.append(try IdentityProvider(name, value, environment: environment))
    }
    return providers
  }

  private static func groups(of document: JSONReader) throws(JSONFault) -> [JSONReader] {
    if let trees = document["trees"] {
      return try trees.members(atMost: .max).compactMap { $0.value["socialIdentityProviders"] }
    }
    return document["socialIdentityProviders"].map { [$0] } ?? (document["tree"] == nil ? [document] : [])
  }

  init(
    _ name: String, _ json: JSONReader, environment: (String) -> String?
  ) throws(JSONFault) {
    guard (1...64).contains(name.utf8.count), name.unicodeScalars.allSatisfy(\.isFitForName) else {
      throw json.wrong("the name must have 1 to 64 characters")
    }
    guard name != Self.localAuthentication else {
      throw json.wrong("the name is reserved for signing in without a provider")
    }
    self.name = name
    let document = try json["wellKnownEndpoint"]?.text()
    if let issuer = try json["issuer"]?.text() ?? document.flatMap(Self.issuer(ofDocumentAt:)) {
      guard let origin = WebOrigin(address: issuer), origin.isConfidential,
        !issuer.contains(where: { "?#".contains($0) })
      else { throw json.wrong("issuer", "must be an https address") }
      self.issuer = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
      origins = [origin]
    } else {
      let oauth = try Self.plainOAuth(json)
      guard let origin = WebOrigin(address: oauth.userinfoEndpoint) else {
        throw json.wrong("userInfoEndpoint", "must be an https address")
      }
      issuer = "\(origin)#\(oauth.subjectKey)"
      origins = []
      plainOAuth = oauth
    }
    clientID = try json.member("clientId").text()
    clientSecret = try Self.secret(json, environment: environment)
    authentication =
      try json["clientAuthenticationMethod"]?.choice() ?? (clientSecret == nil ? .none : .basic)
    guard authentication == .none || clientSecret != nil else {
      throw json.wrong("clientSecret", "is missing")
    }
    scopes =
      try json["scopes"]?.words() ?? (plainOAuth == nil ? ["openid", "profile", "email"] : [])
    guard plainOAuth != nil || scopes.contains("openid") else {
      throw json.wrong("scopes", "must have openid: without it there is no ID token to verify")
    }
    redirectURI = try json["redirectURI"]?.text()
    if let redirectURI, !redirectURI.contains(":") { throw json.wrong("redirectURI", "must be an address") }
    acrValues = try json["acrValues"]?.words() ?? []
    uiConfig = json["uiConfig"]?.value.objectValue ?? [:]
    isEnabled = json["enabled"]?.value.boolValue ?? true
    readsUserinfo = json["userinfo"]?.value.boolValue ?? true
    // Google rejects `prompt=login` as invalid.
    honoursPrompt =
      json["honoursPrompt"]?.value.boolValue ?? (issuer == "https://accounts.google.com" ? false : nil)
    transformation = try json["transform"]?.text()
    for member in [
      "wellKnownEndpoint", "authorizationEndpoint", "tokenEndpoint", "userInfoEndpoint", "jwksUriEndpoint",
    ] {
      guard let address = json[member] else { continue }
      try allow(try address.text(), address)
    }
    for host in try json["hosts"]?.words() ?? [] {
      try allow(host.contains("://") ? host : "https://\(host)", json.member("hosts"))
    }
  }

  private static func plainOAuth(_ json: JSONReader) throws(JSONFault) -> PlainOAuth {
    guard let authorization = try json["authorizationEndpoint"]?.text(),
      let token = try json["tokenEndpoint"]?.text(), let userinfo = try json["userInfoEndpoint"]?.text(),
      let key = try json["authenticationIdKey"]?.text()
    else {
      throw json.wrong(
        "issuer",
        "is missing; a provider of OAuth 2.0 alone needs authorizationEndpoint, tokenEndpoint, userInfoEndpoint and "
          + "authenticationIdKey"
      )
    }
    guard key.utf8.count <= 64,
      key.unicodeScalars.allSatisfy({ (0x21..<0x7F).contains($0.value) && $0 != "#" })
    else { throw json.wrong("authenticationIdKey", "must be a name") }
    return PlainOAuth(
      authorizationEndpoint: authorization, tokenEndpoint: token, userinfoEndpoint: userinfo,
      subjectKey: key, scopeDelimiter: try json["scopeDelimiter"]?.text() ?? " ")
  }

  private mutating func allow(_ address: String, _ place: JSONReader) throws(JSONFault) {
    guard let origin = WebOrigin(address: address), origin.isConfidential else {
      throw place.wrong("must be an https address")
    }
    origins.insert(origin)
  }

  private static func issuer(ofDocumentAt address: String) -> String? {
    address.hasSuffix(ProviderMetadata.wellKnownPath)
      ? String(address.dropLast(ProviderMetadata.wellKnownPath.count)) : nil
  }

  private static func secret(
    _ json: JSONReader, environment: (String) -> String?
  ) throws(JSONFault) -> ClientSecret? {
    if let variable = try json["clientSecretEnvironment"]?.text() {
      guard let secret = environment(variable), !secret.isEmpty else {
        throw json.wrong("clientSecretEnvironment", "the variable \(variable.quoted) has no secret")
      }
      return ClientSecret(secret)
    }
    guard let secret = try json["clientSecret"]?.text() else { return nil }
    // Exports have the name of an environment secret in place of the secret.
    guard !secret.hasPrefix("&{") else {
      throw json.wrong(
        "clientSecret", "is a placeholder: name the variable that has it in clientSecretEnvironment")
    }
    return ClientSecret(secret)
  }
}

extension JSONReader {
  /// A list of texts, or one text with spaces between them.
  fileprivate func words() throws(JSONFault) -> [String] {
    if let text = value.stringValue { return text.split(separator: " ").map(String.init) }
    return try texts()
  }
}
