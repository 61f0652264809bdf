internal import Bytes
public import Foundation
public import LegacyMigration
public import PingCommons
public import PingLogger
public import PingNetwork
public import PingOrchestrate

/// The settings of a ``PushClient``, read once when it is created. Safe to use from any thread.
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

  /// Evaluates the credentials' policies; when `nil`, an evaluator for `biometricAvailable` and `deviceTampering`.
  @Guarded public var policyEvaluator: MfaPolicyEvaluator?

  /// Whether stored data is encrypted. The default storage always encrypts, and creating a client with `false` and the default
  /// storage fails; an app's own storage decides for itself.
  @Guarded public var encryptionEnabled: Bool = true

  /// How long to wait for a server's answer, in seconds.
  @Guarded public var timeout: TimeInterval = 15

  /// ``timeout`` in milliseconds; 0 when an `Int` cannot hold it.
  public var timeoutMs: Int {
    get { Int(exactly: (timeout * 1000).rounded()) ?? 0 }
    set { timeout = TimeInterval(newValue) / 1000 }
  }

  /// Whether credentials, with their secrets, are kept in memory.
  @Guarded public var enableCredentialCache: Bool = false

  /// The earlier SDK's authenticator whose push accounts are migrated when the client is created; by default the one in this
  /// platform's usual place. `nil` migrates nothing.
  ///
  /// Has no effect with a ``storage`` of the app's own: call ``PushMigration/migrate(from:to:logger:)``.
  @Guarded public var legacyAccounts: LegacyAuthenticator? = LegacyAuthenticator()

  /// Logs what the client does; never secrets, tokens or bodies.
  @Guarded public var logger: any Logger = LogManager.logger

  /// Handlers of the app, which are asked before the handler for PingAM; a handler under the key `pingam` replaces that one. Assign a
  /// list, a dictionary of handlers, or a `[String: Any]`.
  @Guarded public var customPushHandlers: PushHandlers = PushHandlers()

  /// When stored notifications are removed.
  @Guarded public var notificationCleanupConfig: NotificationCleanupConfig = .default()

  /// How the device describes itself to servers, and how messages reach it.
  @Guarded public var device: PushDeviceDescription = .current

  /// Sends the requests, for instance with pinned certificates; when `nil`, a client with ``timeout``. Its time limit must exceed
  /// the time passed to `fetchNotifications(wait:)`.
  @Guarded public var httpClient: (any HttpClientProtocol)?

  /// Whether to enrol with servers over `http`. This machine is always allowed; allow others for tests only: an eavesdropper
  /// learns who signs in, and can hold back answers.
  @Guarded public var allowsUnencryptedServers: Bool = false

  @Guarded package var dependencies: PushDependencies = PushDependencies()
}

/// What a client depends on; tests replace it.
package struct PushDependencies: Sendable {
  package var now: @Sendable () -> Date = { Date() }
  package var randomBytes: @Sendable (Int) -> [UInt8] = SystemRandom.bytes
  /// Waits before a retry; returns early when the task is cancelled.
  package var pause: @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }

  package init() {}
}
