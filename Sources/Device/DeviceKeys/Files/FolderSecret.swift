internal import Bytes
package import Crypto
package import Foundation
package import PrivateFiles

/// 32 random bytes in a file of their own. All keys that encrypt a folder's files are derived from them, so a copy of an encrypted file
/// alone is worthless.
package struct FolderSecret: Sendable, Redacted {
  package static let byteCount = 32
  private let bytes: SymmetricKey

  /// The secret in `file`.
  ///
  /// - Throws: `FileStorageError.unreadable`, also when there is none.
  package static func existing(in file: URL) throws(FileStorageError) -> FolderSecret {
    guard let bytes = try ProtectedFiles.read(file, limit: byteCount) else {
      throw .unreadable(
        path: file.path, reason: "it is missing, and the files beside it cannot be decrypted without it")
    }
    return try FolderSecret(bytes, of: file)
  }

  /// Returns the secret in `file` for a new file of `folder`, and creates it for the first one. A lost secret is not replaced, because
  /// restoring it would then be impossible. Processes that race get the same secret.
  package static func forNewFile(
    of folder: KeyFolder, in file: URL, randomBytes: (Int) -> [UInt8]
  ) throws -> FolderSecret {
    guard try folder.files.isEmpty else { return try existing(in: file) }
    return try FolderSecret(
      ProtectedFiles.readOrCreate(file, limit: byteCount) { randomBytes(byteCount) }, of: file)
  }

  package init(_ bytes: [UInt8], of file: URL) throws(FileStorageError) {
    guard bytes.count == Self.byteCount else {
      throw .unreadable(
        path: file.path, reason: "a secret has \(Self.byteCount) bytes, and this file has \(bytes.count)")
    }
    self.bytes = SymmetricKey(data: bytes)
  }

  /// The key for `purpose` (HKDF-SHA256, RFC 5869), from the secret and `further`. Different purposes give unrelated keys.
  package func key(
    for purpose: some RawRepresentable<String>, with further: SymmetricKey? = nil, salt: [UInt8]
  ) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: further.map(bytes.appending) ?? bytes, salt: salt, info: Array(purpose.rawValue.utf8),
      outputByteCount: 32)
  }
}

extension SymmetricKey {
  fileprivate func appending(_ other: SymmetricKey) -> SymmetricKey {
    withUnsafeBytes { own in
      other.withUnsafeBytes { others in SymmetricKey(data: Array(own) + Array(others)) }
    }
  }
}
