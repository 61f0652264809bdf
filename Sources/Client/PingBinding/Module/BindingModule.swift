internal import Concurrency
public import DeviceKeys
public import Foundation
public import PingJourneyPlugin
public import PingLogger
internal import PingOrchestrate
public import UserVerification

/// Device binding as a module: its callbacks, its logger, and the keys of this device.
///
/// A journey registers the callbacks by itself when this module is linked into the program.
public class BindingModule: NSObject, CallbackProvider {
  private static let ownLogger = Locked<(any Logger)?>(nil)
  private static let ownApplicationID = Locked<String?>(nil)

  public override init() { super.init() }

  /// Registers ``DeviceBindingCallback`` and ``DeviceSigningVerifierCallback`` before it returns. A class that the app has
  /// registered for one of these callback types stays. Legacy keys are migrated in the background; see ``BindingMigration``.
  public static func registerCallbacks() {
    CallbackRegistry.shared.registerIfAbsent(
      type: Constants.deviceBindingCallback, callback: DeviceBindingCallback.self)
    CallbackRegistry.shared.registerIfAbsent(
      type: Constants.deviceSigningVerifierCallback, callback: DeviceSigningVerifierCallback.self)
    BindingMigration.startAutomatic()
  }

  /// Sets where this module logs to. By default that is the journey's logger, or `LogManager.logger` outside a journey.
  public static func setLogger(_ logger: any Logger) { ownLogger.withLock { $0 = logger } }

  /// The application id that this process signs as, unless an operation names another one
  /// (``DeviceBindingConfig/applicationId``): one of those that the server's nodes list. Set it once, when the program starts.
  ///
  /// The default is the bundle identifier. A program without one, such as every program on Linux, signs as `local.` followed by the
  /// name of its executable, and a warning is logged.
  public static var applicationId: String? {
    get { ownApplicationID.withLock { $0 } ?? Bundle.main.bundleIdentifier }
    set { ownApplicationID.withLock { $0 = newValue } }
  }

  static func logger(for journey: Journey?) -> any Logger {
    ownLogger.withLock { $0 } ?? journey?.config.logger ?? LogManager.logger
  }

  /// The keys that are bound on this device, newest first.
  ///
  /// - Throws: When their descriptions cannot be read; the error names the file.
  public static func getAllKeys(userKeyStorage: UserKeyStorageConfig? = nil) async throws -> [UserKey] {
    try await UserKeysStorage(config: userKeyStorage ?? UserKeyStorageConfig()).findAll()
  }

  /// Removes `key` from this device: its private part and its description. The server is not told. Succeeds when the key is
  /// not there.
  ///
  /// - Parameters:
  ///   - key: The key to remove.
  ///   - userKeyStorage: Where descriptions are kept; `nil` is the default.
  ///   - keyStore: Where private keys are kept; `nil` is the default.
  ///   - authorizationVault: The vault of the values that unlock biometric keys; `nil` is the default.
  public static func deleteKey(
    _ key: UserKey, userKeyStorage: UserKeyStorageConfig? = nil, keyStore: (any DeviceKeyStore)? = nil,
    authorizationVault: AuthorizationVault? = nil
  ) async throws {
    try await delete(userKeyStorage, keyStore, authorizationVault) { $0.kid == key.kid }
  }

  /// Removes all keys from this device, as ``deleteKey(_:userKeyStorage:keyStore:authorizationVault:)`` does.
  public static func deleteAllKeys(
    userKeyStorage: UserKeyStorageConfig? = nil, keyStore: (any DeviceKeyStore)? = nil,
    authorizationVault: AuthorizationVault? = nil
  ) async throws {
    try await delete(userKeyStorage, keyStore, authorizationVault) { _ in true }
  }

  /// Changes the PIN that unlocks `key`. The key stays the same, so the server need not know. On failure the current PIN stays.
  ///
  /// - Parameters:
  ///   - key: A key with a PIN.
  ///   - currentPin: The PIN that unlocks it now.
  ///   - newPin: The PIN that will unlock it.
  ///   - policy: The requirements on the new PIN.
  ///   - keyStore: Where private keys are kept; `nil` is the default.
  /// - Throws: `PINPolicyViolation` for a new PIN that the policy refuses, before the current one is tried; `DeviceKeyError`,
  ///   for example when the current PIN is wrong, which counts as a wrong try.
  public static func changePin(
    of key: UserKey, from currentPin: PIN, to newPin: PIN, policy: PINPolicy = PINPolicy(),
    keyStore: (any DeviceKeyStore)? = nil
  ) async throws {
    if let violation = policy.violation(of: newPin) { throw violation }
    try await (keyStore ?? StandardStores.keyStore()).changePIN(
      tag: key.keyTag, from: currentPin, to: newPin)
  }

  private static func delete(
    _ userKeyStorage: UserKeyStorageConfig?, _ keyStore: (any DeviceKeyStore)?, _ vault: AuthorizationVault?,
    where condition: @escaping @Sendable (UserKey) -> Bool
  ) async throws {
    let removal = try removal(userKeyStorage, keyStore, vault)
    try await removal.remove(try await removal.storage.retire(where: condition))
  }

  static func removal(
    _ userKeyStorage: UserKeyStorageConfig?, _ keyStore: (any DeviceKeyStore)?, _ vault: AuthorizationVault?
  ) throws -> KeyRemoval {
    KeyRemoval(
      keyStore: try keyStore ?? StandardStores.keyStore(), vault: vault ?? StandardStores.vault(),
      storage: UserKeysStorage(config: userKeyStorage ?? UserKeyStorageConfig()), logger: logger(for: nil))
  }
}
