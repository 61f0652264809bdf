internal import Bytes
internal import OpenIDFormats
public import StrictJSON
internal import WebAddresses

extension IdentityProvider {
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
    guard name != SelectIdPNode.localAuthentication else {
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
    // Google answers that the parameter is invalid.
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
