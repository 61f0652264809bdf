internal import Bytes
public import Foundation
public import PingCommons
public import PingLogger
public import PingNetwork
public import PingOrchestrate

/// How a ``PushClient`` is set up. Read once, when the client is made. May be used from any thread.
// Every stored property is guarded.
public final class PushConfiguration: PushHandlersAsDictionary, @unchecked Sendable {
  public init() {}

  /// A configuration set up by `configure`.
  public static func build(_ configure: (PushConfiguration) -> Void) -> PushConfiguration {
    let configuration = PushConfiguration()
    configure(configuration)
    return configuration
  }

  /// Where credentials and notifications are kept; a ``PushKeychainStorage`` when `nil`.
  @Guarded public var storage: (any PushStorage)?

  /// Evaluates the policies of credentials; one that knows `biometricAvailable` and `deviceTampering` when `nil`.
  @Guarded public var policyEvaluator: MfaPolicyEvaluator?

  /// Whether what is stored is encrypted. The default storage always encrypts, and no client is made with `false` and
  /// the default storage; a storage of the app decides itself.
  @Guarded public var encryptionEnabled: Bool = true

  /// How long to wait for a server's answer, in seconds.
  @Guarded public var timeout: TimeInterval = 15

  /// ``timeout`` in milliseconds; 0 when no number holds it.
  public var timeoutMs: Int {
    get { Int(exactly: (timeout * 1000).rounded()) ?? 0 }
    set { timeout = TimeInterval(newValue) / 1000 }
  }

  /// Whether credentials, with their secrets, are kept in memory.
  @Guarded public var enableCredentialCache: Bool = false

  /// Hears what the client does; never secrets, tokens or bodies.
  @Guarded public var logger: any Logger = LogManager.logger

  /// Handlers of the app, asked before the one for PingAM; the key `pingam` replaces that one. A list, a dictionary of handlers,
  /// or a `[String: Any]`.
  @Guarded public var customPushHandlers: PushHandlers = PushHandlers()

  /// When stored notifications are removed.
  @Guarded public var notificationCleanupConfig: NotificationCleanupConfig = .default()

  /// What the device tells servers of itself, and how messages reach it.
  @Guarded public var device: PushDeviceDescription = .current

  /// Sends the requests, for instance with pinned certificates; one with ``timeout`` when `nil`. It has to wait longer than
  /// the time that is given to `fetchNotifications(wait:)`.
  @Guarded public var httpClient: (any HttpClientProtocol)?

  /// Whether servers may be enrolled with that are reached by `http`. This machine always may; others for tests only,
  /// because whoever listens on the way learns who signs in, and can keep answers from the server.
  @Guarded public var allowsUnencryptedServers: Bool = false

  @Guarded package var dependencies: PushDependencies = PushDependencies()
}

/// What a client takes from the world; tests replace it.
package struct PushDependencies: Sendable {
  package var now: @Sendable () -> Date = { Date() }
  package var randomBytes: @Sendable (Int) -> [UInt8] = SystemRandom.bytes
  /// Waits before a server is tried again; returns early when the task is cancelled.
  package var pause: @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }

  package init() {}
}
