internal import Crypto
internal import CryptoExtras
internal import JOSE
package import SwiftASN1
internal import X509

/// A chain from a leaf to a configured root, verified. Only ``UnverifiedChain`` makes one.
package struct VerifiedChain: Sendable {
  private let chain: ValidatedCertificateChain

  package let root: VerifiedAttestation.Root

  /// - Parameter chain: leaf and root at least.
  init(_ chain: ValidatedCertificateChain) throws(AttestationFailure) {
    do { root = try VerifiedAttestation.Root(chain.root) } catch {
      throw AttestationFailure(.chainUntrusted, "the root certificate cannot be written: \(error)")
    }
    self.chain = chain
  }

  var leaf: Certificate { chain.leaf }

  /// All certificates above the leaf, the root last.
  var issuers: some Collection<Certificate> { chain.dropFirst() }

  /// Throws unless the leaf certifies the key `jwk`.
  func requireLeafKey(_ jwk: JWK) throws(AttestationFailure) {
    guard let key = Certificate.PublicKey(jwk.material), key == leaf.publicKey else {
      throw AttestationFailure(.keyMismatch, "the leaf certificate is not for the key that signed the proof")
    }
  }
}

/// What the certificates of TPMs' keys are for (TCG Credential Profile for TPM 2.0, §3.2; TCG EK Credential Profile, §3.2).
package enum TPMKeyUsage {
  /// tcg-kp-AIKCertificate: the key signs nothing from outside that looks like a TPM's own structure. Without it, any
  /// certificate of the same authority would do.
  package static let attestationKey: ASN1ObjectIdentifier = [2, 23, 133, 8, 3]

  /// tcg-kp-EKCertificate.
  static let endorsementKey: ASN1ObjectIdentifier = [2, 23, 133, 8, 1]

  /// Critical extensions of the leaf beyond those that every chain may have. The usage is checked. The alternative name, which
  /// distinguishes TPMs, decides nothing; it is critical because most such certificates have no subject.
  package static let handledExtensions: [ASN1ObjectIdentifier] = [
    .X509ExtensionID.extendedKeyUsage, .X509ExtensionID.subjectAlternativeName,
  ]
}

extension Certificate {
  /// Throws when this is an authority's certificate, or is not for `usage`.
  ///
  /// - Parameters:
  ///   - key: What `usage` means, for messages.
  ///   - isSuitable: Whether the certificate's key usage fits; not called when it has none.
  func require(
    _ usage: ASN1ObjectIdentifier, _ key: String, _ isSuitable: (KeyUsage) -> Bool
  ) throws(AttestationFailure) {
    func check(_ isMet: Bool, _ fault: String) throws(AttestationFailure) {
      guard isMet else { throw AttestationFailure(.leafUnsuitable, "the certificate \(fault)") }
    }
    do {
      try check(
        extensions.extendedKeyUsage?.contains(.init(oid: usage)) == true,
        "is not for an \(key) (extended key usage \(usage))")
      if case .isCertificateAuthority? = try extensions.basicConstraints {
        try check(false, "is an authority's")
      }
      try check(extensions.keyUsage.map(isSuitable) ?? true, "has a key usage that is not an \(key)'s")
    } catch let failure as AttestationFailure {
      throw failure
    } catch {
      throw AttestationFailure(.leafUnsuitable, "an extension of the certificate cannot be read: \(error)")
    }
  }
}

extension Certificate.PublicKey {
  /// `nil` for numbers that the cryptographic library refuses.
  init?(_ material: JWK.Material) {
    switch material {
    case .p256(let x, let y):
      guard let key = try? P256.Signing.PublicKey(x963Representation: [4] + x + y) else { return nil }
      self.init(key)
    case .rsa(let modulus, let exponent):
      guard let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent) else { return nil }
      self.init(key)
    }
  }
}
