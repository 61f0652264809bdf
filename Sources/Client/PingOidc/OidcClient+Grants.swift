internal import Bytes
internal import Foundation
internal import JOSE
internal import OpenIDFormats
internal import PingLogger
internal import PingOrchestrate
internal import PingStorage
internal import StrictJSON

// The requests that carry tokens and codes. Functions that store tokens are called while the tokens' mutex is held.
extension OidcClient {
  /// Exchanges a code (RFC 6749 §4.1.3, RFC 7636 §4.5), verifies the ID token and stores the tokens.
  func exchange(_ code: AuthCode) async throws -> Token {
    guard !code.code.isEmpty else { throw OidcError(.missingAuthCode) }
    var form = [
      Constants.grant_type: Constants.authorization_code, Constants.code: code.code,
      Constants.redirect_uri: config.redirectUri, Constants.client_id: config.clientId,
    ]
    form[Constants.code_verifier] = code.codeVerifier
    return try await store(try await grant(form), nonce: code.nonce ?? config.nonce)
  }

  /// Verifies the ID token of an answer to a sign-in, and stores the tokens.
  func store(_ answer: TokenAnswer, nonce: String?) async throws -> Token {
    if let idToken = answer.idToken {
      _ = try await config.verified(
        idToken, nonce: nonce, subject: nil, accessToken: answer.accessToken)
    } else if config.scopes.contains("openid") {
      throw OidcError.authorizeError(message: "The provider sent no ID token, although openid was asked for.")
    }
    let token = Token(answer, replacing: nil, by: config)
    try await config.storage.save(item: token)
    return token
  }

  /// Exchanges a refresh token (RFC 6749 §6), and stores the new tokens in place of `old`.
  func renew(_ refreshToken: String, replacing old: Token?) async throws -> Token {
    let answer = try await grant([
      Constants.grant_type: Constants.refresh_token, Constants.refresh_token: refreshToken,
      Constants.client_id: config.clientId,
    ])
    if let idToken = answer.idToken {
      _ = try await config.verified(
        idToken, nonce: nil, subject: old?.idToken.flatMap(Self.subject), accessToken: answer.accessToken)
    }
    let token = Token(answer, replacing: old, by: config)
    try await config.storage.save(item: token)
    return token
  }

  private func grant(_ form: [String: String]) async throws -> TokenAnswer {
    let answer = try await tokenResponse(to: form)
    do throws(OpenIDError) {
      return try read(answer)
    } catch { throw OidcError(error, in: answer) }
  }

  /// Sends `form` to the token endpoint and returns the answer, whatever its status.
  func tokenResponse(to form: [String: String]) async throws -> HttpResponse {
    let endpoint = try await config.provider().tokenEndpoint
    return try await config.sendProving(maximumBytes: TokenAnswer.maximumBytes) {
      Request(sending: form, to: endpoint)
    }
  }

  func read(_ answer: HttpResponse) throws(OpenIDError) -> TokenAnswer {
    try TokenAnswer(parsing: answer.data, status: answer.status(), isBound: config.proofKey != nil)
  }

  /// Revokes the refresh token, and with it the access tokens. Without a refresh token, revokes the access token (RFC 7009 §2.1).
  func revoke(_ token: Token) async throws {
    let endpoint = try await config.provider().revocationEndpoint
    guard !endpoint.isEmpty else { return config.logger.w("The provider cannot revoke tokens", error: nil) }
    let request = Request(urlString: endpoint)
    request.form(formData: [
      Constants.client_id: config.clientId, Constants.token: token.refreshToken ?? token.accessToken,
    ])
    let answer = try await config.send(request, maximumBytes: TokenAnswer.maximumBytes)
    guard (200..<300).contains(answer.status()) else { throw OidcError.refused(answer, by: "revocation") }
  }

  func userinfo(with token: Token) async throws -> UserInfo {
    let endpoint = try await config.provider().userinfoEndpoint
    guard !endpoint.isEmpty else {
      throw OidcError.unknown(message: "The provider has no userinfo endpoint.")
    }
    let answer = try await config.sendProving(
      accessToken: token.accessToken, tokenType: token.tokenType ?? "Bearer",
      maximumBytes: Self.largestUserInfo
    ) { Request(urlString: endpoint) }
    guard answer.status() == 200 else { throw OidcError.refused(answer, by: "userinfo") }
    let claims: JSONObject
    do throws(JSONError) {
      claims = try JSONObject(parsing: answer.data, limits: JSONLimits(maximumBytes: Self.largestUserInfo))
    } catch { throw OidcError.unknown(cause: error, message: "The claims are not a JSON object.") }
    if let subject = token.idToken.flatMap(Self.subject),
      claims["sub"]?.stringValue?.hasSameBytes(as: subject) != true
    {
      throw OidcError.authorizeError(message: "The claims are about another person than the ID token (sub).")
    }
    return Dictionary(claims.map { ($0.name, $0.value.sendableValue) }) { $1 }
  }

  /// The largest userinfo answer that is read, in bytes.
  private static let largestUserInfo = 1 << 20

  /// The subject of an ID token that was verified when it was stored.
  private static func subject(of idToken: String) -> String? {
    guard
      let payload = try? UnverifiedJWS.payload(
        of: idToken, limits: JWSLimits(maximumBytes: IDToken.maximumBytes))
    else { return nil }
    return (try? JSONObject(parsing: payload))?["sub"]?.stringValue
  }
}

extension Token {
  /// The tokens of an answer. Values that a renewal does not mention stay: the refresh token, the ID token and the scope (RFC 6749 §6).
  init(_ answer: TokenAnswer, replacing old: Token?, by config: OidcClientConfig) {
    self.init(
      accessToken: answer.accessToken, tokenType: answer.tokenType, scope: answer.scope ?? old?.scope,
      expiresIn: answer.expiresIn ?? 0, refreshToken: answer.refreshToken ?? old?.refreshToken,
      idToken: answer.idToken ?? old?.idToken, issuedAt: config.now())
    owner = config.tokenOwner
    session = config.sessionDigest ?? old?.session
  }
}

extension JSONValue {
  /// The value in the form in which apps receive claims.
  fileprivate var sendableValue: any Sendable {
    switch self {
    case .null: String?.none
    case .bool(let value): value
    case .integer(let value): Int(exactly: value) ?? Double(value)
    case .number(let value): value
    case .string(let value): value
    case .array(let values): values.map(\.sendableValue)
    case .object(let object):
      Dictionary(object.map { ($0.name, $0.value.sendableValue) }) { $1 } as [String: any Sendable]
    }
  }
}
