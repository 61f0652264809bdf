internal import Crypto
internal import DeviceKeys
internal import Foundation
internal import PingStorage
internal import SwiftASN1
internal import X509

/// The file with the certificate of the chip's attestation key and the ones above it, in PEM, leaf first.
struct AttestationCertificates: Sendable {
  static let fileName = "attestation.pem"
  private static let maximumBytes = 64 << 10
  private static let maximumCount = 8

  let file: URL

  /// The certificates in DER; `nil` when there is no file.
  ///
  /// - Throws: ``DeviceKeyError/unreadable(path:reason:)``.
  func chain() throws -> [[UInt8]]? {
    guard let bytes = try reportingFiles({ try ProtectedFiles.read(file, limit: Self.maximumBytes) }) else {
      return nil
    }
    let documents = try? PEMDocument.parseMultiple(pemString: String(decoding: bytes, as: UTF8.self))
    guard let documents, (1...Self.maximumCount).contains(documents.count),
      documents.allSatisfy({ $0.discriminator == "CERTIFICATE" })
    else {
      throw DeviceKeyError.unreadable(
        path: file.path, reason: "it is no list of 1 to \(Self.maximumCount) certificates in PEM")
    }
    return documents.map(\.derBytes)
  }

  /// Replaces the file.
  func install(_ chain: [[UInt8]]) throws {
    let text = chain.map { PEMDocument(type: "CERTIFICATE", derBytes: $0).pemString + "\n" }.joined()
    try reportingFiles {
      try ProtectedFiles.createFolder(file.deletingLastPathComponent())
      try ProtectedFiles.replace(file, with: Array(text.utf8))
    }
  }

  /// Whether the first certificate is for the P-256 key `x963` (04 ‖ x ‖ y).
  static func leaf(of chain: [[UInt8]], isFor x963: [UInt8]) -> Bool {
    guard let leaf = chain.first, let certificate = try? Certificate(derEncoded: leaf),
      let key = P256.Signing.PublicKey(certificate.publicKey)
    else { return false }
    return Array(key.x963Representation) == x963
  }
}
