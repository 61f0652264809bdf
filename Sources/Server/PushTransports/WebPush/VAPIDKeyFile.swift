public import Crypto
public import Foundation
internal import PrivateFiles

/// A VAPID key in a file: P-256, PKCS #8 in PEM, readable by its owner only.
public enum VAPIDKeyFile {
  /// Longest accepted file, in bytes.
  private static let maximumBytes = 16 << 10

  /// The key in the file. A missing file is created with a new key.
  ///
  /// - Throws: ``PushConfigurationError``, which names the file. An existing file is never changed.
  public static func key(at url: URL) throws(PushConfigurationError) -> P256.Signing.PrivateKey {
    let bytes: [UInt8]
    do throws(FileStorageError) {
      bytes = try ProtectedFiles.readOrCreate(url, limit: maximumBytes) {
        Array((P256.Signing.PrivateKey().pemRepresentation + "\n").utf8)
      }
    } catch {
      throw PushConfigurationError(
        "The key for Web Push \(url.path) cannot be read or created: \(error.errorMessage) Name a file in an existing folder that "
          + "may be written."
      )
    }
    // The cause is left out: it could quote the key.
    let pem = String(decoding: bytes, as: UTF8.self)
    guard let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) else {
      throw PushConfigurationError(
        "\(url.path) is not a P-256 private key in PEM. Name another file: one that does not exist is created with a new key."
      )
    }
    return key
  }
}
