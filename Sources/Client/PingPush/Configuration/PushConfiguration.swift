internal import Bytes
internal import Concurrency
public import Foundation
public import PingCommons
public import PingLogger
public import PingNetwork

/// How a ``PushClient`` is set up. Read once, when the client is made. May be used from any thread.
public final class PushConfiguration: PushHandlersAsDictionary, Sendable {
  private struct State {
    var storage: (any PushStorage)?
    var policyEvaluator: MfaPolicyEvaluator?
    var encryptionEnabled = true
    var timeout: TimeInterval = 15
    var enableCredentialCache = false
    var logger: any Logger = LogManager.logger
    var customPushHandlers = PushHandlers()
    var notificationCleanupConfig = NotificationCleanupConfig.default()
    var device = PushDeviceDescription.current
    var httpClient: (any HttpClientProtocol)?
    var allowsUnencryptedServers = false
    var dependencies = PushDependencies()
  }

  private let state = Locked(State())

  public init() {}

  /// A configuration set up by `configure`.
  public static func build(_ configure: (PushConfiguration) -> Void) -> PushConfiguration {
    let configuration = PushConfiguration()
    configure(configuration)
    return configuration
  }

  /// Where credentials and notifications are kept; a ``PushKeychainStorage`` when `nil`.
  public var storage: (any PushStorage)? {
    get { state.withLock { $0.storage } }
    set { state.withLock { $0.storage = newValue } }
  }

  /// Evaluates the policies of credentials; one that knows `biometricAvailable` and `deviceTampering` when `nil`.
  public var policyEvaluator: MfaPolicyEvaluator? {
    get { state.withLock { $0.policyEvaluator } }
    set { state.withLock { $0.policyEvaluator = newValue } }
  }

  /// Whether what is stored is encrypted. The default storage always encrypts, and no client is made with `false` and
  /// the default storage; a storage of the app decides itself.
  public var encryptionEnabled: Bool {
    get { state.withLock { $0.encryptionEnabled } }
    set { state.withLock { $0.encryptionEnabled = newValue } }
  }

  /// How long to wait for a server's answer, in seconds.
  public var timeout: TimeInterval {
    get { state.withLock { $0.timeout } }
    set { state.withLock { $0.timeout = newValue } }
  }

  /// ``timeout`` in milliseconds; 0 when no number holds it.
  public var timeoutMs: Int {
    get { Int(exactly: (timeout * 1000).rounded()) ?? 0 }
    set { timeout = TimeInterval(newValue) / 1000 }
  }

  /// Whether credentials, with their secrets, are kept in memory.
  public var enableCredentialCache: Bool {
    get { state.withLock { $0.enableCredentialCache } }
    set { state.withLock { $0.enableCredentialCache = newValue } }
  }

  /// Hears what the client does; never secrets, tokens or bodies.
  public var logger: any Logger {
    get { state.withLock { $0.logger } }
    set { state.withLock { $0.logger = newValue } }
  }

  /// Handlers of the app, asked before the one for PingAM; the key `pingam` replaces that one. A list, a dictionary of handlers,
  /// or a `[String: Any]`.
  public var customPushHandlers: PushHandlers {
    get { state.withLock { $0.customPushHandlers } }
    set { state.withLock { $0.customPushHandlers = newValue } }
  }

  /// When stored notifications are removed.
  public var notificationCleanupConfig: NotificationCleanupConfig {
    get { state.withLock { $0.notificationCleanupConfig } }
    set { state.withLock { $0.notificationCleanupConfig = newValue } }
  }

  /// What the device tells servers of itself, and how messages reach it.
  public var device: PushDeviceDescription {
    get { state.withLock { $0.device } }
    set { state.withLock { $0.device = newValue } }
  }

  /// Sends the requests, for instance with pinned certificates; one with ``timeout`` when `nil`. It has to wait longer than
  /// the time that is given to `fetchNotifications(wait:)`.
  public var httpClient: (any HttpClientProtocol)? {
    get { state.withLock { $0.httpClient } }
    set { state.withLock { $0.httpClient = newValue } }
  }

  /// Whether servers may be enrolled with that are reached by `http`. This machine always may; others for tests only,
  /// because whoever listens on the way learns who signs in, and can keep answers from the server.
  public var allowsUnencryptedServers: Bool {
    get { state.withLock { $0.allowsUnencryptedServers } }
    set { state.withLock { $0.allowsUnencryptedServers = newValue } }
  }

  package var dependencies: PushDependencies {
    get { state.withLock { $0.dependencies } }
    set { state.withLock { $0.dependencies = newValue } }
  }
}

/// What a client takes from the world; tests replace it.
package struct PushDependencies: Sendable {
  package var now: @Sendable () -> Date = { Date() }
  package var randomBytes: @Sendable (Int) -> [UInt8] = SystemRandom.bytes
  /// Waits before a server is tried again; returns early when the task is cancelled.
  package var pause: @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }

  package init() {}
}
