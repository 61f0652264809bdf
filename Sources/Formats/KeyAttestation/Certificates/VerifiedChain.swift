internal import Crypto
internal import CryptoExtras
internal import JOSE
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

  /// All above the leaf, the root last.
  var issuers: some Collection<Certificate> { chain.dropFirst() }

  /// Throws unless the leaf certifies the key `jwk`.
  func requireLeafKey(_ jwk: JWK) throws(AttestationFailure) {
    guard let key = Certificate.PublicKey(jwk.material), key == leaf.publicKey else {
      throw AttestationFailure(
        .keyMismatch, "the leaf certificate's key is not the one that signed the proof")
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
