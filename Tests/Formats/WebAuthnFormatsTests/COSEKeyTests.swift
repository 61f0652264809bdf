import CBOR
import Crypto
import StrictJSON
import Testing
import WebAuthnFormats

@Suite("COSE keys")
struct COSEKeyTests {
  static let p256: CBORValue = [
    1: 2, 3: -7, -1: 1, -2: .bytes(WorkedExample.x), -3: .bytes(WorkedExample.y),
  ]
  static let modulus = [0xC0] + [UInt8](repeating: 0x5A, count: 254) + [0x01]
  static let rsa: CBORValue = [1: 3, 3: -257, -1: .bytes(modulus), -2: .bytes([1, 0, 1])]
  static let ed25519: CBORValue = [
    1: 1, 3: -8, -1: 6, -2: .bytes(Array(Curve25519.Signing.PrivateKey().publicKey.rawRepresentation)),
  ]

  static let ed448: CBORValue = [1: 1, 3: -53, -1: 7, -2: .bytes(Ed448Vector.all[0].key)]
  static let mlDSA65: CBORValue = [
    1: 7, 3: -49,
    -1: .bytes((try? Array(MLDSA65.PrivateKey().publicKey.rawRepresentation)) ?? []),
  ]

  @Test(arguments: [p256, rsa, ed25519, ed448, mlDSA65])
  func `keys of each type go both ways`(value: CBORValue) throws {
    let key = try COSEKey(value)
    #expect(key.cbor == value)
    #expect(try COSEKey(decoding: value.encoded) == key)
  }

  @Test(arguments: COSEAlgorithm.allCases)
  func `each algorithm signs with its keys only`(algorithm: COSEAlgorithm) throws {
    func allows(_ value: CBORValue) -> Bool {
      (try? COSEKey(Self.changed(value) { $0[3] = CBORValue(algorithm.rawValue) })) != nil
    }
    #expect(allows(Self.p256) == (algorithm == .es256))
    #expect(allows(Self.rsa) == algorithm.isRSA)
    #expect(allows(Self.ed25519) == (algorithm == .edDSA))
    #expect(allows(Self.ed448) == (algorithm == .ed448))
    #expect(allows(Self.mlDSA65) == (algorithm == .mlDSA65))
  }

  static func changed(_ value: CBORValue, _ change: (inout CBORMap) -> Void) -> CBORValue {
    var map = value.mapValue ?? [:]
    change(&map)
    return .map(map)
  }

  static let refused: [(String, CBORValue, COSEKeyError.Code)] = [
    ("no map", [1, 2], .malformed), ("empty", [:], .malformed),
    ("no type", changed(p256) { $0[1] = nil }, .malformed),
    ("type as text", changed(p256) { $0[1] = "EC2" }, .unsupported),
    ("no algorithm", changed(p256) { $0[3] = nil }, .malformed),
    ("symmetric", changed(p256) { $0[1] = 4 }, .unsupported),
    ("RS1", changed(rsa) { $0[3] = -65535 }, .unsupported),
    ("ES256K", changed(p256) { $0[3] = -47 }, .unsupported),
    ("secp256k1", changed(p256) { $0[-1] = 8 }, .unsupported),
    ("no curve", changed(p256) { $0[-1] = nil }, .malformed),
    ("P-384 under ES256", changed(p256) { $0[-1] = 2 }, .algorithmMismatch),
    ("ES384 on P-256", changed(p256) { $0[3] = -35 }, .algorithmMismatch),
    ("RS256 on P-256", changed(p256) { $0[3] = -257 }, .algorithmMismatch),
    ("ES256 with RSA", changed(rsa) { $0[3] = -7 }, .algorithmMismatch),
    ("EdDSA with RSA", changed(rsa) { $0[3] = -8 }, .algorithmMismatch),
    ("compressed point", changed(p256) { $0[-3] = true }, .malformed),
    ("short x", changed(p256) { $0[-2] = .bytes(Array(WorkedExample.x.dropLast())) }, .malformed),
    ("long y", changed(p256) { $0[-3] = .bytes([0] + WorkedExample.y) }, .malformed),
    ("off the curve", changed(p256) { $0[-3] = .bytes(WorkedExample.x) }, .invalid),
    (
      "infinity",
      changed(p256) {
        $0[-2] = zero; $0[-3] = zero
      }, .invalid
    ),
    ("private member", changed(p256) { $0[-4] = zero }, .unexpectedMember),
    ("key id", changed(p256) { $0[2] = .bytes([1]) }, .unexpectedMember),
    ("RSA private member", changed(rsa) { $0[-3] = .bytes([1]) }, .unexpectedMember),
    ("RSA 2040", changed(rsa) { $0[-1] = .bytes(Array(modulus.dropLast(2)) + [1]) }, .unsuitableSize),
    ("RSA 2047", changed(rsa) { $0[-1] = .bytes([0x40] + modulus.dropFirst()) }, .unsuitableSize),
    (
      "RSA above 8192", changed(rsa) { $0[-1] = .bytes([UInt8](repeating: 0xFF, count: 1025)) },
      .unsuitableSize
    ),
    ("even modulus", changed(rsa) { $0[-1] = .bytes(modulus.dropLast() + [2]) }, .invalid),
    ("padded modulus", changed(rsa) { $0[-1] = .bytes([0] + modulus) }, .invalid),
    ("exponent 1", changed(rsa) { $0[-2] = .bytes([1]) }, .invalid),
    ("even exponent", changed(rsa) { $0[-2] = .bytes([2]) }, .invalid),
    ("empty exponent", changed(rsa) { $0[-2] = .bytes([]) }, .invalid),
    ("huge exponent", changed(rsa) { $0[-2] = .bytes([1, 0, 0, 0, 1]) }, .invalid),
    ("X25519", changed(ed25519) { $0[-1] = 4 }, .unsupported),
    ("short Ed25519", changed(ed25519) { $0[-2] = .bytes([1]) }, .malformed),
    ("Ed25519 with y", changed(ed25519) { $0[-3] = zero }, .unexpectedMember),
    ("Ed448 under EdDSA", changed(ed448) { $0[3] = -8 }, .algorithmMismatch),
    ("Ed25519 under Ed448", changed(ed25519) { $0[3] = -53 }, .algorithmMismatch),
    ("short Ed448", changed(ed448) { $0[-2] = zero }, .malformed),
    ("ML-DSA-44", changed(mlDSA65) { $0[3] = -48 }, .unsupported),
    ("ML-DSA-87", changed(mlDSA65) { $0[3] = -50 }, .unsupported),
    ("ES256 with the type AKP", changed(mlDSA65) { $0[3] = -7 }, .algorithmMismatch),
    ("short ML-DSA-65", changed(mlDSA65) { $0[-1] = zero }, .malformed),
    ("ML-DSA-65 with a private member", changed(mlDSA65) { $0[-2] = zero }, .unexpectedMember),
    ("ML-DSA-65 on a curve", changed(ed25519) { $0[3] = -49 }, .algorithmMismatch),
  ]

  static let zero = CBORValue.bytes([UInt8](repeating: 0, count: 32))

  @Test(arguments: refused)
  func `what is not acceptable is refused with its reason`(
    name: String, value: CBORValue, code: COSEKeyError.Code
  ) {
    let error = #expect(throws: COSEKeyError.self) { try COSEKey(value) }
    #expect(error?.code == code, "\(error?.description ?? "")")
  }

  @Test func `bytes after the key are refused`() {
    #expect(throws: COSEKeyError.self) { try COSEKey(decoding: WorkedExample.key + [0]) }
  }

  @Test func `Ed25519 signatures are verified`() throws {
    let key = Curve25519.Signing.PrivateKey()
    let cose = try COSEKey(.ed25519(Array(key.publicKey.rawRepresentation)), algorithm: .edDSA)
    let signature = try Array(key.signature(for: [1, 2, 3]))
    #expect(cose.isValidSignature(signature, over: [1, 2, 3]))
    #expect(!cose.isValidSignature(signature, over: [1, 2]))
    #expect(!cose.isValidSignature(signature + [0], over: [1, 2, 3]))
  }

  @Test(arguments: Ed448Vector.all)
  func `Ed448 signatures are verified`(vector: Ed448Vector) throws {
    let key = try COSEKey(.ed448(vector.key), algorithm: .ed448)
    #expect(key.isValidSignature(vector.signature, over: vector.message))
    #expect(!key.isValidSignature(vector.signature, over: vector.message + [0]))
    #expect(!key.isValidSignature(vector.signature + [0], over: vector.message))
    #expect(!key.isValidSignature(Array(vector.signature.dropLast()), over: vector.message))
    for place in [0, 56, 57, 113] {
      var damaged = vector.signature
      damaged[place] ^= 1
      #expect(!key.isValidSignature(damaged, over: vector.message))
    }
    let other = try #require(Ed448Vector.all.first { $0.key != vector.key })
    let otherKey = try COSEKey(.ed448(other.key), algorithm: .ed448)
    #expect(!otherKey.isValidSignature(vector.signature, over: vector.message))
    #expect(key.jwk["crv"] == "Ed448")
  }

  @Test func `ML-DSA-65 signatures are verified, with an empty context only`() throws {
    let key = try MLDSA65.PrivateKey()
    let cose = try COSEKey(.mlDSA65(Array(key.publicKey.rawRepresentation)), algorithm: .mlDSA65)
    #expect(cose.encoded.count == 1962)
    let signature = try Array(key.signature(for: [1, 2, 3]))
    #expect(cose.isValidSignature(signature, over: [1, 2, 3]))
    #expect(!cose.isValidSignature(signature, over: [1, 2]))
    #expect(!cose.isValidSignature(signature + [0], over: [1, 2, 3]))
    #expect(!cose.isValidSignature(Array(signature.dropLast()), over: [1, 2, 3]))
    let inContext = try Array(key.signature(for: [1, 2, 3], context: [1]))
    #expect(!cose.isValidSignature(inContext, over: [1, 2, 3]))
    #expect(cose.jwk["kty"] == "AKP" && cose.jwk["alg"] == "ML-DSA-65")
  }

  @Test func `algorithms have names, and this machine has what they need`() {
    #expect(COSEAlgorithm.mlDSA65.name == "ML-DSA-65" && COSEAlgorithm.ed448.name == "ED448")
    for algorithm in COSEAlgorithm.allCases { #expect(algorithm.unavailability == nil) }
  }

  @Test func `ECDSA signatures are verified on the larger curves, in DER only`() throws {
    let key = P521.Signing.PrivateKey()
    let point = Array(key.publicKey.rawRepresentation)
    let cose = try COSEKey(.ec(.p521, x: Array(point[..<66]), y: Array(point[66...])), algorithm: .es512)
    let signature = try key.signature(for: [1])
    #expect(cose.isValidSignature(Array(signature.derRepresentation), over: [1]))
    #expect(!cose.isValidSignature(Array(signature.rawRepresentation), over: [1]))
    #expect(try COSEKey(decoding: cose.encoded) == cose)
  }
}
