internal import Bytes
internal import Crypto
internal import OpenIDFormats

/// An authorization request that is valid for its client (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1, RFC 7636).
package struct AuthorizationRequest: Sendable, Hashable, Codable {
  package enum Prompt: String, Sendable, Hashable, Codable {
    case none, login, consent, selectAccount = "select_account"
  }

  package var clientID: String
  package var redirectURI: String
  package var scopes: [String]
  package var state: String?
  package var nonce: String?
  package var challenge: String?
  package var prompts: Set<Prompt> { sealedPrompts ?? [] }

  /// Whether the person has to sign in although they have a session.
  package var asksAgain: Bool { !prompts.isDisjoint(with: [.login, .selectAccount]) }

  /// Seconds.
  package var maxAge: Int?
  package var acrValues: [String] { sealedValues ?? [] }

  /// The `sub` of the `id_token_hint`. Only this person may complete the request.
  package var subject: String?

  /// The thumbprint of the key that the code is bound to (RFC 9449 §10).
  package var keyThumbprint: String?

  /// The redirect address of the request, which must be registered for the client.
  ///
  /// The addresses are compared by ``OpenIDClient/allowsRedirect(to:)``. Without the parameter, the client's only registered address is
  /// used.
  package static func redirectURI(
    _ parameters: [String: String], client: OpenIDClient
  ) throws(OAuthError) -> String {
    guard let uri = parameters["redirect_uri"] else {
      guard client.redirectURIs.count == 1 else {
        throw OAuthError(.invalidRequest, "The parameter redirect_uri is missing.")
      }
      return client.redirectURIs[0]
    }
    guard client.allowsRedirect(to: uri) else {
      throw OAuthError(.invalidRequest, "The redirect_uri is not one that is registered for this client.")
    }
    return uri
  }

  /// - Throws: the error to send to the client's redirect address.
  package init(_ parameters: [String: String], client: OpenIDClient, redirectURI: String) throws(OAuthError) {
    // Only the subject of the hint is kept, and tokens have a limit of their own.
    for (name, value) in parameters where value.utf8.count > 2048 && name != "id_token_hint" {
      throw OAuthError(.invalidRequest, "The parameter \(name.prefix(40)) is longer than 2048 bytes.")
    }
    guard parameters["request"] == nil else {
      throw OAuthError(.requestNotSupported, "Push the request (RFC 9126); request objects are not read.")
    }
    guard client.grants.contains(.authorizationCode) else {
      throw OAuthError(.unauthorizedClient, "The client is not registered for authorization codes.")
    }
    guard parameters["response_type"] == "code" else {
      throw OAuthError(.unsupportedResponseType, "The response_type must be code.")
    }
    guard ["query", nil].contains(parameters["response_mode"]) else {
      throw OAuthError(.invalidRequest, "The response_mode must be query.")
    }
    clientID = client.id
    self.redirectURI = redirectURI
    scopes = try Self.scopes(parameters["scope"], client: client)
    state = parameters["state"]
    nonce = parameters["nonce"]
    try readChallenge(parameters, client)
    var prompts: Set<Prompt> = []
    for word in (parameters["prompt"] ?? "").split(separator: " ") {
      guard let prompt = Prompt(rawValue: String(word)) else {
        throw OAuthError(.invalidRequest, "The prompt must be none, login, consent or select_account.")
      }
      prompts.insert(prompt)
    }
    guard !prompts.contains(.none) || prompts.count == 1 else {
      throw OAuthError(.invalidRequest, "The prompt none cannot be combined with others.")
    }
    sealedPrompts = prompts
    if let text = parameters["max_age"] {
      guard let seconds = Int(text), seconds >= 0 else {
        throw OAuthError(.invalidRequest, "The max_age must be a number of seconds.")
      }
      maxAge = seconds
    }
    sealedValues = (parameters["acr_values"] ?? "").split(separator: " ").prefix(20).map(String.init)
    keyThumbprint = parameters["dpop_jkt"]
  }

  private mutating func readChallenge(
    _ parameters: [String: String], _ client: OpenIDClient
  ) throws(OAuthError) {
    challenge = parameters["code_challenge"]
    guard let challenge else {
      guard !client.isPublic, parameters["code_challenge_method"] == nil else {
        throw OAuthError(.invalidRequest, "The parameter code_challenge is missing (RFC 7636).")
      }
      return
    }
    // Without the parameter, the method is plain, which protects nothing.
    guard parameters["code_challenge_method"] == "S256" else {
      throw OAuthError(.invalidRequest, "The code_challenge_method must be S256.")
    }
    guard Base64URL.decode(challenge)?.count == SHA256.byteCount else {
      throw OAuthError(.invalidRequest, "The code_challenge is not a SHA-256 in base64url.")
    }
  }

  /// The requested scopes, all of which must be registered for the client.
  package static func scopes(_ text: String?, client: OpenIDClient) throws(OAuthError) -> [String] {
    var scopes: [String] = []
    for word in (text ?? "").split(separator: " ") where !scopes.contains(String(word)) {
      scopes.append(String(word))
    }
    guard !scopes.isEmpty else { throw OAuthError(.invalidScope, "The parameter scope is missing.") }
    if scopes.contains(where: { !client.scopes.contains($0) }) {
      throw OAuthError(.invalidScope, "A scope is not one of those that are registered for this client.")
    }
    return scopes
  }

  /// The scopes of a client's own token. Scopes about a person are refused; without `text`, the client gets all its others.
  package static func ownScopes(_ text: String?, client: OpenIDClient) throws(OAuthError) -> [String] {
    let personal = Set(StandardClaims.scopes)
    guard let text else { return client.scopes.subtracting(personal).sorted() }
    let scopes = try scopes(text, client: client)
    guard personal.isDisjoint(with: scopes) else {
      throw OAuthError(.invalidScope, "A scope is about a person, and a client's own token is about nobody.")
    }
    return scopes
  }

  /// Whether `verifier` matches the challenge (RFC 7636 §4.6).
  package static func isVerifier(_ verifier: String?, of challenge: String?) -> Bool {
    guard let challenge else { return verifier == nil }
    guard let verifier, (43...128).contains(verifier.utf8.count),
      verifier.utf8.allSatisfy(PercentEncoding.isUnreserved)
    else { return false }
    return ConstantTime.areEqual(ProofKey(verifier: verifier).challenge.utf8, challenge.utf8)
  }

  // MARK: Sealed form

  /// Optional, because servers of earlier versions leave out empty values.
  private var sealedPrompts: Set<Prompt>?
  private var sealedValues: [String]?

  private enum CodingKeys: String, CodingKey {
    case clientID = "c", redirectURI = "u", scopes = "s", state = "st", nonce = "n", challenge = "ch",
      sealedPrompts = "p"
    case maxAge = "a", sealedValues = "acr", subject = "i", keyThumbprint = "k"
  }
}
