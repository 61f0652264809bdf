internal import Bytes
internal import Concurrency
internal import Foundation
internal import OpenIDFormats
internal import StrictJSON

/// This server as a client of providers. It calls the servers that the configuration names and no others.
final class ProviderClient: Sendable {
  private struct Known: Sendable {
    let metadata: ProviderMetadata
    let time: Date
  }

  /// The claims about a person that a provider has signed, or sent over a connection to it.
  struct Person: Sendable {
    let subject: String
    let claims: JSONObject

    /// When they proved themselves to the provider, as it has signed it (`auth_time`); `nil` when it does not say.
    var authenticatedAt: Date?
  }

  /// What a sign-in keeps until the answer comes, sealed in the journey.
  struct Flow: Sendable, Codable {
    let provider: String
    let state: String
    let nonce: String
    let verifier: String
    let redirectURI: String

    /// Whether the provider is to ask the person again, although they are signed in there.
    let isForced: Bool

    var proofKey: ProofKey { ProofKey(verifier: verifier) }

    private enum CodingKeys: String, CodingKey {
      case provider, state, nonce, verifier, redirectURI = "redirectUri", isForced = "forced"
    }
  }

  /// How long a provider's documents are cached. Seconds.
  private static let documentLifetime: TimeInterval = 3600
  private static let largestClaims = 256 << 10

  /// A `max_age` for which nobody is asked again. It makes the provider say when the person signed in (OpenID Connect Core 1.0 §3.1.2.1).
  /// Seconds: a year.
  private static let longestAge = 365 * 86_400

  private let transport: any ProviderTransport
  private let clock: @Sendable () -> Date
  private let documents = Locked<[String: Known]>([:])
  private let keys = Locked<[String: ProviderKeys]>([:])

  init(transport: any ProviderTransport, clock: @escaping @Sendable () -> Date) {
    self.transport = transport
    self.clock = clock
  }

  /// The address to send the person to.
  func authorization(at provider: IdentityProvider, _ flow: Flow) async throws -> String {
    var parameters = [
      "response_type": "code", "client_id": provider.clientID, "redirect_uri": flow.redirectURI,
      "scope": provider.scopes.joined(separator: provider.plainOAuth?.scopeDelimiter ?? " "),
      "state": flow.state, "code_challenge": flow.proofKey.challenge,
      "code_challenge_method": ProofKey.method,
    ]
    let endpoint: String
    if let oauth = provider.plainOAuth {
      endpoint = oauth.authorizationEndpoint
    } else {
      endpoint = try await metadata(of: provider).authorizationEndpoint
      parameters["nonce"] = flow.nonce
      parameters["max_age"] = flow.isForced ? "0" : String(Self.longestAge)
    }
    // Plain OAuth 2.0 has no such parameter.
    if flow.isForced, provider.honoursPrompt ?? (provider.plainOAuth == nil) {
      parameters["prompt"] = "login"
    }
    if !provider.acrValues.isEmpty { parameters["acr_values"] = provider.acrValues.joined(separator: " ") }
    return endpoint + (endpoint.contains("?") ? "&" : "?") + PercentEncoding.form(parameters)
  }

  /// The person who came back by the redirect, with `parameters`.
  func person(
    at provider: IdentityProvider, answering parameters: [String: String], _ flow: Flow
  ) async throws -> Person {
    let metadata = provider.plainOAuth == nil ? try await metadata(of: provider) : nil
    let code = try AuthorizationResponse.code(
      of: parameters,
      expecting: AuthorizationResponse.Expectations(
        redirectURI: flow.redirectURI, state: flow.state, issuer: metadata?.issuer,
        requiresIssuer: metadata?.namesIssuerInResponses ?? false))
    return try await person(at: provider, code: code, verifier: flow.proofKey.verifier, flow)
  }

  /// Identifies the person by a code, which is exchanged for an ID token.
  ///
  /// - Parameter verifier: `nil` for an app that has asked by itself, and bound the code to the nonce only.
  func person(
    at provider: IdentityProvider, code: String, verifier: String?, _ flow: Flow
  ) async throws -> Person {
    if let oauth = provider.plainOAuth {
      guard let verifier else { throw Self.notForApps(provider) }
      let tokens = try await tokens(
        at: oauth.tokenEndpoint, of: provider, code: code, verifier: verifier, flow)
      return try await person(at: provider, oauth, accessToken: tokens.accessToken)
    }
    let metadata = try await metadata(of: provider)
    let tokens = try await tokens(
      at: metadata.tokenEndpoint, of: provider, code: code, verifier: verifier, flow)
    guard let idToken = tokens.idToken else {
      throw ProviderFailure("the provider sent no ID token")
    }
    let token = try await verified(idToken, at: provider, nonce: flow.nonce, accessToken: tokens.accessToken)
    var claims = token.claims
    if provider.readsUserinfo, let address = metadata.userinfoEndpoint {
      let more = try await userinfo(at: address, of: provider, accessToken: tokens.accessToken)
      guard more["sub"]?.stringValue?.hasSameBytes(as: token.subject) == true else {
        throw ProviderFailure("the provider's claims are about another person than its ID token (sub)")
      }
      // Signed claims take precedence.
      for (name, value) in more where claims[name] == nil { claims[name] = value }
    }
    return Person(subject: token.subject, claims: claims, authenticatedAt: authenticationTime(token))
  }

  /// When the person signed in (`auth_time`); never later than now, because a provider's clock may be ahead.
  private func authenticationTime(_ token: IDToken) -> Date? {
    guard let seconds = token.claims["auth_time"]?.doubleValue, seconds.isFinite, seconds >= 0 else {
      return nil
    }
    return min(Date(timeIntervalSince1970: seconds), clock())
  }

  /// The current time of the clock that all verification here uses.
  var now: Date { clock() }

  /// The person of an access token that this server has just got for a code: another app's token never comes here.
  private func person(
    at provider: IdentityProvider, _ oauth: PlainOAuth, accessToken: String
  ) async throws -> Person {
    let claims = try await userinfo(at: oauth.userinfoEndpoint, of: provider, accessToken: accessToken)
    let value = claims[oauth.subjectKey]
    guard let subject = value?.stringValue ?? value?.integerValue.map({ String($0) }),
      (1...255).contains(subject.utf8.count)
    else { throw ProviderFailure("the provider's userinfo has no \(oauth.subjectKey.quoted)") }
    return Person(subject: subject, claims: claims)
  }

  private static func notForApps(_ provider: IdentityProvider) -> ProviderFailure {
    ProviderFailure(
      "apps cannot sign in by themselves at \(provider.name.quoted): it has no ID tokens, and nothing says which app its access tokens are for"
    )
  }

  private func tokens(
    at endpoint: String, of provider: IdentityProvider, code: String, verifier: String?, _ flow: Flow
  ) async throws -> TokenAnswer {
    var form = [
      "grant_type": "authorization_code", "code": code, "redirect_uri": flow.redirectURI,
      "client_id": provider.clientID,
    ]
    form["code_verifier"] = verifier
    var headers = [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")]
    if let secret = provider.clientSecret?.reveal() {
      switch provider.authentication {
      case .basic:
        // Both parts are form-encoded first (RFC 6749 §2.3.1).
        let credentials = "\(PercentEncoding.encode(provider.clientID)):\(PercentEncoding.encode(secret))"
        headers.append(("Authorization", "Basic " + PaddedBase64.encode(Array(credentials.utf8))))
      case .post: form["client_secret"] = secret
      case .none: break
      }
    }
    let answer = try await send(
      ProviderRequest(
        method: "POST", url: endpoint, headers: headers, body: Array(PercentEncoding.form(form).utf8)),
      to: provider, limit: TokenAnswer.maximumBytes)
    return try TokenAnswer(parsing: answer.body, status: answer.status)
  }

  /// The person of an ID token that an app has got by itself.
  func person(at provider: IdentityProvider, idToken: String, nonce: String) async throws -> Person {
    guard provider.plainOAuth == nil else { throw Self.notForApps(provider) }
    let token = try await verified(idToken, at: provider, nonce: nonce, accessToken: nil)
    return Person(subject: token.subject, claims: token.claims, authenticatedAt: authenticationTime(token))
  }

  private func verified(
    _ idToken: String, at provider: IdentityProvider, nonce: String, accessToken: String?
  ) async throws -> IDToken {
    let metadata = try await metadata(of: provider)
    let cache = keys.withLock { keys in
      if let known = keys[metadata.jwksURI] { return known }
      let new = ProviderKeys()
      keys[metadata.jwksURI] = new
      return new
    }
    let expected = IDTokenExpectations(
      issuer: metadata.issuer, clientID: provider.clientID, nonce: nonce, accessToken: accessToken,
      algorithms: metadata.idTokenAlgorithms)
    return try await cache.verify(idToken, expecting: expected, now: clock()) {
      try await self.get("keys", at: metadata.jwksURI, of: provider, limit: SigningKeySet.maximumBytes)
    }
  }

  private func userinfo(
    at address: String, of provider: IdentityProvider, accessToken: String
  ) async throws -> JSONObject {
    let body = try await get(
      "userinfo", at: address, headers: [("Authorization", "Bearer \(accessToken)")], of: provider,
      limit: Self.largestClaims)
    do throws(JSONError) {
      return try JSONObject(
        parsing: body, limits: JSONLimits(maximumBytes: Self.largestClaims, maximumDepth: 16))
    } catch { throw ProviderFailure("the provider's userinfo is not a JSON object: \(error)") }
  }

  private func metadata(of provider: IdentityProvider) async throws -> ProviderMetadata {
    let now = clock()
    if let known = documents.withLock({ $0[provider.issuer] }),
      (0..<Self.documentLifetime).contains(now.timeIntervalSince(known.time))
    {
      return known.metadata
    }
    let address = provider.issuer + ProviderMetadata.wellKnownPath
    let body = try await get(
      "document", at: address, of: provider, limit: ProviderMetadata.maximumBytes)
    let metadata = try ProviderMetadata(parsing: body, fetchedFrom: address, issuer: provider.issuer)
    let addresses = [
      metadata.authorizationEndpoint, metadata.tokenEndpoint, metadata.jwksURI, metadata.userinfoEndpoint,
    ]
    for address in addresses.compactMap({ $0 }) where !provider.allows(address) {
      throw ProviderFailure(
        "the provider uses the server of \(address.quoted); add it to hosts if that is right")
    }
    documents.withLock { $0[provider.issuer] = Known(metadata: metadata, time: now) }
    return metadata
  }

  /// The body of a document; throws for any status except 200.
  private func get(
    _ what: String, at address: String, headers: [(name: String, value: String)] = [],
    of provider: IdentityProvider, limit: Int
  ) async throws -> [UInt8] {
    let request = ProviderRequest(method: "GET", url: address, headers: headers)
    let answer = try await send(request, to: provider, limit: limit)
    guard answer.status == 200 else {
      throw ProviderFailure("the provider's \(what): HTTP \(answer.status)")
    }
    return answer.body
  }

  private func send(
    _ request: ProviderRequest, to provider: IdentityProvider, limit: Int
  ) async throws -> ProviderAnswer {
    guard provider.allows(request.url) else {
      throw ProviderFailure("\(request.url.quoted) is not a server of the provider")
    }
    return try await transport.send(request, limit: limit)
  }
}

/// A provider, or the way to it, does not work. One sentence for the operator.
struct ProviderFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Sends requests to identity providers: over HTTP in the server, to a double in tests.
public protocol ProviderTransport: Sendable {
  /// Sends the request and returns the answer, whatever its status. Follows no redirects.
  ///
  /// - Parameter limit: the largest answer, in bytes; a larger one is an error.
  func send(_ request: ProviderRequest, limit: Int) async throws -> ProviderAnswer
}

/// A request to a provider.
public struct ProviderRequest: Sendable {
  public var method: String
  public var url: String
  public var headers: [(name: String, value: String)]
  public var body: [UInt8]?
}

/// A provider's answer.
public struct ProviderAnswer: Sendable {
  public var status: Int
  public var body: [UInt8]

  public init(status: Int, body: [UInt8]) {
    self.status = status
    self.body = body
  }
}

/// A provider cannot be reached, or does not answer. The person may try again later.
public struct ProviderUnreachable: Error, CustomStringConvertible {
  /// Why, for the operator.
  public let reason: String

  public init(reason: String) { self.reason = reason }

  public var description: String { "the provider cannot be reached: \(reason)" }
}
