internal import Concurrency
internal import Foundation
public import PingLogger
public import PingStorage

#if !canImport(Security)
  public import PrivateFiles
#endif

/// A random identifier that is made on first use: the lower-case hexadecimal SHA-256 of a new RSA public key.
///
/// It reveals nothing about the hardware, and only the digest is stored. An installation with an earlier identifier keeps it.
public actor DefaultDeviceIdentifier: DeviceIdentifier {
  private let keySize: Int
  private let storage: any Storage<DeviceIdentifierImpl>
  /// The random bytes of an earlier installation; `nil` where none can exist.
  private let earlier: (any Storage<Data>)?
  private let logger: (any Logger)?
  private let mutex = AsyncMutex()
  private var known: String?

  /// The identifier of this device: in the keychain on Apple platforms, in the ``ClientHome`` elsewhere. It is read or made when
  /// ``id`` is first used.
  ///
  /// - Parameters:
  ///   - configuration: How the identifier is made and stored.
  ///   - logger: Logs when a new identifier is made; `nil` is the process's logger.
  /// - Throws: Nothing; ``id`` throws for an unsupported key size, and for a storage that cannot be read.
  public init(configuration: DeviceIdentifierConfiguration = .default, logger: (any Logger)? = nil) throws {
    #if canImport(Security)
      // The published modules may have stored an item in this account, in their own format and under their own key.
      self.init(
        configuration,
        storage: Keychain(
          account: "\(configuration.keychainAccount).sealring",
          encryptor: configuration.useEncryption ? DeviceEncryptor() : NoEncryptor()),
        earlier: Keychain(account: Constants.earlierKey), logger: logger)
    #else
      try self.init(configuration: configuration, home: .standard, logger: logger)
    #endif
  }

  /// The identifier in `storage`. With an `UpdatableStorage`, several processes get the same identifier.
  public init(
    configuration: DeviceIdentifierConfiguration = .default, storage: any Storage<DeviceIdentifierImpl>,
    logger: (any Logger)? = nil
  ) {
    self.init(keySize: configuration.keySize, storage: storage, earlier: nil, logger: logger)
  }

  #if !canImport(Security)
    /// The identifier in `home`, for tests and for several identities in one process.
    public init(
      configuration: DeviceIdentifierConfiguration = .default, home: ClientHome, logger: (any Logger)? = nil
    ) throws {
      self.init(
        configuration,
        storage: Keychain(
          account: configuration.keychainAccount,
          encryptor: configuration.useEncryption ? DeviceEncryptor(home: home) : NoEncryptor(), home: home),
        earlier: Keychain(account: Constants.earlierKey, home: home), logger: logger)
    }
  #endif

  private init(
    _ configuration: DeviceIdentifierConfiguration, storage: Keychain<DeviceIdentifierImpl>,
    earlier: Keychain<Data>, logger: (any Logger)?
  ) {
    // An identifier in another account is a separate one, and must not take over the earlier one.
    let hasEarlier = configuration.keychainAccount == Constants.deviceIdentifierKey
    self.init(
      keySize: configuration.keySize, storage: storage, earlier: hasEarlier ? earlier : nil, logger: logger)
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
  ///
  /// - Throws: ``DeviceIdentifierError/keyGenerationFailed(_:)`` for an unsupported key size; the storage's errors.
  public var id: String {
    get async throws {
      if let known { return known }
      return try await mutex.withLock {
        // An earlier identifier is read only when there is no stored one, because it may be unreadable by now.
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

  /// Drops the identifier from memory. The next use reads it from the storage.
  public func clearCache() { known = nil }

  /// Replaces the identifier with a new one. Servers then treat this as another device.
  ///
  /// - Returns: The new identifier.
  /// - Throws: ``DeviceIdentifierError/keyGenerationFailed(_:)``, or the storage's errors; the old identifier then stays.
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
  /// The stored item; when there is none, the result of `make` is stored first.
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
