package import Foundation
internal import PrivateFiles
package import SSHFormats

/// The certificates of this device's keys for SSH: at most one per key, in a file `NAME-cert.pub` beside the keys.
package struct SSHCertificates: Sendable {
  /// The longest line that is read, in bytes.
  private static let longestLine = 32 << 10

  private let folder: URL

  /// - Parameter folder: The folder of the keys.
  package init(folder: URL) { self.folder = folder }

  /// The file of a key's certificate.
  package func file(of key: SSHKey) -> URL { folder.appending(path: "\(key.name)-cert.pub") }

  /// The stored certificate of a key, valid or not; `nil` when there is none, or when it is of another key, of a host, or damaged.
  ///
  /// - Throws: `FileStorageError` when it cannot be read.
  package func certificate(of key: SSHKey) throws -> SSHCertificate? {
    guard let bytes = try ProtectedFiles.read(file(of: key), limit: Self.longestLine) else { return nil }
    let line = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    guard let certificate = try? SSHCertificate(verifyingLine: line),
      certificate.contents.kind == .user, certificate.contents.key.blob == key.publicKey.blob
    else { return nil }
    return certificate
  }

  /// Stores a certificate, in place of an earlier one of the same key.
  ///
  /// - Throws: `FileStorageError`
  package func keep(_ certificate: SSHCertificate, of key: SSHKey) throws {
    try ProtectedFiles.createFolder(folder)
    try ProtectedFiles.replace(file(of: key), with: Array((certificate.line(comment: key.name) + "\n").utf8))
  }

  /// - Throws: `FileStorageError`
  package func remove(of key: SSHKey) throws { try ProtectedFiles.remove(file(of: key)) }
}
