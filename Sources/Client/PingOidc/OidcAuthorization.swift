internal import OpenIDFormats
package import PingOrchestrate

// The authorization request and the redirect that answers it. Browsers use them here; a journey's session uses them in PingJourney.
extension OidcClientConfig {
  /// The parameters that the protocol relies on. Additional parameters never replace them.
  private static let reserved: Set<String> = [
    "client_id", "code_challenge", "code_challenge_method", "dpop_jkt", "nonce", "redirect_uri", "request",
    "request_uri",
    "response_mode",
    "response_type", "scope", "state",
  ]

  /// A GET request for a code (RFC 6749 §4.1.1, RFC 7636 §4.3, OpenID Connect Core 1.0 §3.1.2.1).
  ///
  /// - Parameter keyThumbprint: the thumbprint of the key to which the code is bound (RFC 9449 §10): ``proofKeyThumbprint()``.
  package func authorizationRequest(
    at openId: OpenIdConfiguration, pkce: Pkce, further: [String: String] = [:], keyThumbprint: String? = nil
  ) -> Request {
    let request = Request(urlString: openId.authorizationEndpoint)
    let parameters = authorizationParameters(pkce: pkce, further: further, keyThumbprint: keyThumbprint)
    for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
      request.parameter(name: name, value: value)
    }
    return request
  }

  private func authorizationParameters(
    pkce: Pkce, further: [String: String], keyThumbprint: String?
  ) -> [String: String] {
    var parameters: [String: String?] = [
      "login_hint": loginHint, "display": display, "prompt": prompt, "ui_locales": uiLocales,
      "acr_values": acrValues,
    ]
    for (name, value) in additionalParameters.merging(further, uniquingKeysWith: { $1 })
    where !Self.reserved.contains(name) { parameters[name] = value }
    parameters["response_type"] = OidcClient.Constants.code
    parameters[OidcClient.Constants.client_id] = clientId
    parameters[OidcClient.Constants.redirect_uri] = redirectUri
    parameters["scope"] = scopes.sorted().joined(separator: " ")
    parameters["state"] = state ?? pkce.state
    parameters["nonce"] = nonce ?? pkce.nonce
    parameters["code_challenge"] = pkce.codeChallenge
    parameters["code_challenge_method"] = pkce.codeChallengeMethod
    parameters["dpop_jkt"] = keyThumbprint
    return parameters.compactMapValues { $0 }
  }

  /// Returns the request for a code that a browser makes. With ``OidcClientConfig/par``, pushes the parameters first and returns an
  /// address that refers to them (RFC 9126 §4).
  ///
  /// - Throws: ``OidcError``. When the push fails, the parameters never go through the browser instead.
  package func authorizationPage(
    at openId: OpenIdConfiguration, pkce: Pkce, further: [String: String] = [:]
  ) async throws -> Request {
    let thumbprint = await proofKeyThumbprint()
    guard par else {
      return authorizationRequest(at: openId, pkce: pkce, further: further, keyThumbprint: thumbprint)
    }
    guard let endpoint = openId.pushedAuthorizationRequestEndpoint, !endpoint.isEmpty else {
      throw OidcError.authorizeError(message: "The provider accepts no pushed authorization requests (par).")
    }
    let form = authorizationParameters(pkce: pkce, further: further, keyThumbprint: thumbprint)
    let answer = try await sendForAgent(Request(sending: form, to: endpoint))
    guard [200, 201].contains(answer.status()) else {
      throw OidcError.refused(answer, by: "pushed authorization")
    }
    guard let name = (try? answer.json())?["request_uri"] as? String, !name.isEmpty else {
      throw OidcError.authorizeError(message: "The provider did not name the pushed request (request_uri).")
    }
    let request = Request(urlString: openId.authorizationEndpoint)
    request.parameter(name: OidcClient.Constants.client_id, value: clientId)
    request.parameter(name: "request_uri", value: name)
    return request
  }

  /// The thumbprint of the key that tokens are bound to; `nil` when it is not known now. The exchange needs the key itself, and fails
  /// without it.
  package func proofKeyThumbprint() async -> String? { try? await proofKey?.thumbprint() }

  /// The code in the redirect `address`, which answers the request that `pkce` was made for.
  ///
  /// - Throws: ``OidcError/authorizeError(cause:message:)`` when the redirect answers another request, is another provider's, or says
  ///   that the provider refused.
  package func code(
    in address: String, answering pkce: Pkce, at openId: OpenIdConfiguration
  ) throws(OidcError) -> String {
    do throws(OpenIDError) {
      return try AuthorizationResponse.code(
        in: address,
        expecting: AuthorizationResponse.Expectations(
          redirectURI: redirectUri, state: state ?? pkce.state, issuer: openId.issuer,
          requiresIssuer: openId.namesIssuerInResponses ?? false))
    } catch { throw OidcError.authorizeError(cause: error, message: error.reason) }
  }

  /// Returns `code` with the verifier and the nonce that its exchange needs.
  package func authCode(_ code: String, for pkce: Pkce) -> AuthCode {
    AuthCode(code: code, codeVerifier: pkce.codeVerifier, nonce: nonce ?? pkce.nonce)
  }
}
