public import Crypto
public import Foundation
internal import PrivateFiles

/// A VAPID key in a file: P-256, PKCS #8 in PEM, readable by its owner alone.
public enum VAPIDKeyFile {
  /// Longest file that is read.
  private static let maximumBytes = 16 << 10

  /// The file's key. A file that is not there is made with a new one.
  ///
  /// - Throws: ``PushConfigurationError`` that names the file. A file that is there is never changed.
  public static func key(at url: URL) throws(PushConfigurationError) -> P256.Signing.PrivateKey {
    let bytes: [UInt8]
    do throws(FileStorageError) {
      bytes = try ProtectedFiles.readOrCreate(url, limit: maximumBytes) {
        Array((P256.Signing.PrivateKey().pemRepresentation + "\n").utf8)
      }
    } catch {
      throw PushConfigurationError(
        "The key for Web Push \(url.path) cannot be read or made: \(error.errorMessage) Name a file in a folder that is there and may be written."
      )
    }
    // The cause is left out: it could quote the key.
    do { return try P256.Signing.PrivateKey(pemRepresentation: String(decoding: bytes, as: UTF8.self)) } catch
    {
      throw PushConfigurationError(
        "\(url.path) is not a P-256 private key in PEM. Name another file: one that is not there is made with a new key."
      )
    }
  }
}
