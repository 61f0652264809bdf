internal import Concurrency
internal import Foundation
public import PingLogger
public import PingStorage

#if !canImport(Security)
  public import PrivateFiles
#endif

/// An identifier that is made at random on first use: the lower-case hexadecimal SHA-256 of a new RSA public key.
///
/// It says nothing about the hardware, and only the digest is stored. An installation that had an identifier before keeps
/// it.
public actor DefaultDeviceIdentifier: DeviceIdentifier {
  private let keySize: Int
  private let storage: any Storage<DeviceIdentifierImpl>
  /// The random bytes of an earlier installation; `nil` where there cannot be any.
  private let earlier: (any Storage<Data>)?
  private let logger: (any Logger)?
  private let mutex = AsyncMutex()
  private var known: String?

  /// The identifier of this device: in the keychain on Apple platforms, in the ``ClientHome`` elsewhere. Nothing is read or
  /// made before ``id`` is asked for.
  ///
  /// - Parameters:
  ///   - configuration: How the identifier is made and kept.
  ///   - logger: Hears when a new one is made; `nil` is the process's logger.
  /// - Throws: ``DeviceIdentifierError/keyGenerationFailed(_:)`` for a size that no key can have.
  public init(configuration: DeviceIdentifierConfiguration = .default, logger: (any Logger)? = nil) throws {
    try self.init(
      configuration, logger: logger,
      encryptor: configuration.useEncryption ? DeviceEncryptor() : NoEncryptor()
    ) { account, encryptor in
      (Keychain(account: account, encryptor: encryptor), Keychain(account: Constants.earlierKey))
    }
  }

  /// The identifier that `storage` keeps. One that conforms to `UpdatableStorage` gives several processes the same.
  public init(
    configuration: DeviceIdentifierConfiguration = .default, storage: any Storage<DeviceIdentifierImpl>,
    logger: (any Logger)? = nil
  ) {
    self.init(keySize: configuration.keySize, storage: storage, earlier: nil, logger: logger)
  }

  #if !canImport(Security)
    /// The identifier that is kept in `home`, for tests and for several identities in one process.
    public init(
      configuration: DeviceIdentifierConfiguration = .default, home: ClientHome, logger: (any Logger)? = nil
    ) throws {
      try self.init(
        configuration, logger: logger,
        encryptor: configuration.useEncryption ? DeviceEncryptor(home: home) : NoEncryptor()
      ) { account, encryptor in
        (
          Keychain(account: account, encryptor: encryptor, home: home),
          Keychain(account: Constants.earlierKey, home: home)
        )
      }
    }
  #endif

  private init(
    _ configuration: DeviceIdentifierConfiguration, logger: (any Logger)?, encryptor: any Encryptor,
    keychains: (String, any Encryptor) -> (Keychain<DeviceIdentifierImpl>, Keychain<Data>)
  ) throws {
    let size = configuration.keySize
    guard DeviceIdentifierKeyPair.sizes.contains(size), size.isMultiple(of: 8) else {
      throw DeviceIdentifierError.keyGenerationFailed(UnsupportedKeySize(bits: size))
    }
    let account = configuration.keychainAccount
    #if canImport(Security)
      // The published modules may have left an item there, in a form and under a key that are theirs.
      let (storage, earlier) = keychains("\(account).sealring", encryptor)
    #else
      let (storage, earlier) = keychains(account, encryptor)
    #endif
    // Another account is another identifier, which the earlier one must not become.
    let hasEarlier = account == Constants.deviceIdentifierKey
    self.init(keySize: size, storage: storage, earlier: hasEarlier ? earlier : nil, logger: logger)
  }

  init(
    keySize: Int, storage: any Storage<DeviceIdentifierImpl>, earlier: (any Storage<Data>)?,
    logger: (any Logger)?
  ) {
    self.keySize = keySize
    self.storage = storage
    self.earlier = earlier
    self.logger = logger
  }

  /// The identifier: the stored one, else that of an earlier installation, else a new one.
  public var id: String {
    get async throws {
      if let known { return known }
      return try await mutex.withLock {
        // An installation that has its identifier is not asked for an earlier one, which may be unreadable by now.
        if let stored = try await storage.get() { return remember(stored.id) }
        let earlier = try await earlier?.get().map { DeviceIdentifierImpl(randomBytes: $0) }
        let (keySize, logger) = (keySize, logger)
        let identifier = try await storage.value {
          if let earlier { return earlier }
          (logger ?? LogManager.logger).i("A new device identifier is made")
          return DeviceIdentifierImpl(deviceIdentifierKeyPair: try .generate(bits: keySize))
        }
        return remember(identifier.id)
      }
    }
  }

  /// Forgets the identifier in memory. The next use reads it from the storage.
  public func clearCache() { known = nil }

  /// Makes a new identifier in place of the old one. To servers, this is another device from then on.
  ///
  /// - Returns: The new identifier.
  /// - Throws: ``DeviceIdentifierError/keyGenerationFailed(_:)``, or what the storage throws; the old one is then still
  ///   there.
  @discardableResult
  public func regenerateIdentifier() async throws -> String {
    try await mutex.withLock {
      let identifier = DeviceIdentifierImpl(deviceIdentifierKeyPair: try .generate(bits: keySize))
      try await storage.save(item: identifier)
      (logger ?? LogManager.logger).i("The device identifier was replaced")
      return remember(identifier.id)
    }
  }

  private func remember(_ id: String) -> String {
    known = id
    return id
  }
}

extension Storage {
  /// The item that is kept; when there is none, the one that `make` returns is kept first.
  func value(or make: @escaping @Sendable () throws -> T) async throws -> T {
    if let storage = self as? any UpdatableStorage<T> {
      return try await storage.update { stored in
        let value = try stored ?? make()
        stored = value
        return value
      }
    }
    if let stored = try await get() { return stored }
    let value = try make()
    try await save(item: value)
    return value
  }
}
