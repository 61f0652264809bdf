import Bytes
import OpenIDFormats
import Foundation
import JOSE
import StrictJSON

extension FuzzTarget {
  /// What OpenID Connect clients send: forms, assertions and proofs of keys, of which only those of the fixed key hold; and the file
  /// of clients.
  static let openIDProvider = FuzzTarget(
    seeds: { tokens.map { Array($0.utf8) } },
    text: { text in
      if let form = try? FormParameters.parse(text) {
        let again = PercentEncoding.form(form)
        expect((try? FormParameters.parse(again)) == form, "a form changes")
      }
      _ = try? OpenIDClients(parsing: Array(text.utf8))
      _ = ClientAssertion.claimedClient(text)
      let address = "https://id.example/am/oauth2/access_token"
      if let client,
        (try? ClientAssertion(verifying: text, client: client, audiences: [address], now: now)) != nil
      {
        let payload = try? UnverifiedJWS(compact: text).payload
        expect(payload == clientAssertion.serialized, "an assertion was accepted that nobody signed")
      }
      if let proof = try? DPoPProof.verify(text, method: "POST", url: address, now: now) {
        let header = try? UnverifiedJWS(compact: text).header
        expect((try? JWK(json: header?.jwk ?? [:]))?.thumbprint == proof.thumbprint, "a proof of another key")
      }
    })

  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  private static let clients: JSONObject = [
    "clients": [
      [
        "client_id": "fixed", "token_endpoint_auth_method": "private_key_jwt",
        "jwks": ["keys": [.object(FixedKeys.jwk.json)]], "redirect_uris": ["https://a.example/cb"],
      ]
    ]
  ]
  private static let client = try? OpenIDClients(parsing: clients.serialized).client("fixed", realm: "alpha")

  private static let clientAssertion: JSONObject = [
    "iss": "fixed", "sub": "fixed", "aud": "https://id.example/am/oauth2/access_token", "jti": "1",
    "exp": 1_800_000_060,
  ]

  private static let tokens = [
    FixedKeys.token(["alg": "ES256"], clientAssertion),
    FixedKeys.token(
      ["alg": "ES256", "typ": "dpop+jwt", "jwk": .object(FixedKeys.jwk.json)],
      [
        "jti": "1", "htm": "POST", "htu": "https://id.example/am/oauth2/access_token", "iat": 1_800_000_000,
      ]),
  ]
}
