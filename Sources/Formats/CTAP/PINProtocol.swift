internal import Bytes
package import Crypto
internal import CryptoExtras
internal import Foundation

/// How PINs, tokens and salts travel between the platform and the security key (CTAP 2.1 §6.5.6 and §6.5.7).
package enum PINProtocol: Int, Sendable, CaseIterable {
  case one = 1
  case two

  /// The secret that both sides compute from their keys.
  package struct SharedSecret: Sendable, Redacted {
    let authentication: SymmetricKey
    let encryption: SymmetricKey
  }

  /// - Throws: ``CTAPStatus/invalidParameter`` when the other side's key is not a point of the curve.
  package func sharedSecret(
    of key: P256.KeyAgreement.PrivateKey, with other: CTAPKeyAgreement
  ) throws(CTAPStatus) -> SharedSecret {
    let peer = try other.key
    guard let agreed = try? key.sharedSecretFromKeyAgreement(with: peer) else { throw .invalidParameter }
    switch self {
    case .one:
      let key = SymmetricKey(data: agreed.withUnsafeBytes { SHA256.hash(data: $0) })
      return SharedSecret(authentication: key, encryption: key)
    case .two:
      func derived(_ purpose: String) -> SymmetricKey {
        agreed.hkdfDerivedSymmetricKey(
          using: SHA256.self, salt: [UInt8](repeating: 0, count: 32), sharedInfo: Array(purpose.utf8),
          outputByteCount: 32)
      }
      return SharedSecret(
        authentication: derived("CTAP2 HMAC key"), encryption: derived("CTAP2 AES key"))
    }
  }

  /// - Parameter plaintext: A multiple of 16 bytes.
  package func encrypt(
    _ plaintext: [UInt8], with secret: SharedSecret, randomBytes: (Int) -> [UInt8] = SystemRandom.bytes
  ) throws -> [UInt8] {
    let vector = self == .one ? Self.zeros : randomBytes(16)
    let encrypted = try AES._CBC.encrypt(
      plaintext, using: secret.encryption, iv: AES._CBC.IV(ivBytes: vector), noPadding: true)
    return (self == .one ? [] : vector) + encrypted
  }

  /// - Throws: ``CTAPStatus/invalidParameter`` unless `ciphertext` is whole blocks.
  package func decrypt(_ ciphertext: [UInt8], with secret: SharedSecret) throws(CTAPStatus) -> [UInt8] {
    let vector = self == .one ? Self.zeros : Array(ciphertext.prefix(16))
    let blocks = self == .one ? ciphertext : Array(ciphertext.dropFirst(16))
    guard !blocks.isEmpty, blocks.count.isMultiple(of: 16), vector.count == 16,
      let iv = try? AES._CBC.IV(ivBytes: vector),
      let plaintext = try? AES._CBC.decrypt(blocks, using: secret.encryption, iv: iv, noPadding: true)
    else { throw .invalidParameter }
    return Array(plaintext)
  }

  /// Whether `signature` authenticates `message` with a shared secret.
  package func verify(_ signature: [UInt8], of message: [UInt8], with secret: SharedSecret) -> Bool {
    verify(signature, of: message, with: secret.authentication)
  }

  /// Whether `signature` authenticates `message` with a token.
  package func verify(_ signature: [UInt8], of message: [UInt8], with token: SymmetricKey) -> Bool {
    let whole = Array(HMAC<SHA256>.authenticationCode(for: message, using: token))
    return ConstantTime.areEqual(self == .one ? Array(whole.prefix(16)) : whole, signature)
  }

  private static let zeros = [UInt8](repeating: 0, count: 16)
}
