internal import Bytes
internal import Concurrency
internal import Crypto
internal import Foundation
public import PingLogger
internal import PingStorage

/// The lower-case hexadecimal SHA-256 of a stored random UUID as an identifier: cheaper to make than ``DefaultDeviceIdentifier``, and
/// different from it.
public actor UUIDDeviceIdentifier: DeviceIdentifier {
  private let storage: any Storage<UUID>
  /// The storages of earlier installations, whose identifier is the stored UUID itself.
  private let earlier: [any Storage<UUID>]
  private let logger: (any Logger)?
  private let makeUUID: @Sendable () -> UUID
  private let mutex = AsyncMutex()

  /// The identifier of this device: in the keychain on Apple platforms, in the client's home elsewhere.
  ///
  /// - Parameter logger: Logs when a new identifier is made; `nil` is the process's logger.
  public init(logger: (any Logger)? = nil) {
    self.init(
      storage: Keychain<UUID>(account: Constants.uuidDigestKey),
      earlier: [Constants.uuidKey, Constants.earlierUUIDKey].map { Keychain<UUID>(account: $0) },
      logger: logger)
  }

  init(
    storage: any Storage<UUID>, earlier: [any Storage<UUID>] = [], logger: (any Logger)? = nil,
    makeUUID: @escaping @Sendable () -> UUID = { UUID() }
  ) {
    self.storage = storage
    self.earlier = earlier
    self.logger = logger
    self.makeUUID = makeUUID
  }

  /// The identifier of the stored UUID, else that of an earlier installation, else a new one. An installation whose identifier was the
  /// UUID itself keeps it.
  public var id: String {
    get async throws {
      try await mutex.withLock {
        if let stored = try await storage.get() { return Self.identifier(of: stored) }
        for storage in earlier { if let uuid = try await storage.get() { return uuid.uuidString } }
        let (makeUUID, logger) = (makeUUID, logger)
        return Self.identifier(
          of: try await storage.value {
            (logger ?? LogManager.logger).i("A new device identifier is made")
            return makeUUID()
          })
      }
    }
  }

  private static func identifier(of uuid: UUID) -> String {
    SHA256.hash(data: Data(uuid.uuidString.utf8)).hexadecimal
  }
}
