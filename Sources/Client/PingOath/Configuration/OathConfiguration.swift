internal import Concurrency
public import Foundation
public import LegacyMigration
public import PingCommons
public import PingLogger

/// The settings of an ``OathClient``, read once when it is created. Safe to use from any thread.
public final class OathConfiguration: Sendable {
  // One lock instead of `Guarded`, which belongs to PingOrchestrate: one-time codes need no workflows.
  private struct State {
    var storage: (any OathStorage)?
    var policyEvaluator: MfaPolicyEvaluator?
    var encryptionEnabled = true
    var timeoutMs: TimeInterval = 15
    var enableCredentialCache = false
    var legacyAccounts: LegacyAuthenticator? = LegacyAuthenticator()
    var logger: any Logger = LogManager.logger
    var now: @Sendable () -> Date = { Date() }
  }

  private let state = Locked(State())

  public init() {}

  /// A configuration set up by `configure`.
  public static func build(_ configure: (OathConfiguration) -> Void) -> OathConfiguration {
    let configuration = OathConfiguration()
    configure(configuration)
    return configuration
  }

  /// Where credentials are kept; an ``OathKeychainStorage`` when `nil`.
  public var storage: (any OathStorage)? {
    get { state.withLock { $0.storage } }
    set { state.withLock { $0.storage = newValue } }
  }

  /// Evaluates the credentials' policies; when `nil`, an evaluator for `biometricAvailable` and `deviceTampering`.
  public var policyEvaluator: MfaPolicyEvaluator? {
    get { state.withLock { $0.policyEvaluator } }
    set { state.withLock { $0.policyEvaluator = newValue } }
  }

  /// Whether stored data is encrypted. The default storage always encrypts, and creating a client with `false` and the default
  /// storage fails; an app's own storage decides for itself.
  public var encryptionEnabled: Bool {
    get { state.withLock { $0.encryptionEnabled } }
    set { state.withLock { $0.encryptionEnabled = newValue } }
  }

  /// How long to wait for a server, in seconds despite the name. It has no effect: this module contacts no server.
  public var timeoutMs: TimeInterval {
    get { state.withLock { $0.timeoutMs } }
    set { state.withLock { $0.timeoutMs = newValue } }
  }

  /// Whether credentials, with their secrets, are kept in memory. Codes never use a counter from memory.
  public var enableCredentialCache: Bool {
    get { state.withLock { $0.enableCredentialCache } }
    set { state.withLock { $0.enableCredentialCache = newValue } }
  }

  /// The earlier SDK's authenticator whose one-time codes are migrated when the client is created; by default the one in this
  /// platform's usual place. `nil` migrates nothing.
  ///
  /// Has no effect with a ``storage`` of the app's own: call ``OathMigration/migrate(from:to:logger:)``.
  public var legacyAccounts: LegacyAuthenticator? {
    get { state.withLock { $0.legacyAccounts } }
    set { state.withLock { $0.legacyAccounts = newValue } }
  }

  /// Logs what the client does; never secrets or codes.
  public var logger: any Logger {
    get { state.withLock { $0.logger } }
    set { state.withLock { $0.logger = newValue } }
  }

  /// The time; tests replace it.
  package var now: @Sendable () -> Date {
    get { state.withLock { $0.now } }
    set { state.withLock { $0.now = newValue } }
  }
}
