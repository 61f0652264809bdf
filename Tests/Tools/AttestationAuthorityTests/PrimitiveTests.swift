import Bytes
import Crypto
import CryptoExtras
import Foundation
import KeyAttestation
import Testing

@testable import AttestationAuthority

@Suite("Cryptography that no library has") struct PrimitiveTests {
  @Test(arguments: [2048, 3072, 4096])
  func `the public operation is what the library's private one undoes`(bits: Int) throws {
    let key = try _RSA.Encryption.PrivateKey(keySize: .init(bitCount: bits))
    let parts = try key.publicKey.getKeyPrimitives()
    let primitive = try #require(RSAEncryptionPrimitive(modulus: Array(parts.modulus), exponent: 65537))
    for _ in 0..<8 {
      let message = SymmetricKey(size: .bits256)
      // The library has OAEP with an empty label only.
      let encrypted = try #require(
        OAEP.encrypt(message, label: [], hash: .sha256, seed: SymmetricKey(size: .bits256), to: primitive))
      #expect(try key.decrypt(Data(encrypted), padding: .PKCS1_OAEP_SHA256) == Data(message.bytes))
    }
  }

  @Test(arguments: [3, 5, 17, 65537] as [UInt32])
  func `small powers are right, also at the edge of the modulus`(exponent: UInt32) throws {
    // 2⁶⁴ - 59 is a prime; its neighbours make carries.
    let modulus: UInt64 = 0xFFFF_FFFF_FFFF_FFC5
    let primitive = try #require(RSAEncryptionPrimitive(modulus: modulus.bigEndianBytes, exponent: exponent))
    for base in [0, 1, 2, 58, modulus / 2, modulus - 2, modulus - 1] {
      var expected: UInt64 = 1
      for _ in 0..<exponent {
        let (high, low) = expected.multipliedFullWidth(by: base)
        expected = modulus.dividingFullWidth((high, low)).remainder
      }
      #expect(primitive.apply(base.bigEndianBytes) == expected.bigEndianBytes)
    }
    #expect(primitive.apply(modulus.bigEndianBytes) == nil && primitive.apply([]) == nil)
  }

  @Test(
    arguments: [
      ([], 3), ([0x80, 1], 3), ([0x7F] + [UInt8](repeating: 0xFF, count: 7), 3),
      ([UInt8](repeating: 0xFE, count: 8), 3), ([UInt8](repeating: 0xFF, count: 8), 0),
      ([UInt8](repeating: 0xFF, count: 8), 1), ([UInt8](repeating: 0xFF, count: 8), 65536),
    ] as [([UInt8], UInt32)])
  func `numbers that the arithmetic is not made for are refused`(modulus: [UInt8], exponent: UInt32) {
    #expect(RSAEncryptionPrimitive(modulus: modulus, exponent: exponent) == nil)
  }

  @Test func `a modulus too short for hash and message encrypts nothing`() throws {
    let primitive = try #require(
      RSAEncryptionPrimitive(modulus: [UInt8](repeating: 0xFF, count: 64), exponent: 3))
    let (message, seed) = (SymmetricKey(size: .bits256), SymmetricKey(size: .bits256))
    #expect(OAEP.encrypt(message, label: [], hash: .sha256, seed: seed, to: primitive) == nil)
  }

  @Test
  func
    `the key derivation gives NIST's published answer (CAVP, KDFCTR_gen, HMAC_SHA256, counter before, 32 bits, case 0)`()
  {
    let derived = TPMKeyDerivation.counterMode(
      .sha256,
      key: SymmetricKey(data: hex("dd1d91b7d90b2bd3138533ce92b272fbf8a369316aefe242e659cc0ae238afe0")),
      fixedInput: hex(
        "01322b96b30acd197979444e468e1c5c6859bf1b1cf951b7e725303e237e46b864a145fab25e517b08f8683d0315bb2911d80a0e8aba17f3b413faac"
      ), bits: 128)
    #expect(derived.bytes == hex("10621342bfb0fd40046c0e29f2cfdbf0"))
  }

  @Test
  func `the fixed input of KDFa is label, 0, context, length; a longer key goes on with the next count`() {
    let key = SymmetricKey(data: Array(repeating: UInt8(1), count: 32))
    let derived = TPMKeyDerivation.keyed(.sha256, key: key, label: "STORAGE", context: [1, 2], bits: 512)
    #expect(derived.bitCount == 512)
    let input: [UInt8] = Array("STORAGE".utf8) + [0, 1, 2, 0, 0, 2, 0]
    let second = HMAC<SHA256>.authenticationCode(for: [0, 0, 0, 2] + input, using: key)
    #expect(Array(derived.bytes.suffix(32)) == Array(second))
  }

  private func hex(_ text: String) -> [UInt8] {
    stride(from: 0, to: text.count, by: 2).compactMap { UInt8(text.dropFirst($0).prefix(2), radix: 16) }
  }
}
