import Bytes
import Crypto
import JOSE
import StrictJSON
import Testing

@Suite("RFC 7515 appendix A and RFC 7638 §3.1")
struct SpecificationVectorTests {
  @Test func `A.1: HS256 verifies, and signing the same bytes gives the same signature`() throws {
    let secret = try SymmetricSecret(try #require(Base64URL.decode(RFC7515.hs256Secret)))
    let token = try UnverifiedJWS(compact: RFC7515.hs256)
    let verified = try token.verified(with: VerificationKey(secret: secret), allowing: [.hs256])
    #expect(try verified.claims() == RFC7515.claims)
    #expect(verified.header.type == "JWT")
    #expect(HMACSigner(secret: secret).signature(for: token.signingInput) == token.signature)
  }

  @Test func `A.2: RS256 verifies`() throws {
    let key = try VerificationKey(JWK(json: RFC7515.rs256Key))
    let verified = try UnverifiedJWS(compact: RFC7515.rs256).verified(with: key, allowing: [.rs256])
    #expect(try verified.claims() == RFC7515.claims)
    #expect(verified.compact == RFC7515.rs256)
  }

  @Test func `A.3: ES256 verifies`() throws {
    let key = try VerificationKey(JWK(json: RFC7515.es256Key))
    let verified = try UnverifiedJWS(compact: RFC7515.es256).verified(with: key, allowing: [.es256])
    #expect(try verified.claims() == RFC7515.claims)
  }

  @Test func `A.5: an unsecured token is refused before any key is asked for`() throws {
    #expect(try refusal { _ = try UnverifiedJWS(compact: RFC7515.unsecured) } == .unsupportedAlgorithm)
  }

  @Test func `RFC 7638 §3.1: the thumbprint of the example key, whatever its optional members`() throws {
    let key: JSONObject = [
      "kty": "RSA",
      "n": .string(
        "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZ"
          + "CiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqz"
          + "s8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHa"
          + "Q-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw"),
      "e": "AQAB", "alg": "RS256", "kid": "2011-04-29",
    ]
    #expect(try JWK(json: key).thumbprint == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
  }

  @Test func `the thumbprint of the key of A.3`() throws {
    #expect(try JWK(json: RFC7515.es256Key).thumbprint == "oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U")
  }

  @Test func `a device's binding token verifies with the key in its header`() throws {
    let token = try UnverifiedJWS(compact: DeviceVector.compact)
    #expect(token.header.json == DeviceVector.header)
    #expect(token.header.keyID == "5C0B1E2A-7D44-4B0E-9A31-0F5B6C7D8E90")
    #expect(token.signature == bytes(hex: DeviceVector.raw))
    let jwk = try JWK(json: try #require(token.header.jwk))
    let verified = try token.verified(with: VerificationKey(jwk), allowing: JWSAlgorithm.allowedForDevices)
    #expect(try verified.claims() == DeviceVector.claims)
    #expect(verified.signingInput == token.signingInput)
  }

  @Test func `a header written by us is the device's, byte for byte`() throws {
    let header = JWSHeader(
      algorithm: .es256, type: "JWS", keyID: "5C0B1E2A-7D44-4B0E-9A31-0F5B6C7D8E90",
      jwk: try JWK(json: DeviceVector.jwk))
    let sent = try #require(DeviceVector.compact.split(separator: ".").first)
    #expect(Base64URL.encode(header.json.serialized) == sent)
  }
}

extension JWSAlgorithm {
  /// What a server accepts from devices.
  static let allowedForDevices: Set<JWSAlgorithm> = [.es256, .rs256, .rs384, .rs512]
}
