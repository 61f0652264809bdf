import CBOR
import Crypto
import Testing

@testable import CTAP

struct PINProtocolTests {
  @Test(arguments: PINProtocol.allCases)
  func `both sides have one secret, and nobody else`(version: PINProtocol) throws {
    let (one, two, other) = (
      P256.KeyAgreement.PrivateKey(), P256.KeyAgreement.PrivateKey(), P256.KeyAgreement.PrivateKey()
    )
    let ours = try version.sharedSecret(of: one, with: CTAPKeyAgreement(two.publicKey))
    let theirs = try version.sharedSecret(of: two, with: CTAPKeyAgreement(one.publicKey))
    let wrong = try version.sharedSecret(of: other, with: CTAPKeyAgreement(one.publicKey))
    let text = [UInt8](0..<64)
    let encrypted = try version.encrypt(text, with: ours)
    #expect(encrypted.count == (version == .one ? 64 : 80))
    #expect(try version.decrypt(encrypted, with: theirs) == text)
    #expect(try version.decrypt(encrypted, with: wrong) != text)
    let code = Array(HMAC<SHA256>.authenticationCode(for: text, using: ours.authentication))
    let signature = version == .one ? Array(code.prefix(16)) : code
    #expect(version.verify(signature, of: text, with: theirs))
    #expect(!version.verify(signature, of: text, with: wrong) && !version.verify([], of: text, with: theirs))
    #expect(!version.verify(Array(signature.dropLast()), of: text, with: theirs))
  }

  @Test(arguments: PINProtocol.allCases)
  func `ciphertexts that are not whole blocks are refused`(version: PINProtocol) throws {
    let key = P256.KeyAgreement.PrivateKey()
    let secret = try version.sharedSecret(of: key, with: CTAPKeyAgreement(key.publicKey))
    for count in [0, 1, 15, 17, 31] {
      #expect(throws: CTAPStatus.invalidParameter) {
        try version.decrypt([UInt8](repeating: 0, count: count), with: secret)
      }
    }
  }

  @Test func `a point that is not on the curve agrees on nothing`() throws {
    let off = try CTAPKeyAgreement([
      1: 2, 3: -25, -1: 1, -2: .bytes([UInt8](repeating: 1, count: 32)),
      -3: .bytes([UInt8](repeating: 1, count: 32)),
    ])
    #expect(throws: CTAPStatus.invalidParameter) {
      try PINProtocol.two.sharedSecret(of: P256.KeyAgreement.PrivateKey(), with: off)
    }
  }
}
