internal import Concurrency
internal import Foundation
public import PingLogger
internal import PingStorage

/// A stored random UUID as an identifier: cheaper to make than ``DefaultDeviceIdentifier``, and different from it.
public actor UUIDDeviceIdentifier: DeviceIdentifier {
  private let storage: any Storage<UUID>
  private let earlier: (any Storage<UUID>)?
  private let logger: (any Logger)?
  private let makeUUID: @Sendable () -> UUID
  private let mutex = AsyncMutex()

  /// The identifier of this device: in the keychain on Apple platforms, in the client's home elsewhere.
  ///
  /// - Parameter logger: Logs when a new identifier is made; `nil` is the process's logger.
  public init(logger: (any Logger)? = nil) {
    self.init(
      storage: Keychain<UUID>(account: Constants.uuidKey),
      earlier: Keychain<UUID>(account: Constants.earlierUUIDKey), logger: logger)
  }

  init(
    storage: any Storage<UUID>, earlier: (any Storage<UUID>)? = nil, logger: (any Logger)? = nil,
    makeUUID: @escaping @Sendable () -> UUID = { UUID() }
  ) {
    self.storage = storage
    self.earlier = earlier
    self.logger = logger
    self.makeUUID = makeUUID
  }

  /// The stored identifier, else an earlier installation's, else a new one.
  public var id: String {
    get async throws {
      try await mutex.withLock {
        if let stored = try await storage.get() { return stored.uuidString }
        let earlier = try await earlier?.get()
        let (makeUUID, logger) = (makeUUID, logger)
        return try await storage.value {
          if let earlier { return earlier }
          (logger ?? LogManager.logger).i("A new device identifier is made")
          return makeUUID()
        }.uuidString
      }
    }
  }
}
