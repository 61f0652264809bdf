internal import Bytes
internal import OpenIDFormats
internal import StrictJSON
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
  public static func parse(
    _ file: [UInt8], environment: (String) -> String?
  ) throws(IdentityProviderError) -> [IdentityProvider] {
    let json: JSONObject
    do throws(JSONError) {
      json = try JSONObject(parsing: file, limits: JSONLimits(maximumBytes: maximumFileBytes))
    } catch { throw IdentityProviderError("it is not a JSON object: \(error)") }
    var found: [(String, JSONObject)] = []
    for group in groups(of: json) {
      for (name, value) in group {
        guard let object = value.objectValue else {
          throw IdentityProviderError("the provider \(name.quoted) is not an object")
        }
        // Several trees of one export repeat the providers that they share.
        if found.contains(where: { $0.0 == name && $0.1 == object }) { continue }
        found.append((name, object))
      }
    }
    guard !found.isEmpty else { throw IdentityProviderError("it has no providers") }
    guard found.count <= maximumCount else {
      throw IdentityProviderError("it has more than \(maximumCount) providers")
    }
    var providers: [IdentityProvider] = []
    for (name, object) in found {
      guard !providers.contains(where: { $0.name == name }) else {
        throw IdentityProviderError("it has two different providers \(name.quoted)")
      }
      do { providers.append(try IdentityProvider(name, object, environment: environment)) } catch {
        throw IdentityProviderError("provider \(name.quoted): \(error.description)")
      }
    }
    return providers
  }

  private static func groups(of json: JSONObject) -> [JSONObject] {
    if json["tree"] != nil { return [json["socialIdentityProviders"]?.objectValue ?? [:]] }
    if let trees = json["trees"]?.objectValue {
      return trees.compactMap { $0.value["socialIdentityProviders"]?.objectValue }
    }
    return [json["socialIdentityProviders"]?.objectValue ?? json]
  }

  init(
    _ name: String, _ json: JSONObject, environment: (String) -> String?
  ) throws(IdentityProviderError) {
    guard (1...64).contains(name.utf8.count), name.unicodeScalars.allSatisfy(\.isFitForName) else {
      throw IdentityProviderError("the name must have 1 to 64 characters")
    }
    guard name != SelectIdPNode.localAuthentication else {
      throw IdentityProviderError("the name is reserved for signing in without a provider")
    }
    self.name = name
    let document = try Self.text("wellKnownEndpoint", in: json)
    if let issuer = try Self.text("issuer", in: json) ?? document.flatMap(Self.issuer(ofDocumentAt:)) {
      guard let origin = WebOrigin(address: issuer), origin.isConfidential,
        !issuer.contains(where: { "?#".contains($0) })
      else { throw IdentityProviderError("issuer must be an https address") }
      self.issuer = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
      origins = [origin]
    } else {
      let oauth = try Self.plainOAuth(json)
      guard let origin = WebOrigin(address: oauth.userinfoEndpoint) else {
        throw IdentityProviderError("userInfoEndpoint must be an https address")
      }
      issuer = "\(origin)#\(oauth.subjectKey)"
      origins = []
      plainOAuth = oauth
    }
    guard let clientID = try Self.text("clientId", in: json) else {
      throw IdentityProviderError("clientId is missing")
    }
    self.clientID = clientID
    clientSecret = try Self.secret(json, environment: environment)
    authentication = try Self.authentication(json, hasSecret: clientSecret != nil)
    scopes = try Self.texts("scopes", in: json) ?? (plainOAuth == nil ? ["openid", "profile", "email"] : [])
    guard plainOAuth != nil || scopes.contains("openid") else {
      throw IdentityProviderError("scopes must have openid: without it there is no ID token to verify")
    }
    redirectURI = try Self.text("redirectURI", in: json)
    if let redirectURI, !redirectURI.contains(":") {
      throw IdentityProviderError("redirectURI must be an address")
    }
    acrValues = try Self.texts("acrValues", in: json) ?? []
    uiConfig = json["uiConfig"]?.objectValue ?? [:]
    isEnabled = json["enabled"]?.boolValue ?? true
    readsUserinfo = json["userinfo"]?.boolValue ?? true
    // Google answers that the parameter is invalid.
    honoursPrompt =
      json["honoursPrompt"]?.boolValue ?? (issuer == "https://accounts.google.com" ? false : nil)
    transformation = try Self.text("transform", in: json)
    for member in [
      "wellKnownEndpoint", "authorizationEndpoint", "tokenEndpoint", "userInfoEndpoint", "jwksUriEndpoint",
    ] {
      guard let address = try Self.text(member, in: json) else { continue }
      try allow(address, named: member)
    }
    for host in try Self.texts("hosts", in: json) ?? [] {
      try allow(host.contains("://") ? host : "https://\(host)", named: "hosts")
    }
  }

  private static func plainOAuth(_ json: JSONObject) throws(IdentityProviderError) -> PlainOAuth {
    guard let authorization = try text("authorizationEndpoint", in: json),
      let token = try text("tokenEndpoint", in: json), let userinfo = try text("userInfoEndpoint", in: json),
      let key = try text("authenticationIdKey", in: json)
    else {
      throw IdentityProviderError(
        "issuer is missing; a provider of OAuth 2.0 alone needs authorizationEndpoint, tokenEndpoint, userInfoEndpoint and "
          + "authenticationIdKey"
      )
    }
    guard key.utf8.count <= 64,
      key.unicodeScalars.allSatisfy({ (0x21..<0x7F).contains($0.value) && $0 != "#" })
    else {
      throw IdentityProviderError("authenticationIdKey must be a name")
    }
    return PlainOAuth(
      authorizationEndpoint: authorization, tokenEndpoint: token, userinfoEndpoint: userinfo,
      subjectKey: key, scopeDelimiter: try text("scopeDelimiter", in: json) ?? " ")
  }

  private mutating func allow(_ address: String, named member: String) throws(IdentityProviderError) {
    guard let origin = WebOrigin(address: address), origin.isConfidential else {
      throw IdentityProviderError("\(member) must be an https address")
    }
    origins.insert(origin)
  }

  private static func issuer(ofDocumentAt address: String) -> String? {
    address.hasSuffix(ProviderMetadata.wellKnownPath)
      ? String(address.dropLast(ProviderMetadata.wellKnownPath.count)) : nil
  }

  private static func secret(
    _ json: JSONObject, environment: (String) -> String?
  ) throws(IdentityProviderError) -> ClientSecret? {
    if let variable = try text("clientSecretEnvironment", in: json) {
      guard let secret = environment(variable), !secret.isEmpty else {
        throw IdentityProviderError("the variable \(variable.quoted) has no secret")
      }
      return ClientSecret(secret)
    }
    guard let secret = try text("clientSecret", in: json) else { return nil }
    // Exports have the name of an environment secret in place of the secret.
    guard !secret.hasPrefix("&{") else {
      throw IdentityProviderError(
        "clientSecret is a placeholder: name the variable that has it in clientSecretEnvironment")
    }
    return ClientSecret(secret)
  }

  private static func authentication(
    _ json: JSONObject, hasSecret: Bool
  ) throws(IdentityProviderError) -> ClientAuthentication {
    let standard: ClientAuthentication = hasSecret ? .basic : .none
    guard let text = try text("clientAuthenticationMethod", in: json) else { return standard }
    guard let method = ClientAuthentication(rawValue: text) else {
      let known = ClientAuthentication.allCases.map(\.rawValue).joined(separator: ", ")
      throw IdentityProviderError("clientAuthenticationMethod must be one of \(known)")
    }
    guard method == .none || hasSecret else { throw IdentityProviderError("clientSecret is missing") }
    return method
  }

  private static func text(_ member: String, in json: JSONObject) throws(IdentityProviderError) -> String? {
    guard let value = json[member], !value.isNull, value != "" else { return nil }
    guard let text = value.stringValue, text.utf8.count <= 4096 else {
      throw IdentityProviderError("\(member) must be a text")
    }
    return text
  }

  private static func texts(_ member: String, in json: JSONObject) throws(IdentityProviderError) -> [String]?
  {
    guard let value = json[member], !value.isNull else { return nil }
    if let text = value.stringValue { return text.split(separator: " ").map(String.init) }
    guard let list = value.arrayValue, list.count <= 100 else {
      throw IdentityProviderError("\(member) must be a list of texts")
    }
    let texts = list.compactMap(\.stringValue)
    guard texts.count == list.count else { throw IdentityProviderError("\(member) must be a list of texts") }
    return texts
  }
}
