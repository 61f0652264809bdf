internal import Crypto
internal import Foundation
internal import PrivateFiles
internal import SwiftASN1
internal import X509

/// An authority's folder: `root-key.pem` (PKCS #8) and `root.pem`, readable by its owner only.
struct AuthorityFiles {
  let directory: URL

  private static let keyName = "root-key.pem"
  private static let certificateName = "root.pem"

  /// Longest accepted file, in bytes.
  private static let maximumBytes = 64 << 10

  /// Writes both files into a draft folder, and then renames it: an authority is written completely or not at all, and none is replaced.
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
    let key = try parsed(Self.keyName, as: "a P-256 private key in PEM") {
      try P256.Signing.PrivateKey(pemRepresentation: $0)
    }
    let root = try parsed(Self.certificateName, as: "a certificate in PEM") {
      try Certificate(pemEncoded: $0)
    }
    guard root.publicKey == Certificate.PublicKey(key.publicKey) else {
      throw AttestationAuthorityError(
        "\(path(Self.certificateName)) is not the certificate of \(Self.keyName). Restore both from a copy."
      )
    }
    return (key, root)
  }

  private func parsed<Value>(
    _ name: String, as what: String, _ parse: (String) throws -> Value
  ) throws(AttestationAuthorityError) -> Value {
    let text = try text(name)
    // The cause is left out: it could quote the key.
    do { return try parse(text) } catch {
      throw AttestationAuthorityError("\(path(name)) is not \(what). Restore it from a copy.")
    }
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
