#if !canImport(Security)
  public import PrivateFiles
#endif

/// A ``StorageDelegate`` in front of a ``Keychain``: the system's keychain on Apple platforms, a protected file
/// elsewhere.
// Adds no stored property.
public class KeychainStorage<T: Codable & Sendable>: StorageDelegate<T>, @unchecked Sendable {
  /// A storage for the item `account`.
  ///
  /// - Parameters:
  ///   - account: The item's name, unique in the app.
  ///   - encryptor: Encrypts what is stored.
  ///   - cacheable: Whether the item is kept in memory, too.
  public init(account: String, encryptor: any Encryptor = NoEncryptor(), cacheable: Bool = false) {
    super.init(delegate: Keychain<T>(account: account, encryptor: encryptor), cacheable: cacheable)
  }

  #if !canImport(Security)
    /// A storage for the item `account` in a separate home, for tests and for several identities in one process.
    public init(
      account: String, encryptor: any Encryptor = NoEncryptor(), cacheable: Bool = false, home: ClientHome
    ) {
      super.init(
        delegate: Keychain<T>(account: account, encryptor: encryptor, home: home), cacheable: cacheable)
    }
  #endif
}
