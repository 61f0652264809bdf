internal import Bytes
internal import Crypto
internal import CryptoExtras
internal import KeyAttestation

/// The result of TPM2_MakeCredential, made without a TPM (TPM 2.0 Library, Part 1, §24 and Annexes B.10, C.6): a secret that only the TPM
/// with the endorsement key reveals, and only if it also holds the object with the given Name.
struct CredentialProtection: Sendable {
  /// The content of TPM2B_ID_OBJECT: the HMAC with its length, and the encrypted secret.
  let credentialBlob: [UInt8]

  /// The content of TPM2B_ENCRYPTED_SECRET.
  let encryptedSecret: [UInt8]

  private static let seedLabel = "IDENTITY"

  /// - Parameters:
  ///   - secret: no longer than the digests of the endorsement key's hash.
  ///   - name: the Name of the attestation key.
  init(
    of secret: SymmetricKey, for name: [UInt8], endorsementKey: EndorsementKeyArea,
    randomBytes: (Int) -> [UInt8]
  ) throws {
    let hash = endorsementKey.hash
    let seed: SymmetricKey
    switch endorsementKey.key {
    case .rsa(let modulus, let exponent):
      seed = SymmetricKey(data: randomBytes(hash.bits / 8))
      guard let key = RSAEncryptionPrimitive(modulus: modulus, exponent: exponent),
        let encrypted = OAEP.encrypt(
          seed, label: Array(Self.seedLabel.utf8) + [0], hash: hash,
          seed: SymmetricKey(data: randomBytes(hash.bits / 8)), to: key)
      else {
        throw AttestationEnrolmentFailure(
          .endorsementKeyRefused, "nothing can be encrypted to the endorsement key's modulus and exponent")
      }
      encryptedSecret = encrypted
    case .p256(let point):
      let key = P256.KeyAgreement.PrivateKey()
      let shared = try key.sharedSecretFromKeyAgreement(
        with: P256.KeyAgreement.PublicKey(x963Representation: point))
      (seed, encryptedSecret) = Self.agree(
        hash, shared, Array(key.publicKey.rawRepresentation), Array(point.dropFirst()))
    case .p384(let point):
      let key = P384.KeyAgreement.PrivateKey()
      let shared = try key.sharedSecretFromKeyAgreement(
        with: P384.KeyAgreement.PublicKey(x963Representation: point))
      (seed, encryptedSecret) = Self.agree(
        hash, shared, Array(key.publicKey.rawRepresentation), Array(point.dropFirst()))
    }
    let cipherKey = TPMKeyDerivation.keyed(
      hash, key: seed, label: "STORAGE", context: name, bits: endorsementKey.symmetricBits)
    let content = UInt16(secret.bitCount / 8).bigEndianBytes + secret.bytes
    // The IV is zero, as in the TPM's credential protection, because the key is used once.
    let encrypted = try AES._CFB.encrypt(
      content, using: cipherKey, iv: AES._CFB.IV(ivBytes: [UInt8](repeating: 0, count: 16)))
    let integrityKey = TPMKeyDerivation.keyed(hash, key: seed, label: "INTEGRITY", bits: hash.bits)
    let code = hash.authenticationCode(of: Array(encrypted) + name, key: integrityKey)
    credentialBlob = UInt16(code.count).bigEndianBytes + code + encrypted
  }

  /// - Parameters:
  ///   - sender, recipient: `x ‖ y`.
  /// - Returns: the seed, and the TPMS_ECC_POINT that lets the recipient derive it.
  private static func agree(
    _ hash: TPMHash, _ shared: SharedSecret, _ sender: [UInt8], _ recipient: [UInt8]
  ) -> (seed: SymmetricKey, point: [UInt8]) {
    let half = sender.count / 2
    let seed = TPMKeyDerivation.agreed(
      hash, shared: shared, label: seedLabel, sender: Array(sender[..<half]),
      recipient: Array(recipient[..<half]), bits: hash.bits)
    let length = UInt16(half).bigEndianBytes
    return (seed, length + sender[..<half] + length + sender[half...])
  }
}
