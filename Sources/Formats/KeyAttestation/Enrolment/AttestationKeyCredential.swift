internal import Bytes
public import Crypto
internal import Foundation
internal import JOSE
public import StrictJSON
internal import SwiftASN1
internal import X509

/// An authority's answer to an ``AttestationKeyRequest``: the attestation key's certificates, encrypted under a secret that
/// TPM2_ActivateCredential gives back only in the TPM that holds both the endorsement key and that attestation key (TPM 2.0
/// Library, Part 1, §24).
public struct AttestationKeyCredential: Sendable, Hashable {
  /// Longest accepted document in bytes.
  public static let maximumBytes = 320 << 10

  /// The length of the secret in bytes: it fits every supported endorsement key, and is that of an AES-256 key.
  public static let secretBytes = 32

  // A digest and an encrypted digest, each behind its length.
  private static let maximumBlobBytes = 2 * (2 + 64)
  private static let maximumSecretBytes = 512
  private static let maximumCiphertextBytes = 224 << 10
  private static let nonceBytes = 12
  private static let tagBytes = 16

  /// The content of TPM2B_ID_OBJECT, without its length: the HMAC behind its length, then the encrypted secret.
  public var credentialBlob: [UInt8]

  /// The content of TPM2B_ENCRYPTED_SECRET, without its length: a ciphertext of RSA, or a TPMS_ECC_POINT.
  public var encryptedSecret: [UInt8]

  /// The nonce of AES-256-GCM, 12 bytes.
  public var nonce: [UInt8]

  /// The encrypted certificates and, at the end, the tag of 16 bytes.
  public var ciphertext: [UInt8]

  /// Encrypts certificates.
  ///
  /// - Parameters:
  ///   - chain: the certificates in DER, the attestation key's first.
  ///   - secret: the secret hidden in `credentialBlob` and `encryptedSecret`, ``secretBytes`` long and for this credential only.
  ///   - nonce: 12 bytes.
  public init(
    credentialBlob: [UInt8], encryptedSecret: [UInt8], chain: [[UInt8]], secret: SymmetricKey, nonce: [UInt8]
  ) throws {
    let plaintext: JSONObject = [
      "x5c": .array(chain.map { .string(PaddedBase64.encode($0)) })
    ]
    let box = try AES.GCM.seal(plaintext.serialized, using: secret, nonce: AES.GCM.Nonce(data: nonce))
    self.credentialBlob = credentialBlob
    self.encryptedSecret = encryptedSecret
    self.nonce = nonce
    ciphertext = Array(box.ciphertext + box.tag)
  }

  /// The document: `version` 1, `credentialBlob`, `encryptedSecret`, and `encryptedChain` with `nonce` and `ciphertext`;
  /// bytes are in base64url without padding.
  public var json: JSONObject {
    [
      "version": .integer(EnrolmentFields.version),
      "credentialBlob": .string(Base64URL.encode(credentialBlob)),
      "encryptedSecret": .string(Base64URL.encode(encryptedSecret)),
      "encryptedChain": [
        "nonce": .string(Base64URL.encode(nonce)), "ciphertext": .string(Base64URL.encode(ciphertext)),
      ],
    ]
  }

  /// Reads the document.
  ///
  /// - Throws: ``AttestationEnrolmentFailure/Check/credentialMalformed``.
  public init(parsing bytes: [UInt8]) throws(AttestationEnrolmentFailure) {
    let fields = try EnrolmentFields(parsing: bytes, atMost: Self.maximumBytes, orFail: .credentialMalformed)
    credentialBlob = try fields.bytes("credentialBlob", atMost: Self.maximumBlobBytes)
    encryptedSecret = try fields.bytes("encryptedSecret", atMost: Self.maximumSecretBytes)
    let chain = try fields.object("encryptedChain")
    nonce = try chain.bytes("nonce", atMost: Self.nonceBytes)
    ciphertext = try chain.bytes("ciphertext", atMost: Self.maximumCiphertextBytes)
    guard nonce.count == Self.nonceBytes, ciphertext.count > Self.tagBytes else {
      throw AttestationEnrolmentFailure(
        .credentialMalformed, "the nonce or the encrypted certificates are too short")
    }
  }

  /// Opens the certificates.
  ///
  /// - Parameters:
  ///   - secret: what TPM2_ActivateCredential returned.
  ///   - attestationKey: TPMT_PUBLIC of the key that was activated.
  /// - Returns: DER, the attestation key's certificate first, as they are sent in `x5c`. Whether their root is trusted
  ///   is not decided here.
  /// - Throws: ``AttestationEnrolmentFailure/Check/activationFailed``.
  public func certificates(
    secret: SymmetricKey, attestationKey: [UInt8]
  ) throws(AttestationEnrolmentFailure) -> [[UInt8]] {
    let plaintext: Data
    do {
      plaintext = try AES.GCM.open(
        AES.GCM.SealedBox(
          nonce: AES.GCM.Nonce(data: nonce), ciphertext: ciphertext.dropLast(Self.tagBytes),
          tag: ciphertext.suffix(Self.tagBytes)), using: secret)
    } catch {
      throw AttestationEnrolmentFailure(
        .activationFailed, "the activated secret does not open the certificates")
    }
    let values = (try? JSONValue(parsing: Array(plaintext)))?["x5c"]?.arrayValue ?? []
    let chain = values.compactMap { $0.stringValue.flatMap { PaddedBase64.decode($0) } }
    guard !chain.isEmpty, chain.count == values.count, chain.count <= UnverifiedChain.maximumCount,
      chain.allSatisfy({ $0.count <= UnverifiedChain.maximumCertificateBytes })
    else {
      throw AttestationEnrolmentFailure(
        .activationFailed, "the credential's content is not a chain of certificates")
    }
    let leaf: Certificate
    do { leaf = try Certificate(derEncoded: chain[0]) } catch {
      throw AttestationEnrolmentFailure(.activationFailed, "the certificate cannot be read: \(error)")
    }
    guard try AttestationKeyArea(attestationKey).publicKey == leaf.publicKey else {
      throw AttestationEnrolmentFailure(
        .activationFailed, "the certificate belongs to another key than the attestation key")
    }
    return chain
  }
}
