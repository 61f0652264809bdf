internal import Concurrency
internal import Foundation
internal import PingCommons
internal import PingLogger
internal import PingNetwork
internal import PingTamperDetector

/// Registers this device with servers, receives their questions, and sends the person's answers.
///
/// Safe to use from any number of tasks at once. A question is answered once, even when two tasks answer it.
public final class PushClient: Sendable {
  let storage: any PushStorage
  let evaluator: MfaPolicyEvaluator
  let handlers: PushHandlers
  let logger: any Logger
  let device: PushDeviceDescription
  let cleanupConfig: NotificationCleanupConfig
  /// Credentials in memory, for clients that are configured to keep them.
  let cache: Locked<[String: PushCredential]>?
  let allowsUnencryptedServers: Bool
  let dependencies: PushDependencies
  let gate = OperationGate()

  /// Runs one at a time, for each name: answers to a notification, checks whether a message is new, and changes of a credential.
  let turns = NamedMutexes()

  /// The message ids of the challenges in the last messages that this process has received.
  ///
  /// Pending notifications are found in the storage; these ids find the answered ones. While the process runs, a captured message
  /// that comes again under another id counts as the one that was answered. The server never takes a second answer to a challenge.
  /// The limit is more than a device receives while a message can be answered.
  let challenges = RecentValues<String>(limit: 2048)

  /// Runs registrations and changes of the device token one at a time, as ``cleaning`` does with cleanups.
  let registering = AsyncMutex()
  let cleaning = AsyncMutex()

  /// Answers that the server has and the storage does not have yet.
  let unsaved = Locked<[String: PushNotification]>([:])

  let delivery: PollingClient

  static let standardHandlerKey = PushPlatform.pingAM.rawValue

  /// A client set up by `configure`.
  ///
  /// - Throws: ``PushError/initializationFailed(_:_:)``
  public static func createClient(
    configure: (PushConfiguration) -> Void = { _ in }
  ) async throws -> PushClient {
    try await createClient(configuration: PushConfiguration.build(configure))
  }

  /// A client with that configuration, whose `storage` is set to the storage that the client uses.
  ///
  /// - Throws: ``PushError/initializationFailed(_:_:)``
  public static func createClient(configuration: PushConfiguration) async throws -> PushClient {
    guard configuration.timeout.isFinite, configuration.timeout > 0 else {
      throw PushError.initializationFailed("the timeout is not a positive number of seconds", nil)
    }
    guard configuration.storage != nil || configuration.encryptionEnabled else {
      throw PushError.initializationFailed(
        "encryptionEnabled is off, and the default storage always encrypts: set a storage of your own", nil)
    }
    let storage = configuration.storage ?? PushKeychainStorage(logger: configuration.logger)
    do { _ = try await storage.getCurrentPushDeviceToken() } catch {
      throw PushError.initializationFailed("the storage cannot be read", error)
    }
    // An app's own storage may be in memory or belong to another account, so nothing is migrated to it.
    if configuration.storage == nil, let legacy = configuration.legacyAccounts {
      await PushMigration.beforeUse(of: storage, from: legacy, logger: configuration.logger)
    }
    configuration.storage = storage
    return PushClient(configuration, storage: storage)
  }

  private init(_ configuration: PushConfiguration, storage: any PushStorage) {
    self.storage = storage
    logger = configuration.logger
    device = configuration.device
    dependencies = configuration.dependencies
    allowsUnencryptedServers = configuration.allowsUnencryptedServers
    cleanupConfig = configuration.notificationCleanupConfig
    cache = configuration.enableCredentialCache ? Locked([:]) : nil
    evaluator =
      configuration.policyEvaluator
      ?? MfaPolicyEvaluator.create {
        $0.policies = [BiometricAvailablePolicy(), DeviceTamperingPolicy()]
        $0.logger = configuration.logger
      }
    func client(longer seconds: TimeInterval) -> any HttpClientProtocol {
      configuration.httpClient
        ?? PingNetwork.HttpClient.createClient { config in
          config.timeout = configuration.timeout + seconds
          config.logger = configuration.logger
          config.allowsInsecureHTTP = configuration.allowsUnencryptedServers
        }
    }
    let http = client(longer: 0)
    var handlers: PushHandlers = configuration.customPushHandlers
    for (key, type) in handlers.leftOut.sorted(by: { $0.key < $1.key }) {
      configuration.logger.w("customPushHandlers: \(key) is a \(type), not a PushHandler, and is left out")
    }
    if handlers[Self.standardHandlerKey] == nil {
      let responder = PingAMPushResponder(
        httpClient: http, logger: configuration.logger, device: configuration.device,
        now: configuration.dependencies.now)
      handlers[Self.standardHandlerKey] = PingAMPushHandler(
        httpClient: http, logger: configuration.logger, pushResponder: responder, device: configuration.device
      )
    }
    self.handlers = handlers
    // This time limit exceeds the time for which a server holds a poll.
    delivery = PollingClient(
      http: client(longer: 30), ownsClient: configuration.httpClient == nil,
      dependencies: configuration.dependencies, logger: configuration.logger)
  }

  deinit { delivery.close() }

  /// The handler that registers and answers for credentials of `platform`.
  ///
  /// - Throws: ``PushError/noHandlerForPlatform(_:)``
  func handler(for platform: PushPlatform) throws(PushError) -> any PushHandler {
    guard let handler = handlers[platform.rawValue] else { throw .noHandlerForPlatform(platform.rawValue) }
    return handler
  }

  /// Closes the client: ends streams, waits for running calls, and cleans up stored notifications once. Every later call
  /// throws ``PushError/notInitialized``. Closing twice is allowed.
  public func close() async {
    guard gate.close() else { return }
    delivery.close()
    await gate.drained()
    cache?.withLock { $0 = [:] }
    do { _ = try await cleanUp(credentialId: nil) } catch {
      logger.w("Stored notifications were not cleaned up at the end", error: error)
    }
  }
}
