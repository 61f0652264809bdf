internal import Concurrency
internal import Foundation
internal import PingCommons
internal import PingLogger
internal import PingNetwork
internal import PingTamperDetector

/// Registers this device with servers, receives their questions, and sends the person's answers.
///
/// May be used from any number of tasks at once. A question is answered once, also when two tasks answer it.
public final class PushClient: Sendable {
  let storage: any PushStorage
  let evaluator: MfaPolicyEvaluator
  let handlers: PushHandlers
  let logger: any Logger
  let device: PushDeviceDescription
  let cleanupConfig: NotificationCleanupConfig
  let cache: CredentialCache?
  let allowsUnencryptedServers: Bool
  let dependencies: PushDependencies
  let gate = OperationGate()

  /// One at a time for each notification: answers, and what decides whether a message is new.
  let turns = NamedMutexes()

  /// Which messages brought which challenges.
  let challenges = KnownChallenges()
  /// One at a time: registrations, changes of the device token, and cleanups.
  let registering = AsyncMutex()
  let cleaning = AsyncMutex()

  /// Answers that the server has and the storage has not.
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

  /// A client with that configuration. The storage that it uses is written back to it.
  ///
  /// - Throws: ``PushError/initializationFailed(_:_:)``
  public static func createClient(configuration: PushConfiguration) async throws -> PushClient {
    guard configuration.timeout.isFinite, configuration.timeout > 0 else {
      throw PushError.initializationFailed("the timeout is not a positive number of seconds", nil)
    }
    let storage: any PushStorage
    if let given = configuration.storage {
      storage = given
    } else {
      guard configuration.encryptionEnabled else {
        throw PushError.initializationFailed(
          "encryptionEnabled is off, and the default storage always encrypts: set a storage of your own", nil)
      }
      storage = PushKeychainStorage(logger: configuration.logger)
    }
    do { _ = try await storage.getCurrentPushDeviceToken() } catch {
      throw PushError.initializationFailed("the storage cannot be read", error)
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
    cache = configuration.enableCredentialCache ? CredentialCache() : nil
    evaluator =
      configuration.policyEvaluator
      ?? MfaPolicyEvaluator.create {
        $0.policies = [BiometricAvailablePolicy(), DeviceTamperingPolicy()]
        $0.logger = configuration.logger
      }
    let timeout = configuration.timeout
    let http =
      configuration.httpClient
      ?? PingNetwork.HttpClient.createClient { config in
        config.timeout = timeout
        config.logger = configuration.logger
        config.allowsInsecureHTTP = configuration.allowsUnencryptedServers
      }
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
    delivery = PollingClient(
      http: configuration.httpClient
        ?? PingNetwork.HttpClient.createClient { config in
          // Longer than the server holds a poll.
          config.timeout = timeout + 30
          config.logger = configuration.logger
          config.allowsInsecureHTTP = configuration.allowsUnencryptedServers
        }, ownsClient: configuration.httpClient == nil, dependencies: configuration.dependencies,
      logger: configuration.logger)
  }

  deinit { delivery.close() }

  /// The handler that registers and answers for the credential.
  ///
  /// - Throws: ``PushError/noHandlerForPlatform(_:)``
  func handler(for platform: PushPlatform) throws(PushError) -> any PushHandler {
    guard let handler = handlers[platform.rawValue] else { throw .noHandlerForPlatform(platform.rawValue) }
    return handler
  }

  /// Ends the client: streams end, what runs is waited for, stored notifications are cleaned up once. Every call
  /// afterwards throws ``PushError/notInitialized``. Closing twice is allowed.
  public func close() async {
    guard gate.close() else { return }
    delivery.close()
    await gate.drained()
    cache?.clear()
    do { _ = try await cleanUp(credentialId: nil) } catch {
      logger.w("Stored notifications were not cleaned up at the end", error: error)
    }
  }
}

/// Credentials in memory, for clients that are configured to keep them.
final class CredentialCache: Sendable {
  private let credentials = Locked<[String: PushCredential]>([:])

  func get(_ id: String) -> PushCredential? { credentials.withLock { $0[id] } }
  func set(_ credential: PushCredential) { credentials.withLock { $0[credential.id] = credential } }
  func remove(_ id: String) { credentials.withLock { $0[id] = nil } }
  func clear() { credentials.withLock { $0 = [:] } }
}
