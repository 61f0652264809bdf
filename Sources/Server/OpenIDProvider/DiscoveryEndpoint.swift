internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import JOSE
internal import ServerHTTP
internal import StrictJSON

/// Discovery for clients: `/.well-known/openid-configuration` (OpenID Connect Discovery 1.0 §4, RFC 8414) and `/connect/jwk_uri` (RFC
/// 7517).
struct DiscoveryEndpoint: Endpoint {
  let provider: OpenIDProvider

  var routes: [Route] {
    [
      Route(
        ".well-known/openid-configuration", [.get: configuration], admission: .address,
        below: "oauth2"),
      Route("connect/jwk_uri", [.get: keys], admission: .address, below: "oauth2"),
    ]
  }

  private func configuration(_ request: Request, in context: ResourceContext) -> Response {
    let issuer = provider.issuer(context)
    func texts(_ texts: some Sequence<String>) -> JSONValue { .array(texts.map(JSONValue.string)) }
    let clients = provider.file.clients
    let own = clients.all(realm: context.realm)
    // Options that no client is registered for are not offered to new ones.
    let authentications = clients.authentications(realm: context.realm)
    let methods = texts(authentications.map(\.rawValue))
    let proofs = texts(authentications.filter { $0 != .none }.map(\.rawValue))
    let algorithms = texts(clients.signingAlgorithms(realm: context.realm).map(\.rawValue))
    let acrs = Set(clients.contexts.keys).union(own.flatMap(\.contexts.keys)).sorted()
    var json: JSONObject = ["issuer": .string(issuer)]
    for (name, path) in [
      ("authorization_endpoint", "authorize"), ("token_endpoint", "access_token"),
      ("pushed_authorization_request_endpoint", "par"), ("userinfo_endpoint", "userinfo"),
      ("introspection_endpoint", "introspect"), ("revocation_endpoint", "token/revoke"),
      ("end_session_endpoint", "connect/endSession"), ("jwks_uri", "connect/jwk_uri"),
      ("backchannel_authentication_endpoint", "bc-authorize"),
      ("device_authorization_endpoint", "device/code"),
    ] { json[name] = .string("\(issuer)/\(path)") }
    json.merge([
      "response_types_supported": ["code"], "response_modes_supported": ["query"],
      "grant_types_supported": texts(OpenIDClient.Grant.allCases.map(\.rawValue)),
      "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": algorithms,
      "scopes_supported": texts(StandardClaims.scopes),
      "claims_supported": texts(
        ["sub", "iss", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr", "at_hash", "sid"]
          + StandardClaims.claims),
      "claims_parameter_supported": false, "request_parameter_supported": false,
      "request_uri_parameter_supported": false, "require_pushed_authorization_requests": false,
      "code_challenge_methods_supported": ["S256"],
      "prompt_values_supported": ["none", "login", "consent", "select_account"],
      "token_endpoint_auth_methods_supported": methods,
      "introspection_endpoint_auth_methods_supported": proofs,
      "revocation_endpoint_auth_methods_supported": methods,
      "token_endpoint_auth_signing_alg_values_supported": ["ES256", "RS256"],
      "dpop_signing_alg_values_supported": ["ES256", "RS256"],
      "authorization_response_iss_parameter_supported": true, "backchannel_logout_supported": true,
      "backchannel_logout_session_supported": true, "frontchannel_logout_supported": false,
      "backchannel_token_delivery_modes_supported": ["poll"],
      "backchannel_user_code_parameter_supported": false,
    ])
    if !acrs.isEmpty { json["acr_values_supported"] = texts(acrs) }
    return .json(json)
  }

  private func keys(_ request: Request, in context: ResourceContext) async throws -> Response {
    var keys: [JSONValue] = []
    for algorithm in provider.file.clients.signingAlgorithms(realm: context.realm) {
      keys += try await provider.keys.published(algorithm).map { .object($0.jwk.json) }
    }
    return .json(["keys": .array(keys)])
  }
}
