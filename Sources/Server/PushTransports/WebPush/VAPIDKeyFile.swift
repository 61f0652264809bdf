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
    if let key = try create(url) { return key }
    let data: Data
    do {
      let file = try FileHandle(forReadingFrom: url)
      defer { try? file.close() }
      data = try file.read(upToCount: maximumBytes) ?? Data()
    } catch {
      throw PushConfigurationError(
        "The key for Web Push \(url.path) cannot be read: \(FileReason.of(error)) Check its name and who may read it."
      )
    }
    // The cause is left out: it could quote the key.
    do { return try P256.Signing.PrivateKey(pemRepresentation: String(decoding: data, as: UTF8.self)) } catch
    {
      throw PushConfigurationError(
        "\(url.path) is no P-256 private key in PEM. Name another file: one that is not there is made with a new key."
      )
    }
  }

  /// A new key in a new file; `nil` when the file is there. Written beside and then named, so that nobody reads half of it.
  private static func create(_ url: URL) throws(PushConfigurationError) -> P256.Signing.PrivateKey? {
    guard !FileManager.default.fileExists(atPath: url.path) else { return nil }
    let key = P256.Signing.PrivateKey()
    let draft = url.deletingLastPathComponent()
      .appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString)").path
    func failure() -> PushConfigurationError {
      PushConfigurationError(
        "The key for Web Push \(url.path) cannot be made: \(String(cString: strerror(errno))). Name a file in a folder that is there and may be written."
      )
    }
    let descriptor = open(draft, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure() }
    defer { unlink(draft) }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      try file.write(contentsOf: Data((key.pemRepresentation + "\n").utf8))
      try file.synchronize()
      try file.close()
    } catch {
      throw PushConfigurationError(
        "The key for Web Push \(url.path) cannot be written: \(FileReason.of(error)) Make room, or name another file."
      )
    }
    // Unlike a renaming, a second name never takes the place of a file that another server has made meanwhile.
    guard link(draft, url.path) == 0 else {
      if errno == EEXIST { return nil }
      throw failure()
    }
    return key
  }
}
