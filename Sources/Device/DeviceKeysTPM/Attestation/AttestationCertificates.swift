internal import Crypto
internal import DeviceKeys
internal import Foundation
internal import PrivateFiles
internal import SwiftASN1
internal import X509

/// The PEM file with the certificates of the chip's attestation key: the key's own first, each followed by its issuer's.
struct AttestationCertificates: Sendable {
  static let maximumBytes = 256 << 10
  /// The number of certificates that a verifier accepts (docs/attestation.md).
  static let maximumCount = 10

  let file: URL

  /// Certificates in order, not verified: relying parties do that.
  struct Chain: Sendable, Hashable {
    /// DER, at least one.
    let certificates: [[UInt8]]
    /// The key in the first one, 04 ‖ x ‖ y.
    let leafKey: [UInt8]

    /// Why certificates are not a chain of an attestation key.
    struct Damage: Error {
      let reason: String
    }

    init(_ certificates: [[UInt8]]) throws(Damage) {
      guard (1...maximumCount).contains(certificates.count) else {
        throw Damage(reason: "there are \(certificates.count) certificates, not 1 to \(maximumCount)")
      }
      var parsed: [Certificate] = []
      for (index, der) in certificates.enumerated() {
        guard let certificate = try? Certificate(derEncoded: der) else {
          throw Damage(reason: "number \(index + 1) is not a certificate")
        }
        parsed.append(certificate)
      }
      for (index, certificate) in parsed.dropLast().enumerated()
      where certificate.issuer != parsed[index + 1].subject {
        throw Damage(
          reason:
            "number \(index + 1) is not followed by the certificate of '\(certificate.issuer)', its issuer")
      }
      guard let key = P256.Signing.PublicKey(parsed[0].publicKey) else {
        throw Damage(reason: "the first certificate's key is not on P-256")
      }
      self.certificates = certificates
      leafKey = Array(key.x963Representation)
    }
  }

  /// - Throws: ``DeviceKeyError/unsupported(_:)`` with what to do when there are none;
  ///   ``DeviceKeyError/unreadable(path:reason:)``.
  func read() throws -> Chain {
    guard let bytes = try reportingFiles({ try ProtectedFiles.read(file, limit: Self.maximumBytes) }) else {
      throw DeviceKeyError.unsupported(
        "The attestation key of this device's TPM has no certificate (\(file.path)). Get one with"
          + " 'sealring attestation request', and bind the device again.")
    }
    do {
      let documents = try PEMDocument.parseMultiple(pemString: String(decoding: bytes, as: UTF8.self))
      return try Chain(documents.map(\.derBytes))
    } catch let damage as Chain.Damage {
      throw DeviceKeyError.unreadable(path: file.path, reason: damage.reason)
    } catch {
      throw DeviceKeyError.unreadable(path: file.path, reason: "it is not a PEM file: \(error)")
    }
  }

  /// Replaces the content of the file with `chain`.
  func write(_ chain: Chain) throws {
    let text = chain.certificates
      .map { PEMDocument(type: "CERTIFICATE", derBytes: $0).pemString + "\n" }.joined()
    try reportingFiles {
      try ProtectedFiles.createFolder(file.deletingLastPathComponent())
      try ProtectedFiles.replace(file, with: Array(text.utf8))
    }
  }

  /// - Throws: ``DeviceKeyError/unsupported(_:)`` unless `chain` is of the key `attestationKey`.
  func check(_ chain: Chain, belongsTo attestationKey: PublicArea) throws {
    guard chain.leafKey == attestationKey.p256X963 else {
      throw DeviceKeyError.unsupported(
        "The certificate in \(file.path) is not one of this TPM's attestation key. The TPM was exchanged or cleared, or"
          + " the file is another device's: get one with 'sealring attestation request'.")
    }
  }
}
