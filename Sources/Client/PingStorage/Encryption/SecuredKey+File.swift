#if !canImport(Security)
  public import Bytes
  internal import Crypto
  public import Foundation
  internal import PingLogger
  public import PrivateFiles

  /// A key that stays on this device: AES-256-GCM, kept in a file of mode 0600 in the ``ClientHome``.
  ///
  /// It protects copies of the data without the key, such as a backup of one folder. Anyone who can read the whole home can
  /// read the data.
  public struct SecuredKey: Sendable, Redacted {
    private let key: SymmetricKey

    /// Whether keys of this kind are available; always `true` here.
    public static func isAvailable() -> Bool { true }

    /// The key `applicationTag` of the user's home, created on first use; `nil`, and a logged error, when that fails.
    public init?(applicationTag: String) {
      do {
        try self.init(applicationTag: applicationTag, home: .standard)
      } catch {
        LogManager.logger.e("The key \(applicationTag) cannot be used", error: error)
        return nil
      }
    }

    /// The key `applicationTag` of `home`, created on first use.
    ///
    /// - Throws: ``FileStorageError`` when it cannot be read or created. An unreadable key is never replaced, because
    ///   what it encrypted would be lost.
    public init(applicationTag: String, home: ClientHome) throws {
      key = SymmetricKey(data: try Self.bytes(applicationTag: applicationTag, home: home))
    }

    /// The 32 bytes of the key `applicationTag` of `home`, created on first use, for deriving further keys.
    package static func bytes(applicationTag: String, home: ClientHome) throws(FileStorageError) -> [UInt8] {
      let file = try home.folder("secured-keys").appendingPathComponent(fileName(for: applicationTag))
      let bytes = try ProtectedFiles.readOrCreate(file, limit: 32) {
        SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
      }
      guard bytes.count == 32 else {
        throw FileStorageError.unreadable(
          path: file.path, reason: "a key has 32 bytes, this file \(bytes.count)")
      }
      return bytes
    }

    /// Nonce, ciphertext and tag of `data`; `nil` when encryption fails.
    public func encrypt(data: Data) -> Data? {
      try? AES.GCM.seal(data, using: key).combined
    }

    /// Returns the data that ``encrypt(data:)`` encrypted; `nil` when `data` were changed or encrypted with another key.
    public func decrypt(data: Data) -> Data? {
      guard let box = try? AES.GCM.SealedBox(combined: data) else { return nil }
      return try? AES.GCM.open(box, using: key)
    }
  }
#endif
