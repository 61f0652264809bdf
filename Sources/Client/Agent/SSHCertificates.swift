package import Foundation
internal import PrivateFiles
package import SSHFormats

/// The certificates of this device's keys for SSH: of each key at most one, in a file `NAME-cert.pub` beside the keys.
package struct SSHCertificates: Sendable {
  /// The longest line that is read, in bytes.
  private static let longestLine = 32 << 10

  private let folder: URL

  /// - Parameter folder: That of the keys.
  package init(folder: URL) { self.folder = folder }

  /// Where the certificate of a key is.
  package func file(of key: SSHKey) -> URL { folder.appending(path: "\(key.name)-cert.pub") }

  /// The certificate that is kept for a key, valid or not; `nil` when there is none, or the file has another: of another key, of a host, damaged.
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

  /// Keeps a certificate in place of an earlier one of the same key.
  ///
  /// - Throws: `FileStorageError`
  package func keep(_ certificate: SSHCertificate, of key: SSHKey) throws {
    try ProtectedFiles.createFolder(folder)
    try ProtectedFiles.replace(file(of: key), with: Array((certificate.line(comment: key.name) + "\n").utf8))
  }

  /// - Throws: `FileStorageError`
  package func remove(of key: SSHKey) throws { try ProtectedFiles.remove(file(of: key)) }
}
