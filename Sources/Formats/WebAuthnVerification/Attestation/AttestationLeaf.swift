internal import Crypto
internal import CryptoExtras
internal import KeyAttestation
internal import SwiftASN1
internal import WebAuthnFormats
internal import X509

/// The certificate of the key that signed a statement, with the checks of the formats.
struct AttestationLeaf {
  /// id-fido-gen-ce-aaguid: the model that the certificate is for.
  private static let aaguidExtension: ASN1ObjectIdentifier = [1, 3, 6, 1, 4, 1, 45724, 1, 1, 4]

  let certificate: Certificate
  let statement: AttestationStatement

  init(_ evidence: AttestationEvidence.Certified, _ statement: AttestationStatement) {
    certificate = evidence.chain.leaf
    self.statement = statement
  }

  /// Throws unless `signature` is by this certificate's key.
  func requireSignature(
    _ signature: [UInt8], over message: [UInt8], _ algorithm: COSEAlgorithm
  ) throws(WebAuthnFailure) {
    guard let key = SignatureKey(certificate.publicKey),
      key.isValid(signature, over: message, algorithm: algorithm)
    else {
      throw statement.invalid("sig is not the signature of the certificate's key under \(algorithm.name)")
    }
  }

  /// Throws unless `signature` is by this certificate's key under RS1. Only for `tpm` statements, and only when their SHA-1 is
  /// accepted.
  func requireSHA1Signature(_ signature: [UInt8], over message: [UInt8]) throws(WebAuthnFailure) {
    guard case .rsa(let key)? = SignatureKey(certificate.publicKey),
      SignatureKey.modulusBits.contains(key.keySizeInBits),
      key.isValidSignature(
        _RSA.Signing.RSASignature(rawRepresentation: signature), for: Insecure.SHA1.hash(data: message),
        padding: .insecurePKCS1v1_5)
    else { throw statement.invalid("sig is not the signature of the certificate's key under RS1") }
  }

  /// Throws unless this certificate's key is the new credential's.
  func requireCredentialKey() throws(WebAuthnFailure) {
    guard let key = Certificate.PublicKey(statement.credential.publicKey.signatureKey),
      key == certificate.publicKey
    else {
      throw statement.invalid("the certificate's key is not the credential's")
    }
  }

  /// Throws unless the certificate has version 3 and says that it is not an authority's.
  func requireEndEntity() throws(WebAuthnFailure) {
    guard certificate.version == .v3 else { throw statement.invalid("the certificate is not of version 3") }
    guard case .notCertificateAuthority? = try read({ try certificate.extensions.basicConstraints }) else {
      throw statement.invalid("the certificate is an authority's, or does not say (basic constraints)")
    }
  }

  /// Throws if the certificate is for another model than the authenticator says it is.
  func requireModel() throws(WebAuthnFailure) {
    guard let named = certificate.extensions[oid: Self.aaguidExtension] else { return }
    guard !named.critical, Array(named.value) == [0x04, 0x10] + statement.credential.aaguid.bytes else {
      throw statement.invalid("the certificate is for another model (AAGUID), or its extension is critical")
    }
  }

  /// Returns the result of `body`, which reads an extension. Its error becomes a failure of the statement.
  func read<Value>(_ body: () throws -> Value) throws(WebAuthnFailure) -> Value {
    do { return try body() } catch {
      throw statement.invalid("an extension of the certificate cannot be read: \(error)")
    }
  }

  /// The texts of the subject's attributes of a type.
  func subject(_ type: ASN1ObjectIdentifier) -> [String] { certificate.subject.texts(of: type) }
}

extension DistinguishedName {
  /// The texts of the attributes of a type.
  func texts(of type: ASN1ObjectIdentifier) -> [String] {
    flatMap { name in name.filter { $0.type == type }.compactMap { String($0.value) } }
  }
}

extension SignatureKey {
  /// `nil` for a key of another kind.
  init?(_ key: Certificate.PublicKey) {
    if let key = P256.Signing.PublicKey(key) {
      self = .p256(key)
    } else if let key = P384.Signing.PublicKey(key) {
      self = .p384(key)
    } else if let key = P521.Signing.PublicKey(key) {
      self = .p521(key)
    } else if let key = _RSA.Signing.PublicKey(key) {
      self = .rsa(key)
    } else if let key = Curve25519.Signing.PublicKey(key) {
      self = .ed25519(key)
    } else {
      return nil
    }
  }
}

extension Certificate.PublicKey {
  /// `nil` for a key of a kind that certificates here do not have.
  init?(_ key: SignatureKey) {
    switch key {
    case .p256(let key): self.init(key)
    case .p384(let key): self.init(key)
    case .p521(let key): self.init(key)
    case .rsa(let key): self.init(key)
    case .ed25519(let key): self.init(key)
    case .ed448, .mlDSA65: return nil
    }
  }
}
