import Bytes
import Crypto
import CryptoExtras
import JOSE
import StrictJSON
import Testing

@Suite("Signing and verifying")
struct SigningTests {
  private let claims: JSONObject = ["sub": "mira", "amount": "100.00"]

  @Test func `ES256 made here verifies here`() async throws {
    let privateKey = P256.Signing.PrivateKey()
    let jwk = try JWK(p256X963: [UInt8](privateKey.publicKey.x963Representation), keyID: "k")
    let compact = try await JWS.compact(
      header: JWSHeader(algorithm: .es256, type: "JWS", keyID: "k", jwk: jwk), claims: claims,
      signer: P256Signer(privateKey: privateKey))
    let verified = try UnverifiedJWS(compact: compact).verified(
      with: VerificationKey(jwk), allowing: [.es256])
    #expect(try verified.claims() == claims)
    #expect(verified.header.jwk.map { try? JWK(json: $0) } == jwk)
    let signed = Array(compact.utf8.prefix(compact.utf8.count - 87))
    #expect(verified.signedDigest == SHA256.hash(data: signed))
  }

  @Test func `an existential signer, such as a key of a device, signs too`() async throws {
    let privateKey = P256.Signing.PrivateKey()
    let signer: any JWSSigner = P256Signer(privateKey: privateKey)
    let compact = try await JWS.compact(
      header: JWSHeader(algorithm: .es256), payload: [1, 2, 3], signer: signer)
    #expect(try UnverifiedJWS(compact: compact).payload == [1, 2, 3])
  }

  @Test(arguments: [JWSAlgorithm.rs256, .rs384, .rs512])
  func `RSA of every supported hash verifies`(algorithm: JWSAlgorithm) async throws {
    let signer = RSASigner(privateKey: try _RSA.Signing.PrivateKey(keySize: .bits2048), algorithm: algorithm)
    let compact = try await JWS.compact(
      header: JWSHeader(algorithm: algorithm), claims: claims, signer: signer)
    let key = try VerificationKey(signer.jwk)
    #expect(key.algorithms == [.rs256, .rs384, .rs512])
    let verified = try UnverifiedJWS(compact: compact).verified(with: key, allowing: [algorithm])
    #expect(try verified.claims() == claims)
    #expect(verified.signedDigest == SHA256.hash(data: verified.signingInput))

    // The JWK's own alg leaves one algorithm.
    for only in [JWSAlgorithm.rs256, .rs384, .rs512] {
      var json = try signer.jwk.json
      json["alg"] = .string(only.rawValue)
      let narrow = try VerificationKey(JWK(json: json))
      let code = try refusal {
        _ = try UnverifiedJWS(compact: compact).verified(with: narrow, allowing: [algorithm])
      }
      #expect(code == (only == algorithm ? nil : .unsupportedAlgorithm))
    }
  }

  @Test func `a token is refused when the caller does not allow its algorithm`() throws {
    let key = try VerificationKey(JWK(json: RFC7515.es256Key))
    let code = try refusal {
      _ = try UnverifiedJWS(compact: RFC7515.es256).verified(with: key, allowing: [.rs256, .hs256])
    }
    #expect(code == .unsupportedAlgorithm)
  }

  @Test(arguments: [RFC7515.es256Key, RFC7515.rs256Key])
  func `HS256 over the bytes of a public key never verifies against that key`(key json: JSONObject)
    async throws
  {
    let jwk = try JWK(json: json)
    for known in [json.serialized, jwk.json.serialized, Array(jwk.thumbprint.utf8)] {
      let forged = try await JWS.compact(
        header: JWSHeader(algorithm: .hs256), claims: claims,
        signer: HMACSigner(secret: SymmetricSecret(known)))
      let code = try refusal {
        _ = try UnverifiedJWS(compact: forged).verified(
          with: VerificationKey(jwk), allowing: Set(JWSAlgorithm.allCases))
      }
      #expect(code == .unsupportedAlgorithm)
    }
  }

  @Test(arguments: [RFC7515.es256, RFC7515.rs256])
  func `a public-key token never verifies against a shared secret`(compact: String) throws {
    let key = VerificationKey(secret: try SymmetricSecret([UInt8](repeating: 7, count: 32)))
    let code = try refusal {
      _ = try UnverifiedJWS(compact: compact).verified(with: key, allowing: Set(JWSAlgorithm.allCases))
    }
    #expect(code == .unsupportedAlgorithm)
  }

  @Test func `another key, another payload, another header: the signature does not verify`() async throws {
    let privateKey = P256.Signing.PrivateKey()
    let compact = try await JWS.compact(
      header: JWSHeader(algorithm: .es256), claims: claims, signer: P256Signer(privateKey: privateKey))
    let parts = compact.split(separator: ".").map(String.init)
    let key = try VerificationKey(
      JWK(p256X963: [UInt8](privateKey.publicKey.x963Representation), keyID: nil))
    let other = try VerificationKey(JWK(json: RFC7515.es256Key))
    let payload = Base64URL.encode(Array(#"{"sub":"mira","amount":"900.00"}"#.utf8))
    let header = Base64URL.encode(Array(#"{"alg": "ES256"}"#.utf8))
    for (compact, key) in [
      (compact, other), ("\(parts[0]).\(payload).\(parts[2])", key),
      ("\(header).\(parts[1]).\(parts[2])", key),
    ] {
      let code = try refusal {
        _ = try UnverifiedJWS(compact: compact).verified(with: key, allowing: [.es256])
      }
      #expect(code == .invalidSignature)
    }
  }

  @Test(arguments: [0, 1, 32, 63, 64, 65, 70, 71, 128])
  func `signatures of a wrong length or out of range do not verify`(count: Int) throws {
    let key = try VerificationKey(JWK(json: RFC7515.es256Key))
    for byte: UInt8 in [0x00, 0xFF] {
      let signature = Base64URL.encode([UInt8](repeating: byte, count: count))
      let compact = "eyJhbGciOiJFUzI1NiJ9.\(RFC7515.payload).\(signature)"
      let code = try refusal {
        _ = try UnverifiedJWS(compact: compact).verified(with: key, allowing: [.es256])
      }
      #expect(code == .invalidSignature)
    }
  }

  @Test func `a DER signature in place of r ‖ s does not verify`() throws {
    let key = try VerificationKey(JWK(json: RFC7515.es256Key))
    let token = try UnverifiedJWS(compact: RFC7515.es256)
    let der = Base64URL.encode(try ECDSASignatureFormat.der(fromRaw: token.signature))
    let compact = String(decoding: token.signingInput, as: UTF8.self) + "." + der
    let code = try refusal { _ = try UnverifiedJWS(compact: compact).verified(with: key, allowing: [.es256]) }
    #expect(code == .invalidSignature)
  }

  @Test func `header and signer must agree on the algorithm`() async throws {
    let signer = P256Signer(privateKey: P256.Signing.PrivateKey())
    let code = try await refusal {
      _ = try await JWS.compact(header: JWSHeader(algorithm: .hs256), payload: [], signer: signer)
    }
    #expect(code == .unsupportedAlgorithm)
  }

  @Test(arguments: ["crit", "b64"])
  func `a header that demands extensions is not signed`(name: String) async throws {
    let signer = P256Signer(privateKey: P256.Signing.PrivateKey())
    let header = JWSHeader(algorithm: .es256, extra: [name: false])
    let code = try await refusal { _ = try await JWS.compact(header: header, payload: [], signer: signer) }
    #expect(code == .unsupportedExtension)
  }

  @Test(arguments: [0, 63, 65, 70, 72])
  func `what a signer returns must be a signature`(count: Int) async throws {
    struct Broken: JWSSigner {
      let count: Int
      var algorithm: JWSAlgorithm { .es256 }
      func signature(for signingInput: [UInt8]) -> [UInt8] { [UInt8](repeating: 1, count: count) }
    }
    let code = try await refusal {
      _ = try await JWS.compact(
        header: JWSHeader(algorithm: .es256), payload: [], signer: Broken(count: count))
    }
    #expect(code == .invalidSignature)
  }

  @Test func `a signer's own error reaches the caller`() async throws {
    struct Locked: Error {}
    struct Failing: JWSSigner {
      var algorithm: JWSAlgorithm { .es256 }
      func signature(for signingInput: [UInt8]) throws -> [UInt8] { throw Locked() }
    }
    await #expect(throws: Locked.self) {
      try await JWS.compact(header: JWSHeader(algorithm: .es256), payload: [], signer: Failing())
    }
  }

  @Test func `extra header members follow the usual ones and cannot replace them`() {
    let header = JWSHeader(
      algorithm: .es256, type: "JWT", keyID: "k",
      extra: ["alg": "none", "kid": "other", "typ": "x", "jwk": "y", "cty": "json"])
    #expect(header.json.names == ["typ", "alg", "kid", "cty"])
    #expect(header.json == ["typ": "JWT", "alg": "ES256", "kid": "k", "cty": "json"])
  }

  @Test func `a shared secret has at least 256 bits, compares by value and prints nothing`() throws {
    #expect(try refusal { _ = try SymmetricSecret([UInt8](repeating: 1, count: 31)) } == .invalidKey)
    // A protocol may ask for fewer, and never for fewer than 128.
    #expect(try SymmetricSecret([UInt8](repeating: 1, count: 16), minimumBitCount: 128).bitCount == 128)
    for (count, minimum) in [(15, 128), (15, 8), (15, 0), (16, 129)] {
      let bytes = [UInt8](repeating: 1, count: count)
      #expect(
        try refusal { _ = try SymmetricSecret(bytes, minimumBitCount: minimum) } == .invalidKey)
    }
    let secret = try SymmetricSecret([UInt8](repeating: 65, count: 32))
    #expect(try secret == SymmetricSecret([UInt8](repeating: 65, count: 32)))
    #expect(try secret != SymmetricSecret([UInt8](repeating: 66, count: 32)))
    var dumped = ""
    dump(secret, to: &dumped)
    for text in ["\(secret)", String(reflecting: secret), dumped, "\(HMACSigner(secret: secret))"] {
      #expect(!text.contains("AAA") && !text.contains("65, 65"), "\(text)")
    }
  }

  @Test func `HS256 is the same with and without waiting, and short secrets have to be asked for`()
    async throws
  {
    let header = JWSHeader(algorithm: .hs256, type: "JWT")
    let secret = try SymmetricSecret(insecure: [1])
    let token = try JWS.compact(header: header, payload: [1, 2, 3], secret: secret)
    #expect(
      try await JWS.compact(header: header, payload: [1, 2, 3], signer: HMACSigner(secret: secret)) == token)
    let verified = try UnverifiedJWS(compact: token).verified(
      with: VerificationKey(secret: secret), allowing: [.hs256])
    #expect(verified.payload == [1, 2, 3])
    #expect(
      try refusal {
        _ = try JWS.compact(header: JWSHeader(algorithm: .es256), payload: [], secret: secret)
      } == .unsupportedAlgorithm)
    #expect(try refusal { _ = try SymmetricSecret(insecure: []) } == .invalidKey)
    #expect(try refusal { _ = try SymmetricSecret([1]) } == .invalidKey)
  }

  @Test func `the payload is read of tokens that nothing here verifies`() throws {
    // {"alg":"ES512"}
    #expect(try UnverifiedJWS.payload(of: "eyJhbGciOiJFUzUxMiJ9.AQID.AA") == [1, 2, 3])
    for text in [
      "", "e30.AQID", ".AQID.AA", "e30..AA", "e30.AQID.", "e30.AQID.AA.AA", "!.AQID.AA", "e30.AQ=.AA",
    ] {
      #expect(try refusal { _ = try UnverifiedJWS.payload(of: text) } == .malformed)
    }
  }
}
