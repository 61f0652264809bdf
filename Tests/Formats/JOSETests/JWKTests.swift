import Bytes
import Crypto
import JOSE
import StrictJSON
import Testing

@Suite("Public keys as JSON (RFC 7517, RFC 7518 §6)")
struct JWKTests {
  @Test func `a device's key keeps its members and their order`() throws {
    let jwk = try JWK(json: DeviceVector.jwk)
    #expect(jwk.keyID == "5C0B1E2A-7D44-4B0E-9A31-0F5B6C7D8E90")
    #expect(jwk.algorithm == .es256)
    #expect(jwk.use == "sig")
    #expect(jwk.certificateChain.isEmpty)
    #expect(jwk.json.names == ["kty", "crv", "x", "y", "use", "alg", "kid"])
    #expect(jwk.json == DeviceVector.jwk)
  }

  @Test func `an RSA key keeps its members and their order`() throws {
    var json = RFC7515.rs256Key
    json.merge(["kid": "r", "alg": "RS512", "use": "sig"])
    let jwk = try JWK(json: json)
    #expect(jwk.json.names == ["kty", "n", "e", "use", "alg", "kid"])
    #expect(jwk.json == json)
    #expect(try JWK(json: jwk.json) == jwk)
  }

  @Test func `the X9.63 form gives a signing key`() throws {
    let point = P256.Signing.PrivateKey().publicKey.x963Representation
    let jwk = try JWK(p256X963: [UInt8](point), keyID: "k")
    #expect(jwk.material == .p256(x: [UInt8](point[1..<33]), y: [UInt8](point[33...])))
    #expect(jwk.json["use"] == "sig" && jwk.json["alg"] == "ES256" && jwk.json["kid"] == "k")
    #expect(try JWK(p256X963: [UInt8](point), keyID: nil).json["kid"] == nil)
    #expect(try JWK(p256X963: [UInt8](point), keyID: nil).thumbprint == jwk.thumbprint)
  }

  @Test(arguments: [0, 1, 33, 64, 65, 66])
  func `forms of a point that are not the uncompressed one, or not a point`(count: Int) throws {
    for first: UInt8 in [0, 2, 3, 4, 6] {
      let bytes = Array(([first] + [UInt8](repeating: 1, count: 66)).prefix(count))
      #expect(try refusal { _ = try JWK(p256X963: bytes, keyID: nil) } == .invalidKey)
    }
  }

  /// A curve key with one member changed, or removed by `nil`.
  private static func curve(_ name: String, _ value: JSONValue?) -> JSONObject {
    var json = DeviceVector.jwk
    json[name] = value
    return json
  }

  private static func rsa(_ name: String, _ value: JSONValue?) -> JSONObject {
    var json = RFC7515.rs256Key
    json[name] = value
    return json
  }

  private static func number(_ count: Int, first: UInt8 = 0xC1, last: UInt8 = 0x01) -> JSONValue {
    .string(Base64URL.encode([first] + [UInt8](repeating: 0x5A, count: count - 2) + [last]))
  }

  private static func text(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.encode(bytes)) }

  static let refusedKeys: [JSONObject] =
    ["d", "p", "q", "dp", "dq", "qi", "oth", "k"].flatMap {
      [curve($0, "AQ"), rsa($0, "AQ"), curve($0, nil)]
    }
    .filter { $0 != DeviceVector.jwk }
    + [
      [:],
      // Key types and curves
      curve("kty", nil), curve("kty", "oct"), curve("kty", "OKP"), curve("kty", "ec"), curve("kty", 1),
      curve("kty", "RSA"), rsa("kty", "EC"),
      curve("crv", nil), curve("crv", "P-384"), curve("crv", "secp256k1"), curve("crv", "p-256"),
      // Coordinates: missing, of another type, padded, short, long, off the curve, beyond the field
      curve("x", nil), curve("y", nil), curve("x", 1), curve("x", ""),
      curve("x", "OxhnxE3_8wMcv00tSOulsfHyY1NVqH_6ltdMPl9-nLM="),
      curve("x", "OxhnxE3/8wMcv00tSOulsfHyY1NVqH/6ltdMPl9+nLM"),
      curve("x", text([UInt8](repeating: 1, count: 31))), curve("x", text([UInt8](repeating: 1, count: 33))),
      curve("x", text([UInt8](repeating: 1, count: 32))), curve("y", DeviceVector.jwk["x"]),
      curve("x", text([UInt8](repeating: 0xFF, count: 32))),
      [
        "kty": "EC", "crv": "P-256", "x": text(.init(repeating: 0, count: 32)),
        "y": text(.init(repeating: 0, count: 32)),
      ],
      // RSA numbers: missing, leading zero, even, short, long
      rsa("n", nil), rsa("e", nil), rsa("n", ""), rsa("n", number(257, first: 0)),
      rsa("n", number(256, last: 2)),
      rsa("n", number(128)), rsa("n", number(255)), rsa("n", number(256, first: 0x7F)),
      rsa("n", number(1025)),
      rsa("n", number(1100)),
      rsa("e", ""), rsa("e", "AA"), rsa("e", "AQ"), rsa("e", "Ag"), rsa("e", "AAEAAQ"), rsa("e", "AQAA"),
      rsa("e", "AQAAAAE"),
      // Purpose
      curve("use", "enc"), curve("use", 1), curve("key_ops", ["sign"]), curve("key_ops", []),
      curve("key_ops", "verify"),
      curve("alg", "RS256"), curve("alg", "HS256"), curve("alg", "none"), curve("alg", "ES384"),
      curve("alg", 1),
      rsa("alg", "ES256"), rsa("alg", "PS256"), rsa("alg", "HS256"),
      // Key id
      curve("kid", ""), curve("kid", 7), curve("kid", .string(String(repeating: "k", count: 257))),
      // Certificates
      curve("x5c", "MIIB"), curve("x5c", []), curve("x5c", [1]), curve("x5c", [""]), curve("x5c", ["MII"]),
      curve("x5c", ["MII-"]), curve("x5c", ["MIIB\n"]), curve("x5c", ["MI=="]), curve("x5c", ["M==="]),
      curve("x5c", ["===="]), curve("x5c", ["MIIB===="]), curve("x5c", ["MIJ="]),
      curve("x5c", .array(Array(repeating: "MIIB", count: 11))),
      curve("x5c", [.string(String(repeating: "A", count: 21_852))]),
    ]

  @Test(arguments: refusedKeys)
  func `keys that are refused`(json: JSONObject) throws {
    #expect(try refusal { _ = try JWK(json: json) } == .invalidKey)
  }

  static let acceptedKeys: [JSONObject] = [
    RFC7515.es256Key, RFC7515.rs256Key,
    curve("use", nil), curve("alg", nil), curve("kid", nil), curve("key_ops", ["verify"]),
    curve("kid", .string(String(repeating: "k", count: 256))),
    curve("x5t", "ignored"), curve("D", "another name"), curve("ext", true),
    rsa("n", number(256)), rsa("n", number(256, first: 0x80)), rsa("n", number(512)), rsa("n", number(1024)),
    rsa("e", "Aw"), rsa("e", "EQ"), rsa("e", "_____w"),
    curve("x5c", ["MIIB"]), curve("x5c", .array(Array(repeating: "MIIB", count: 10))),
  ]

  @Test(arguments: acceptedKeys)
  func `keys that are accepted, and are the same when read again`(json: JSONObject) throws {
    let jwk = try JWK(json: json)
    #expect(try JWK(json: jwk.json).thumbprint == jwk.thumbprint)
    #expect(try VerificationKey(jwk).algorithms.isEmpty == false)
  }

  @Test func `certificates are standard Base64 with padding, leaf first, and stay out of the JSON`() throws {
    let jwk = try JWK(json: Self.curve("x5c", ["MIIB+/8=", "AA==", "AQID"]))
    #expect(jwk.certificateChain == [[0x30, 0x82, 0x01, 0xFB, 0xFF], [0], [1, 2, 3]])
    #expect(jwk.json["x5c"] == nil)
  }

  @Test func `the thumbprint does not depend on the optional members; the key does`() throws {
    let named = try JWK(json: DeviceVector.jwk)
    let unnamed = try JWK(json: Self.curve("kid", nil))
    #expect(named.thumbprint == unnamed.thumbprint)
    #expect(named != unnamed)
    #expect(try named.thumbprint != JWK(json: RFC7515.es256Key).thumbprint)
  }

  @Test func `a reason never shows the value of a private member`() {
    do {
      _ = try JWK(json: Self.curve("d", "c2VjcmV0LXNlY3JldA"))
      Issue.record("a private key was accepted")
    } catch {
      #expect(!error.description.contains("c2VjcmV0"))
    }
  }
}
