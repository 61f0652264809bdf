import Bytes
import Foundation
import JOSE
import OpenIDFormats
import OpenIDProvider
import StrictJSON
import Testing

@Suite("The file of OpenID Connect clients") struct OpenIDClientsTests {
  private static let secretHash = Base64URL.encode([UInt8](repeating: 7, count: 32))

  private static let web: JSONObject = [
    "client_id": "web", "client_secret_sha256": .string(secretHash),
    "redirect_uris": ["https://web.example.com/cb"],
  ]

  private func read(_ clients: JSONObject..., with more: JSONObject = [:]) throws -> OpenIDClients {
    var file = more
    file["clients"] = .array(clients.map(JSONValue.object))
    return try OpenIDClients(parsing: file.serialized)
  }

  private func fault(_ change: JSONObject) -> String? {
    var client = Self.web
    for (name, value) in change { client[name] = value.isNull ? nil : value }
    do {
      _ = try read(client)
      return nil
    } catch { return "\(error)" }
  }

  @Test func `a client has what its file says, and safe defaults`() throws {
    let clients = try read(Self.web)
    let web = try #require(clients.client("web", realm: "ALPHA"))
    #expect(web.authentication == .clientSecretBasic && web.realm == "alpha" && web.requiresConsent)
    #expect(web.scopes == ["openid"] && web.accessTokenFormat == .jwt && web.grants.count == 2)
    #expect(clients.client("web", realm: "root") == nil && clients.client("WEB", realm: "alpha") == nil)
    #expect(try OpenIDClients(parsing: Array(#"{"clients":[]}"#.utf8)).all.isEmpty)
  }

  @Test func `RS256 and a secret in the form are a client's own choice, and offered in its realm alone`()
    throws
  {
    var old = Self.web
    old.merge([
      "client_id": "old", "id_token_signed_response_alg": "RS256",
      "token_endpoint_auth_method": "client_secret_post",
    ])
    let clients = try read(Self.web, old)
    let web = try #require(clients.client("web", realm: "alpha"))
    #expect(web.idTokenAlgorithm == .es256 && web.authentication == .clientSecretBasic)
    let read = try #require(clients.client("old", realm: "alpha"))
    #expect(read.idTokenAlgorithm == .rs256 && read.authentication == .clientSecretPost)
    #expect(clients.signingAlgorithms(realm: "ALPHA") == [.es256, .rs256])
    #expect(clients.authentications(realm: "ALPHA").contains(.clientSecretPost))
    #expect(clients.signingAlgorithms(realm: "root") == [.es256])
    #expect(!clients.authentications(realm: "root").contains(.clientSecretPost))
  }

  @Test(arguments: [
    ("http://127.0.0.1:49152/cb", true), ("http://127.0.0.1:1/cb", true), ("http://127.0.0.1/cb", true),
    ("http://127.0.0.1:8080/fixed", true), ("http://127.0.0.1:8081/fixed", false),
    ("http://127.0.0.1:0/cb", false), ("http://127.0.0.1:080/cb", false), ("http://127.0.0.1:+80/cb", false),
    ("http://127.0.0.1:65536/cb", false), ("http://127.0.0.1:/cb", false),
    ("http://127.0.0.1:80/cb/x", false),
    ("http://127.0.0.1:80/cb?x=1", false), ("http://127.0.0.1:80@evil.example.com/cb", false),
    ("https://127.0.0.1:80/cb", false), ("http://localhost:80/cb", false), ("http://127.0.0.2:80/cb", false),
    ("http://[::1]:49152/six", true), ("http://[::1]/six", true), ("http://[::1]:80/cb", false),
    ("http://127.0.0.1:80/six", false), ("http://[::2]:80/six", false), ("http://[::1]:0/six", false),
    ("http://[::1].example.com:80/six", false), ("http://[::1]:80@evil.example.com/six", false),
    ("https://web.example.com:444/cb", false), ("https://web.example.com/cb", true),
  ])
  func `a loopback address without a port stands for any port, and nothing else for anything`(
    uri: String, isAllowed: Bool
  ) throws {
    var app = Self.web
    app["redirect_uris"] = [
      "http://127.0.0.1/cb", "http://127.0.0.1:8080/fixed", "https://web.example.com/cb", "http://[::1]/six",
    ]
    let client = try #require(try read(app).client("web", realm: "alpha"))
    #expect(client.allowsRedirect(to: uri) == isAllowed)
    let found = try? AuthorizationRequest.redirectURI(["redirect_uri": uri], client: client)
    #expect(found == (isAllowed ? uri : nil))
  }

  @Test(arguments: [
    "http://web.example.com/cb", "https://web.example.com/cb#x", "javascript:alert(1)", "data:text/html,x",
    "javascript://web.example.com/%0aalert(1)", "JavaScript:/cb", "data:/text", "file:///etc/passwd",
    "vbscript:/x", "view-source://x", "intent://x", "blob:/x", "ws://web.example.com/", "ftp://x/", "c:/cb",
    "web+app://cb", "ms-settings:/x", "chrome-extension://x/", "urn:ietf:wg:oauth:2.0:oob", "frauth:cb",
    "frauth:", "1app:/cb", "fr_auth:/cb", ":/cb", "frauth://oauth2redirect#x",
    "https://user@web.example.com/", "/cb", "https://web example.com/", "",
    "https://bücher.example/cb",
  ])
  func `redirect addresses lead to the client or nowhere`(uri: String) {
    #expect(fault(["redirect_uris": [.string(uri)]])?.contains("redirect_uris") == true)
    #expect(fault(["post_logout_redirect_uris": [.string(uri)]]) != nil)
  }

  @Test(arguments: [
    "https://web.example.com/cb?x=1", "http://localhost:8080/cb", "http://127.0.0.1:1/",
    "com.example.app:/cb", "frauth://oauth2redirect", "frauth:/oauth2redirect", "my-app+1:/cb",
  ])
  func `addresses that may be registered`(uri: String) {
    #expect(fault(["redirect_uris": [.string(uri)]]) == nil)
  }

  @Test func `a scheme without a dot was refused: it is taken with a warning`() throws {
    var app = Self.web
    app["redirect_uris"] = ["FRAuth://oauth2redirect", "frauth://other", "com.example.app:/cb"]
    app["post_logout_redirect_uris"] = ["frout:/bye", "https://web.example.com/bye"]
    let warnings = try read(app).warnings
    #expect(warnings.count == 2)
    #expect(warnings.first?.contains("web: redirect_uris: the scheme frauth has no dot") == true)
    #expect(warnings.last?.contains("web: post_logout_redirect_uris: the scheme frout") == true)
    #expect(try read(Self.web).warnings.isEmpty)
  }

  @Test func `what is wrong is said with the client and the member`() throws {
    for (change, word) in [
      (["dpop_bound_acess_tokens": true], "dpop_bound_acess_tokens"),
      (["token_endpoint_auth_method": "client_secret_jwt"], "token_endpoint_auth_method"),
      (
        ["token_endpoint_auth_method": "client_secret_post", "client_secret_sha256": .null],
        "client_secret_sha256"
      ),
      (["id_token_signed_response_alg": "HS256"], "id_token_signed_response_alg"),
      (["id_token_signed_response_alg": "none"], "id_token_signed_response_alg"),
      (["token_endpoint_auth_method": "none"], "token_endpoint_auth_method"),
      (["token_endpoint_auth_method": "private_key_jwt"], "jwks"),
      (["client_secret_sha256": "secret"], "client_secret_sha256"),
      (["client_secret_sha256": .null], "client_secret"),
      (["grant_types": ["implicit"]], "grant_types"), (["redirect_uris": []], "redirect_uris"),
      (["access_token_lifetime": 5], "access_token_lifetime"), (["require_consent": "no"], "require_consent"),
      (["backchannel_logout_uri": "http://web.example.com/out"], "backchannel_logout_uri"),
      (["jwks": ["keys": [["kty": "oct", "k": "AAAA"]]]], "jwks"),
      (["access_token_format": "saml"], "format"),
    ] as [(JSONObject, String)] {
      let text = fault(change)
      #expect(text?.contains(word) == true && text?.contains("web") == true, "\(text ?? "no fault")")
    }
    #expect(fault(["client_id": "a b"]) != nil)
    #expect(fault(["client_id": "a:b"]) != nil)
    let ciba: JSONValue = "urn:openid:params:grant-type:ciba"
    #expect(
      fault(["client_secret_sha256": .null, "token_endpoint_auth_method": "none", "grant_types": [ciba]])
        != nil)
    #expect(throws: JSONFault.self) { try read(Self.web, Self.web) }
    #expect(throws: JSONFault.self) { try read(Self.web, with: ["client": []]) }
    for text in ["", "[]", "{}", #"{"clients":{}}"#, #"{"clients":[1]}"#, #"{"clients":[],"clients":[]}"#] {
      #expect(throws: JSONFault.self) { try OpenIDClients(parsing: Array(text.utf8)) }
    }
  }

  @Test func `the example of RFC 7636 (appendix B)`() {
    let (verifier, challenge) = (
      "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    )
    #expect(AuthorizationRequest.isVerifier(verifier, of: challenge))
    #expect(!AuthorizationRequest.isVerifier(nil, of: challenge))
    // A verifier for a request without a challenge is a mix-up (RFC 9700 §2.1.1).
    #expect(!AuthorizationRequest.isVerifier(verifier, of: nil))
    #expect(AuthorizationRequest.isVerifier(nil, of: nil))
    #expect(!AuthorizationRequest.isVerifier(challenge, of: challenge))
    #expect(!AuthorizationRequest.isVerifier(String(repeating: "a", count: 129), of: challenge))
  }

  @Test func `at_hash of OpenID Connect Core's example (appendix A.3)`() {
    #expect(
      IDToken.halfHash(of: "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y", .rs256) == "77QmUPtjPfzWtF2AnpK9RQ")
  }

  @Test func `claims are those of the scopes, of texts that are there`() {
    let identity: JSONObject = [
      "cn": ["Ada Lovelace", "Ada"], "givenName": "Ada", "sn": "",
      "mail": ["ada@example.com", "b@example.com"],
      "username": "ada", "city": "London", "password": "secret",
    ]
    #expect(StandardClaims.claims(of: ["openid"], identity: identity).isEmpty)
    #expect(
      StandardClaims.claims(of: ["profile", "email", "address"], identity: identity) == [
        "name": "Ada Lovelace", "given_name": "Ada", "preferred_username": "ada", "email": "ada@example.com",
        "email_verified": false,
        "address": ["locality": "London"],
      ])
  }
}
