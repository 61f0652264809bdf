internal import Bytes
internal import Concurrency
internal import Crypto
package import Foundation
internal import JOSE
package import StrictJSON

/// An OpenID provider in the test's process: discovery, keys, authorization, token, userinfo, revocation, end of session. It keeps to
/// the standards, and a test says where it lies.
package final class FakeOpenIDProvider: Sendable {
  package struct Request: Sendable {
    package var method: String
    package var url: String
    /// Names in lower case.
    package var headers: [String: String] = [:]
    package var body = ""

    package init(_ method: String = "GET", _ url: String, headers: [String: String] = [:], body: String = "")
    {
      (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
    }

    package var path: String { String(url.prefix { $0 != "?" }) }
    package var query: [String: String] { Self.items(String(url.drop { $0 != "?" }.dropFirst())) }
    package var form: [String: String] { Self.items(body) }

    static func items(_ text: String) -> [String: String] {
      var items: [String: String] = [:]
      for item in text.split(separator: "&") {
        let pair = item.split(separator: "=", maxSplits: 1).map { PercentEncoding.decode($0) ?? "" }
        items[pair.first ?? ""] = pair.count == 2 ? pair[1] : ""
      }
      return items
    }
  }

  package struct Answer: Sendable {
    package var status = 200
    package var headers: [String: String] = [:]
    package var body = ""

    package init(_ status: Int = 200, _ body: String = "", headers: [String: String] = [:]) {
      (self.status, self.headers, self.body) = (status, headers, body)
    }
  }

  /// Where it differs from an honest one.
  package struct Behaviour: Sendable {
    package var metadata: @Sendable (inout JSONObject) -> Void = { _ in }
    package var claims: @Sendable (inout JSONObject) -> Void = { _ in }
    package var idToken: @Sendable (String) -> String? = { $0 }
    package var tokens: @Sendable (inout JSONObject) -> Void = { _ in }
    /// Takes the place of the answer to requests for a path with this ending.
    package var instead: [String: Answer] = [:]
    /// The parameters of the redirect with a code.
    package var redirect: @Sendable (inout [String: String]) -> Void = { _ in }
    /// Whether proofs need the server's nonce.
    package var asksForProofNonce = false
    /// The answer to a device that asks.
    package var device: JSONObject = [
      "device_code": "device-1", "user_code": "BCDF-GHJK",
      "verification_uri": "https://am.example.com/device",
      "verification_uri_complete": "https://am.example.com/device?user_code=BCDF-GHJK", "expires_in": 600,
      "interval": 5,
    ]
    /// What the device's question of that number, from 1, is refused with; `nil` gives it tokens.
    package var deviceRefusal: @Sendable (Int) -> Answer? = { _ in nil }
    package var userinfo: JSONObject = ["sub": "ada", "name": "Ada"]
  }

  private struct Grant: Sendable {
    var nonce: String?
    var challenge: String?
    var redirectURI: String
  }

  private struct State: Sendable {
    var behaviour = Behaviour()
    var requests: [Request] = []
    var grants: [String: Grant] = [:]
    var pushed: [String: [String: String]] = [:]
    var counter = 0
    var key = P256.Signing.PrivateKey()
    var keyID = "k1"
    var revoked: [String] = []
    /// The thumbprint of the proofs' key, once there was one.
    var thumbprint: String?
  }

  package let issuer: String
  package let now: @Sendable () -> Date
  private let state = Locked(State())

  package init(
    issuer: String = "https://am.example.com/am/oauth2/realms/root/realms/alpha",
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.issuer = issuer
    self.now = now
  }

  package var discoveryEndpoint: String { issuer + "/.well-known/openid-configuration" }
  package var requests: [Request] { state.withLock { $0.requests } }
  package var revoked: [String] { state.withLock { $0.revoked } }
  package func requests(_ end: String) -> [Request] { requests.filter { $0.path.hasSuffix(end) } }
  package func lie(_ change: @Sendable (inout Behaviour) -> Void) { state.withLock { change(&$0.behaviour) } }

  /// Signs with a new key from now on, and publishes only that.
  package func rotate() {
    state.withLock { state in
      state.key = P256.Signing.PrivateKey()
      state.keyID += "+"
    }
  }

  package func answer(_ request: Request) async throws -> Answer {
    state.withLock { $0.requests.append(request) }
    let behaviour = state.withLock { $0.behaviour }
    for (end, answer) in behaviour.instead where request.path.hasSuffix(end) { return answer }
    switch request.path.dropFirst(issuer.count) {
    case "/.well-known/openid-configuration": return metadata(behaviour)
    case "/connect/jwk_uri": return try keys()
    case "/par": return push(request)
    case "/authorize": return authorize(request, behaviour)
    case "/access_token": return try await token(request, behaviour)
    case "/device/code": return Answer(200, JSONValue.object(behaviour.device).text)
    case "/userinfo": return try userinfo(request, behaviour)
    case "/token/revoke":
      state.withLock { $0.revoked.append(request.form["token"] ?? "") }
      return Answer(200)
    case "/connect/endSession": return Answer(request.query["id_token_hint"] == nil ? 400 : 204)
    default: return Answer(404, "{}")
    }
  }

  private func metadata(_ behaviour: Behaviour) -> Answer {
    var json: JSONObject = [
      "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorize"),
      "token_endpoint": .string(issuer + "/access_token"), "userinfo_endpoint": .string(issuer + "/userinfo"),
      "end_session_endpoint": .string(issuer + "/connect/endSession"),
      "revocation_endpoint": .string(issuer + "/token/revoke"),
      "jwks_uri": .string(issuer + "/connect/jwk_uri"),
      "device_authorization_endpoint": .string(issuer + "/device/code"),
      "pushed_authorization_request_endpoint": .string(issuer + "/par"),
    ]
    behaviour.metadata(&json)
    return Answer(200, JSONValue.object(json).text)
  }

  private func keys() throws -> Answer {
    let (key, id) = state.withLock { ($0.key, $0.keyID) }
    let jwk = try JWK(p256X963: [UInt8](key.publicKey.x963Representation), keyID: id)
    // A key that nobody here understands belongs into every set.
    let set: JSONObject = ["keys": [["kty": "OKP", "crv": "Ed25519", "x": "AA"], .object(jwk.json)]]
    return Answer(200, JSONValue.object(set).text)
  }

  /// Each pushed request is good once (RFC 9126 §4).
  private func push(_ request: Request) -> Answer {
    let name = state.withLock { state in
      state.counter += 1
      let name = "urn:ietf:params:oauth:request_uri:\(state.counter)"
      state.pushed[name] = request.form
      return name
    }
    return Answer(201, #"{"request_uri":"\#(name)","expires_in":60}"#)
  }

  private func authorize(_ request: Request, _ behaviour: Behaviour) -> Answer {
    var query = request.query
    if let name = query["request_uri"] {
      guard let pushed = state.withLock({ $0.pushed.removeValue(forKey: name) }),
        pushed["client_id"] == query["client_id"]
      else { return Answer(400, #"{"error":"invalid_request_uri"}"#) }
      query = pushed
    }
    let asked = query
    let code = state.withLock { state in
      state.counter += 1
      let code = "code-\(state.counter)"
      state.grants[code] = Grant(
        nonce: asked["nonce"], challenge: asked["code_challenge"], redirectURI: asked["redirect_uri"] ?? "")
      return code
    }
    var parameters = ["code": code, "state": query["state"] ?? ""]
    behaviour.redirect(&parameters)
    let text = parameters.sorted { $0.key < $1.key }
      .map { "\(PercentEncoding.encode($0.key))=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
    return Answer(302, headers: ["Location": "\(query["redirect_uri"] ?? "")?\(text)"])
  }

  private func token(_ request: Request, _ behaviour: Behaviour) async throws -> Answer {
    if let refusal = try proofRefusal(request, accessToken: nil, behaviour) { return refusal }
    let form = request.form
    var nonce: String?
    switch form["grant_type"] {
    case "authorization_code":
      guard let grant = state.withLock({ $0.grants.removeValue(forKey: form["code"] ?? "") }),
        grant.challenge == ProofHash.of(form["code_verifier"] ?? ""),
        grant.redirectURI == form["redirect_uri"]
      else { return Answer(400, #"{"error":"invalid_grant"}"#) }
      nonce = grant.nonce
    case "urn:ietf:params:oauth:grant-type:device_code":
      guard form["device_code"] == "device-1" else { return Answer(400, #"{"error":"invalid_grant"}"#) }
      if let refusal = behaviour.deviceRefusal(requests("/access_token").count) { return refusal }
      state.withLock { $0.counter += 1 }
    case "refresh_token":
      let current = state.withLock { "refresh-\($0.counter)" }
      guard form["refresh_token"] == current else { return Answer(400, #"{"error":"invalid_grant"}"#) }
      state.withLock { $0.counter += 1 }
    default: return Answer(400, #"{"error":"unsupported_grant_type"}"#)
    }
    let count = state.withLock { $0.counter }
    var tokens: JSONObject = [
      "access_token": .string("access-\(count)"), "refresh_token": .string("refresh-\(count)"),
      "token_type": request.headers["dpop"] == nil ? "Bearer" : "DPoP", "expires_in": 60,
      "scope": "openid",
    ]
    let idToken = try await idToken(
      nonce: nonce, client: form["client_id"] ?? "", accessToken: "access-\(count)", behaviour)
    tokens["id_token"] = behaviour.idToken(idToken).map { .string($0) }
    behaviour.tokens(&tokens)
    return Answer(200, JSONValue.object(tokens).text)
  }

  private func idToken(
    nonce: String?, client: String, accessToken: String, _ behaviour: Behaviour
  ) async throws -> String {
    let time = Int64(now().timeIntervalSince1970)
    var claims: JSONObject = [
      "iss": .string(issuer), "sub": "ada", "aud": .string(client), "iat": .integer(time),
      "exp": .integer(time + 300), "at_hash": .string(ProofHash.half(of: accessToken)),
    ]
    claims["nonce"] = nonce.map { .string($0) }
    behaviour.claims(&claims)
    let (key, id) = state.withLock { ($0.key, $0.keyID) }
    return try await JWS.compact(
      header: JWSHeader(algorithm: .es256, type: "JWT", keyID: id), claims: claims,
      signer: P256Signer(privateKey: key))
  }

  private func userinfo(_ request: Request, _ behaviour: Behaviour) throws -> Answer {
    let parts = (request.headers["authorization"] ?? "").split(separator: " ").map(String.init)
    guard parts.count == 2, parts[1] == state.withLock({ "access-\($0.counter)" }) else {
      return Answer(401, "{}")
    }
    let isBound = state.withLock { $0.thumbprint != nil }
    guard parts[0] == (isBound ? "DPoP" : "Bearer") else { return Answer(401, "{}") }
    if isBound, let refusal = try proofRefusal(request, accessToken: parts[1], behaviour) { return refusal }
    return Answer(200, JSONValue.object(behaviour.userinfo).text)
  }

  /// Checks the proof of a request (RFC 9449 §4.3), if it has one; `nil` when it is right, or need not be there.
  private func proofRefusal(
    _ request: Request, accessToken: String?, _ behaviour: Behaviour
  ) throws -> Answer? {
    guard let proof = request.headers["dpop"] else {
      return state.withLock { $0.thumbprint != nil } ? Answer(401, #"{"error":"invalid_token"}"#) : nil
    }
    let token = try UnverifiedJWS(compact: proof)
    let key = try JWK(json: token.header.jwk ?? [:])
    let claims = try token.verified(with: VerificationKey(key), allowing: [.es256]).claims()
    let known = state.withLock { state in
      if state.thumbprint == nil { state.thumbprint = key.thumbprint }
      return state.thumbprint
    }
    let isRight =
      token.header.type == "dpop+jwt" && claims["htm"]?.stringValue == request.method
      && claims["htu"]?.stringValue == request.path && known == key.thumbprint
      && claims["ath"]?.stringValue == accessToken.map(ProofHash.of) && claims["jti"] != nil
    guard isRight else { return Answer(401, #"{"error":"invalid_dpop_proof"}"#) }
    let nonce = accessToken == nil ? "nonce-a" : "nonce-b"
    guard !behaviour.asksForProofNonce || claims["nonce"]?.stringValue == nonce else {
      return Answer(
        accessToken == nil ? 400 : 401, #"{"error":"use_dpop_nonce"}"#,
        headers: ["DPoP-Nonce": nonce, "WWW-Authenticate": #"DPoP error="use_dpop_nonce""#])
    }
    return nil
  }
}

/// The hashes of the standards.
package enum ProofHash {
  /// `code_challenge` and `ath`.
  package static func of(_ text: String) -> String { Base64URL.encode(SHA256.hash(data: Array(text.utf8))) }
  /// `at_hash` for ES256.
  package static func half(of text: String) -> String {
    Base64URL.encode(Array(SHA256.hash(data: Array(text.utf8))).prefix(16))
  }
}
