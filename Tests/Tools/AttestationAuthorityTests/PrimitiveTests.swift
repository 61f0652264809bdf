import Crypto
import CryptoExtras
import Foundation
import KeyAttestation
import Testing

@testable import AttestationAuthority

@Suite("Cryptography that no library has") struct PrimitiveTests {
  @Test("the public operation is what the library's private one undoes", arguments: [2048, 3072, 4096])
  func oaep(bits: Int) throws {
    let key = try _RSA.Encryption.PrivateKey(keySize: .init(bitCount: bits))
    let parts = try key.publicKey.getKeyPrimitives()
    let operation = RSAPublicOperation(modulus: Array(parts.modulus), exponent: 65537)
    for _ in 0..<8 {
      let message = AttestationAuthority.systemRandomBytes(32)
      // The library has OAEP with an empty label only.
      let padded = OAEP.padded(
        message, label: [], hash: .sha256, modulusBytes: bits / 8,
        seed: AttestationAuthority.systemRandomBytes(32))
      let opened = try key.decrypt(Data(operation.apply(padded)), padding: .PKCS1_OAEP_SHA256)
      #expect(Array(opened) == message)
    }
  }

  @Test("small powers are right, also at the edge of the modulus", arguments: [3, 5, 17, 65537] as [UInt32])
  func powers(exponent: UInt32) {
    // 2⁶⁴ - 59 is a prime; its neighbours make carries.
    let modulus: UInt64 = 0xFFFF_FFFF_FFFF_FFC5
    let operation = RSAPublicOperation(modulus: modulus.bigEndianBytes, exponent: exponent)
    for base in [0, 1, 2, 58, modulus / 2, modulus - 2, modulus - 1] {
      var expected: UInt64 = 1
      for _ in 0..<exponent {
        let (high, low) = expected.multipliedFullWidth(by: base)
        expected = modulus.dividingFullWidth((high, low)).remainder
      }
      #expect(operation.apply(base.bigEndianBytes) == expected.bigEndianBytes)
    }
  }

  @Test("derived keys have the asked length and depend on every input")
  func derivation() {
    let key = Array(repeating: UInt8(1), count: 32)
    let derived = TPMKeyDerivation.keyed(.sha256, key: key, label: "STORAGE", context: [1, 2], bits: 128)
    #expect(derived.count == 16)
    // The block of SP 800-108: counter, label, 0, context, length.
    let block: [UInt8] = [0, 0, 0, 1] + Array("STORAGE".utf8) + [0, 1, 2] + [0, 0, 0, 128]
    let code = Array(HMAC<SHA256>.authenticationCode(for: block, using: SymmetricKey(data: key)))
    #expect(derived == Array(code.prefix(16)))
    #expect(
      TPMKeyDerivation.keyed(.sha256, key: key, label: "STORAGE", context: [1, 2], bits: 512).count == 64)
  }
}
