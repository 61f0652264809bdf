internal import SwiftASN1
internal import X509

/// Root certificates that the operator trusts for one kind of attestation.
public struct TrustAnchors: Sendable, Hashable {
  private(set) var certificates: [Certificate]

  var store: CertificateStore { CertificateStore(certificates) }

  /// Whether nothing is trusted.
  public var isEmpty: Bool { certificates.isEmpty }

  /// Trust in nothing: every attestation of the kind is refused.
  public init() { certificates = [] }

  /// SHA-256 of each root's DER, in hexadecimal.
  package var fingerprints: [String] {
    certificates.compactMap { try? VerifiedAttestation.Root($0).fingerprint }
  }

  /// The roots that either of the two trusts.
  package func union(_ others: TrustAnchors) -> TrustAnchors {
    var union = TrustAnchors()
    union.certificates = certificates + others.certificates.filter { !certificates.contains($0) }
    return union
  }

  /// Reads root certificates.
  ///
  /// - Parameter encoded: the bytes of each file: PEM with any number of certificates, or DER of one.
  /// - Throws: ``TrustAnchorError`` for a file that is neither.
  public init(_ encoded: some Sequence<[UInt8]>) throws(TrustAnchorError) {
    var certificates: [Certificate] = []
    for (index, bytes) in encoded.enumerated() {
      do {
        if bytes.first == 0x30 {
          certificates.append(try Certificate(derEncoded: bytes))
        } else {
          let documents = try PEMDocument.parseMultiple(pemString: String(decoding: bytes, as: UTF8.self))
          guard !documents.isEmpty else {
            throw TrustAnchorError(index: index, reason: "it contains no certificate in PEM or DER")
          }
          certificates += try documents.map { try Certificate(pemDocument: $0) }
        }
      } catch let error as TrustAnchorError {
        throw error
      } catch {
        throw TrustAnchorError(index: index, reason: "\(error)")
      }
    }
    self.certificates = certificates
  }
}

/// A configured root certificate that cannot be read.
public struct TrustAnchorError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Which of the given files, from 0.
  public let index: Int
  public let reason: String

  public var description: String {
    "Root certificate \(index + 1) cannot be read: \(reason). Give a certificate in PEM or DER."
  }
}
