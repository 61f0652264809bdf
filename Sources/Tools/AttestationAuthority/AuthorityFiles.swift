internal import Crypto
internal import Foundation
internal import PrivateFiles
internal import SwiftASN1
internal import X509

/// An authority's folder: `root-key.pem` (PKCS #8) and `root.pem`, for the owner alone.
struct AuthorityFiles {
  let directory: URL

  private static let keyName = "root-key.pem"
  private static let certificateName = "root.pem"

  /// Longest file that is read.
  private static let maximumBytes = 64 << 10

  /// Writes both into a folder next to it, which then takes the name: an authority is written whole or not at all, and none is replaced.
  func write(_ key: P256.Signing.PrivateKey, _ root: Certificate) throws(AttestationAuthorityError) {
    let draft = directory.deletingLastPathComponent()
      .appendingPathComponent(".\(directory.lastPathComponent).\(UUID().uuidString)")
    do {
      try ProtectedFiles.createFolder(draft)
      defer { try? FileManager.default.removeItem(at: draft) }
      try ProtectedFiles.create(
        draft.appendingPathComponent(Self.keyName), with: (key.pemRepresentation + "\n").utf8)
      try ProtectedFiles.create(
        draft.appendingPathComponent(Self.certificateName),
        with: (root.serializeAsPEM().pemString + "\n").utf8)
      guard rename(draft.path, directory.path) == 0 else {
        guard errno != EEXIST, errno != ENOTEMPTY, errno != ENOTDIR else {
          throw AttestationAuthorityError(
            "\(directory.path) already exists and is not empty. Choose a new folder.")
        }
        throw AttestationAuthorityError(
          "\(directory.path) cannot be created: \(String(cString: strerror(errno))).")
      }
      try ProtectedFiles.synchronize(folder: directory.deletingLastPathComponent())
    } catch let error as AttestationAuthorityError {
      throw error
    } catch {
      throw AttestationAuthorityError(
        "The authority's folder \(directory.path) cannot be written: \(FileReason.of(error))")
    }
  }

  func read() throws(AttestationAuthorityError) -> (P256.Signing.PrivateKey, Certificate) {
    let key: P256.Signing.PrivateKey
    // The cause is left out: it could quote the key.
    do { key = try P256.Signing.PrivateKey(pemRepresentation: try text(Self.keyName)) } catch let error
      as AttestationAuthorityError
    { throw error } catch {
      throw AttestationAuthorityError(
        "\(path(Self.keyName)) is not a P-256 private key in PEM. Restore it from a copy.")
    }
    let root: Certificate
    do { root = try Certificate(pemEncoded: try text(Self.certificateName)) } catch let error
      as AttestationAuthorityError
    { throw error } catch {
      throw AttestationAuthorityError(
        "\(path(Self.certificateName)) is not a certificate in PEM: \(error). Restore it from a copy.")
    }
    guard root.publicKey == Certificate.PublicKey(key.publicKey) else {
      throw AttestationAuthorityError(
        "\(path(Self.certificateName)) is not the certificate of \(Self.keyName). Restore both from a copy."
      )
    }
    return (key, root)
  }

  private func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

  private func text(_ name: String) throws(AttestationAuthorityError) -> String {
    var reason = "it does not exist."
    do throws(FileStorageError) {
      let bytes = try ProtectedFiles.read(directory.appendingPathComponent(name), limit: Self.maximumBytes)
      if let bytes { return String(decoding: bytes, as: UTF8.self) }
    } catch { reason = error.errorMessage }
    throw AttestationAuthorityError(
      "\(path(name)) cannot be read: \(reason) Name a folder that `sealring attestation authority create` made."
    )
  }
}
