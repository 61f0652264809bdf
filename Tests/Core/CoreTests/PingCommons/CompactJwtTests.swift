import Foundation
import PingCommons
import ProofFixtures
import StrictJSON
import Testing

@Suite("CompactJwt")
struct CompactJwtTests {
  private let secret = Data("a shared secret of thirty-two byt".utf8).base64EncodedString()

  @Test func `a signed JWT verifies and has its claims`() throws {
    let jwt = try CompactJwt.signJwtClaims(base64Secret: secret, claims: ["sub": "mira", "n": 1, "ok": true])
    #expect(jwt.hasPrefix("eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9."))
    #expect(!jwt.contains("="))
    #expect(try CompactJwt.verifyJwtSignature(jwt, base64Secret: secret))
    let claims = try CompactJwt.parseJwtClaims(jwt)
    #expect(claims["sub"] as? String == "mira")
    #expect(claims["n"] as? Int == 1)
    #expect(claims["ok"] as? Bool == true)
    #expect(CompactJwt.canParseJwt(jwt, requiredFields: ["sub", "n"]))
    #expect(!CompactJwt.canParseJwt(jwt, requiredFields: ["exp"]))
  }

  /// RFC 7515 appendix A.1.
  @Test func `RFC 7515 vector verifies`() throws {
    let key = "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"
    let jwt =
      "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
      + "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    #expect(try CompactJwt.verifyJwtSignature(jwt, base64Secret: key.urlSafeDecoding().base64Pad()))
    #expect(try CompactJwt.parseJwtClaims(jwt)["iss"] as? String == "joe")
  }

  @Test func `another secret or changed claims do not verify`() throws {
    let jwt = try CompactJwt.signJwtClaims(base64Secret: secret, claims: ["sub": "mira"])
    #expect(try !CompactJwt.verifyJwtSignature(jwt, base64Secret: "b3RoZXI="))
    var parts = jwt.split(separator: ".").map(String.init)
    parts[1] = Base64.encodeBase64(#"{"sub":"otto"}"#)
    #expect(try !CompactJwt.verifyJwtSignature(parts.joined(separator: "."), base64Secret: secret))
    parts[2] = "AAAA"
    #expect(try !CompactJwt.verifyJwtSignature(parts.joined(separator: "."), base64Secret: secret))
  }

  @Test(arguments: ["", "not base64", "YQ", "____"])
  func `secrets are standard base64`(secret: String) {
    let error = #expect(throws: JwtError.self) {
      try CompactJwt.signJwtClaims(base64Secret: secret, claims: [:])
    }
    guard case .invalidSecret = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(arguments: ["none", "HS512", "RS256"])
  func `other algorithms are refused`(algorithm: String) {
    let jwt = Base64.encodeBase64(#"{"alg":"\#(algorithm)"}"#) + ".e30.AA"
    let error = #expect(throws: JwtError.self) {
      try CompactJwt.verifyJwtSignature(jwt, base64Secret: secret)
    }
    guard case .unsupportedAlgorithm = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(arguments: [
    "", "a", "a.b", "..", "a..c", "a.b.c.d", ".e30.", "e30.W10.AA", "e30.!.AA", "e30.eyJhIjoxLCJhIjoyfQ.AA",
    "e30.e30.!", "!.e30.AA", "e30.e30.AA=",
  ])
  func `what is no JWT is refused`(text: String) {
    #expect(!CompactJwt.canParseJwt(text))
    #expect(throws: JwtError.self) { try CompactJwt.parseJwtClaims(text) }
    #expect(throws: JwtError.self) { try CompactJwt.verifyJwtSignature(text, base64Secret: secret) }
  }

  @Test(arguments: [
    ("", "invalidFormat"), ("a", "invalidFormat"), ("a.b", "invalidFormat"), ("..", "invalidFormat"),
    ("no JWT", "invalidFormat"), ("a.b.c.d", "invalidFormat"), ("e30.!.AA", "invalidFormat"),
    ("e30.W10.AA", "invalidPayload"), ("e30.eyJhIjoxLCJhIjoyfQ.AA", "invalidPayload"),
  ])
  func `what is no JWT has another error than a JWT without claims`(text: String, expected: String) {
    let error = #expect(throws: JwtError.self) { try CompactJwt.parseJwtClaims(text) }
    #expect(error.flatMap { Mirror(reflecting: $0).children.first?.label } == expected)
  }

  @Test func `claims are read from tokens of any algorithm`() throws {
    let jwt = Base64.encodeBase64(#"{"alg":"ES512"}"#) + "." + Base64.encodeBase64(#"{"sub":"mira"}"#) + ".AA"
    #expect(try CompactJwt.parseJwtClaims(jwt)["sub"] as? String == "mira")
    #expect(CompactJwt.canParseJwt(jwt, requiredFields: ["sub"]))
  }

  @Test func `a header that demands an extension was passed over`() {
    let jwt = Base64.encodeBase64(#"{"alg":"HS256","crit":["exp"]}"#) + ".e30.AA"
    #expect(throws: JwtError.self) { try CompactJwt.verifyJwtSignature(jwt, base64Secret: secret) }
  }

  @Test func `a claim without JSON form is an error not a crash`() {
    #expect(throws: JwtError.self) {
      try CompactJwt.signJwtClaims(base64Secret: secret, claims: ["d": Date()])
    }
  }

  @Test func `a device key signs with its public key in the header`() async throws {
    let key = try KeyHolder()
    let jwt = try await CompactJwt.sign(
      claims: ["sub": "mira"], signer: key, kid: "k1", publicKey: key.publicKey)
    let token = try VerifiedToken(jwt, key: key.publicKey)
    #expect(token.header.names == ["typ", "alg", "kid", "jwk"])
    #expect(token.header["typ"] == "JWS")
    #expect(token.keyID == "k1")
    let jwk = token.header["jwk"]
    #expect(jwk?["kid"] == "k1")
    #expect(jwk?["use"] == "sig")
    #expect(jwk?["alg"] == "ES256")
    #expect(token.claims["sub"] == "mira")
  }
}
