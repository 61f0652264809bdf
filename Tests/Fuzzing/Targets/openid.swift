import Foundation
import JOSE
import OpenIDFormats
import StrictJSON

extension FuzzTarget {
  /// What a client reads of an OpenID provider: only the fixed key's ID tokens for this client are believed, and only the redirect
  /// with this state has a code.
  static let openID = FuzzTarget(
    seeds: { seedTexts.map { Array($0.utf8) } },
    text: { text in
      let bytes = Array(text.utf8)
      if let metadata = try? ProviderMetadata(
        parsing: bytes, fetchedFrom: issuer + ProviderMetadata.wellKnownPath)
      {
        expect(ProviderMetadata.areSame(metadata.issuer, issuer), "another issuer's document is believed")
      }
      if let keys = try? SigningKeySet(parsing: bytes) {
        expect(keys.keys.count <= SigningKeySet.maximumKeys, "a key set is larger than its limit")
      }
      if let answer = try? TokenAnswer(parsing: bytes, status: 200) {
        expect(!answer.accessToken.contains { $0.isNewline || $0 == " " }, "a token breaks a header")
      }
      let expected = IDTokenExpectations(issuer: issuer, clientID: "app", nonce: "n")
      if let token = try? IDToken(text, keys: SigningKeySet([FixedKeys.jwk]), expecting: expected, now: now) {
        expect(token.subject == "ada", "an ID token is believed that nobody signed")
      }
      if let code = try? AuthorizationResponse.code(
        in: text, expecting: .init(redirectURI: "app:/cb", state: "s", issuer: issuer))
      {
        expect(text.hasPrefix("app:/cb?") && !code.isEmpty, "a redirect to another address has a code")
      }
    })

  private static let issuer = "https://op.example.com"
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  private static let seedTexts = [
    #"{"issuer":"https://op.example.com","authorization_endpoint":"https://op.example.com/a","token_endpoint":"https://op.example.com/t","jwks_uri":"https://op.example.com/k"}"#,
    JSONValue.object(["keys": [.object(FixedKeys.jwk.json)]]).text,
    #"{"access_token":"a","token_type":"Bearer","expires_in":60,"refresh_token":"r","id_token":"a.b.c"}"#,
    FixedKeys.token(
      ["alg": "ES256", "kid": "fixed"],
      [
        "iss": "https://op.example.com", "aud": "app", "sub": "ada", "nonce": "n", "exp": 1_800_000_300,
        "iat": 1_800_000_000,
      ]),
    "app:/cb?code=c&state=s&iss=https%3A%2F%2Fop.example.com", "app:/cb?error=access_denied&state=s",
  ]
}
