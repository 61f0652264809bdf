import Bytes
import Crypto
import OpenIDFormats
import Foundation
import JOSE
import StrictJSON
import Testing

@Suite("Proofs of possession (RFC 9449)")
struct DPoPProofTests {
  private static let now = Date(timeIntervalSince1970: 1_750_000_000)
  private static let url = "https://am.example.com/am/oauth2/realms/root/realms/alpha/access_token"

  private let key = TestKey()

  private func proof(
    method: String = "POST", url: String = Self.url, token: String? = nil, nonce: String? = nil,
    id: String = "id-1"
  ) async throws -> String {
    try await DPoPProof.make(
      method: method, url: url, accessToken: token, nonce: nonce, at: Self.now, id: id, signer: key)
  }

  private func refusal(
    _ proof: String, method: String = "POST", url: String = Self.url, token: String? = nil,
    nonces: [String] = [], after seconds: TimeInterval = 0
  ) -> DPoPError.Code? {
    do throws(DPoPError) {
      _ = try DPoPProof.verify(
        proof, method: method, url: url, accessToken: token, nonces: nonces,
        now: Self.now.addingTimeInterval(seconds))
      return nil
    } catch { return error.code }
  }

  // MARK: The specification's examples

  private static let header =
    "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoR"
    + "jQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19"

  @Test func `the example of a token request (§4.1)`() throws {
    let proof =
      Self.header
      + ".eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0"
      + "IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg"
    let verified = try DPoPProof.verify(
      proof, method: "POST", url: "https://server.example.com/token",
      now: Date(timeIntervalSince1970: 1_562_262_616))
    #expect(verified.thumbprint == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
    #expect(verified.id == "-BwC3ESc6acc2lTc")
  }

  @Test func `the example of a protected resource (§7.1)`() throws {
    let proof =
      Self.header
      + ".eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9wcm90ZWN0ZWRy"
      + "ZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtzbVFFbyJ9.2oW9RP35yR"
      + "qzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA"
    let token = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"
    #expect(DPoPProof.hash(ofToken: token) == "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")
    _ = try DPoPProof.verify(
      proof, method: "GET", url: "https://resource.example.org/protectedresource", accessToken: token,
      now: Date(timeIntervalSince1970: 1_562_262_618))
  }

  // MARK: Made and verified

  @Test func `a proof holds for its request, and names its key`() async throws {
    let proof = try await proof(token: "token", nonce: "nonce")
    let verified = try DPoPProof.verify(
      proof, method: "POST", url: Self.url, accessToken: "token", nonces: ["older", "nonce"], now: Self.now)
    #expect(verified.thumbprint == key.publicKey.thumbprint)
    #expect(verified.expiry == Self.now.addingTimeInterval(60))
    let header = try UnverifiedJWS(compact: proof).header
    #expect(header.json.names == ["typ", "alg", "jwk"])
    #expect(header.jwk?.names == ["kty", "crv", "x", "y"])
  }

  @Test func `what two proofs use up differs by id and by key`() async throws {
    func replayKey(_ proof: String) throws -> [UInt8] {
      try DPoPProof.verify(proof, method: "POST", url: Self.url, now: Self.now).replayKey
    }
    let first = try replayKey(await proof())
    #expect(try replayKey(await proof()) == first)
    #expect(try replayKey(await proof(id: "id-2")) != first)
    let other = try await DPoPProof.make(
      method: "POST", url: Self.url, at: Self.now, id: "id-1", signer: TestKey())
    #expect(try replayKey(other) != first)
  }

  @Test func `another method, address or time is refused`() async throws {
    let proof = try await proof()
    #expect(refusal(proof) == nil)
    #expect(refusal(proof, method: "GET") == .otherRequest)
    #expect(refusal(proof, url: Self.url + "/") == .otherRequest)
    #expect(refusal(proof, url: "http" + Self.url.dropFirst(5)) == .otherRequest)
    #expect(refusal(proof, after: 60) == nil)
    #expect(refusal(proof, after: 61) == .outOfTime)
    #expect(refusal(proof, after: -61) == .outOfTime)
  }

  @Test(arguments: [
    ("HTTPS://AM.example.com:443/a", true), ("https://am.example.com/a?x=1#y", true),
    ("https://am.example.com/A", false), ("https://am.example.com:8443/a", false),
    ("https://am.example.com/a/../a", false), ("https://user@am.example.com/a", false), ("/a", false),
  ])
  func `addresses are compared normalised`(url: String, isSame: Bool) async throws {
    let proof = try await proof(url: url)
    #expect((refusal(proof, url: "https://am.example.com/a") == nil) == isSame)
  }

  @Test func `another token, or a token where there is none, is refused`() async throws {
    let bound = try await proof(token: "token")
    #expect(refusal(bound, token: "token") == nil)
    #expect(refusal(bound, token: "other") == .otherToken)
    #expect(refusal(bound) == .otherToken)
    #expect(refusal(try await proof(), token: "token") == .otherToken)
  }

  @Test func `a nonce that is asked for must be there`() async throws {
    #expect(refusal(try await proof(), nonces: ["n"]) == .wrongNonce)
    #expect(refusal(try await proof(nonce: "m"), nonces: ["n"]) == .wrongNonce)
    #expect(refusal(try await proof(nonce: "n"), nonces: ["n"]) == nil)
  }

  // MARK: Not proofs

  private func token(
    type: String? = "dpop+jwt", jwk: JSONObject?, claims: JSONObject, algorithm: String = "ES256"
  ) async throws -> String {
    var header: JSONObject = ["alg": .string(algorithm)]
    header["typ"] = type.map { .string($0) }
    header["jwk"] = jwk.map { .object($0) }
    let input = Base64URL.encode(header.serialized) + "." + Base64URL.encode(claims.serialized)
    return input + "." + Base64URL.encode(try key.signature(for: Array(input.utf8)))
  }

  private var claims: JSONObject {
    [
      "jti": "id", "htm": "POST", "htu": .string(Self.url),
      "iat": .integer(Int64(Self.now.timeIntervalSince1970)),
    ]
  }

  @Test func `other types, algorithms, keys and claims are refused`() async throws {
    let jwk = key.publicKey.json
    #expect(refusal(try await token(jwk: jwk, claims: claims)) == nil)
    #expect(refusal(try await token(type: "JWT", jwk: jwk, claims: claims)) == .malformed)
    #expect(refusal(try await token(type: nil, jwk: jwk, claims: claims)) == .malformed)
    #expect(refusal(try await token(jwk: nil, claims: claims)) == .malformed)
    #expect(refusal(try await token(jwk: TestKey().publicKey.json, claims: claims)) == .malformed)
    for algorithm in ["none", "HS256", "RS256"] {
      #expect(refusal(try await token(jwk: jwk, claims: claims, algorithm: algorithm)) == .malformed)
    }
    var secret = jwk
    secret["d"] = "AAAA"
    #expect(refusal(try await token(jwk: secret, claims: claims)) == .malformed)
    for name in claims.names {
      var some = claims
      some[name] = nil
      #expect(refusal(try await token(jwk: jwk, claims: some)) == .malformed)
      some[name] = .bool(true)
      #expect(refusal(try await token(jwk: jwk, claims: some)) == .malformed)
    }
    var long = claims
    long["jti"] = .string(String(repeating: "x", count: 257))
    #expect(refusal(try await token(jwk: jwk, claims: long)) == .malformed)
    #expect(refusal(String(repeating: "a", count: 20 << 10)) == .malformed)
    #expect(refusal("") == .malformed)
  }
}

private struct TestKey: DPoPSigner {
  private let key = P256.Signing.PrivateKey()
  let publicKey: JWK

  init() {
    // A key that the library has made is a point of the curve.
    do { publicKey = try JWK(p256X963: [UInt8](key.publicKey.x963Representation), keyID: "test") } catch {
      preconditionFailure("\(error)")
    }
  }

  var algorithm: JWSAlgorithm { .es256 }

  func signature(for signingInput: [UInt8]) throws -> [UInt8] {
    try P256Signer(privateKey: key).signature(for: signingInput)
  }
}
