internal import Concurrency
internal import DeviceKeys
@_exported public import FRAuth
@_exported public import FRCore
public import PingBinding
public import PingJourneyPlugin

/// The earlier SDK's device binding, implemented with PingBinding.
public final class FRDeviceBinding: CallbackProvider {
  private static let settings = Locked<@Sendable (DeviceBindingConfig) -> Void>({ _ in })

  /// Registers ``DeviceBindingCallback`` and ``DeviceSigningVerifierCallback``. `FRAuth.start()` calls it when this module is
  /// linked into the program.
  public static func registerCallbacks() {
    KeyPlace.use { try keyStore() }
    BindingModule.registerCallbacks()
    CallbackFactory.shared.registerCallback(
      callbackType: Constants.deviceBindingCallback, callbackClass: DeviceBindingCallback.self)
    CallbackFactory.shared.registerCallback(
      callbackType: Constants.deviceSigningVerifierCallback, callbackClass: DeviceSigningVerifierCallback.self
    )
  }

  /// Sets the configuration of every bind, every sign and ``FRUserKeys``, such as the key store and the application id. The
  /// earlier SDK has no such settings; without them the defaults apply.
  ///
  /// - Parameter settings: Changes each operation's configuration, before the operation's own settings.
  public static func configure(_ settings: @escaping @Sendable (DeviceBindingConfig) -> Void) {
    Self.settings.withLock { $0 = settings }
    KeyPlace.use { try keyStore() }
  }

  static func apply(to config: DeviceBindingConfig) {
    config.applicationId = FRAuth.shared?.options.applicationId
    // The app's options name its one server, which its earlier keys belong to.
    config.serverConfirmation = { _, _, _ in true }
    settings.withLock { $0 }(config)
  }

  /// The store of private keys.
  static func keyStore() throws -> any DeviceKeyStore {
    try configuration().keyStore ?? PingBinding.DefaultDeviceAuthenticator().keyStore()
  }

  /// Removes the keys that match `condition` from this device: private parts and descriptions.
  static func remove(where condition: (PingBinding.UserKey) -> Bool) async throws {
    let config = configuration()
    for key in try await BindingModule.getAllKeys(userKeyStorage: config.userKeyStorage)
    where condition(key) {
      try await BindingModule.deleteKey(
        key, userKeyStorage: config.userKeyStorage, keyStore: config.keyStore,
        authorizationVault: config.authorizationVault)
    }
  }

  static func configuration() -> DeviceBindingConfig {
    let config = DeviceBindingConfig()
    apply(to: config)
    return config
  }
}

/// FRCore's `KeyPair`, even where PingBinding is imported beside this module.
public typealias KeyPair = FRCore.KeyPair
/// FRCore's `CryptoKey`, even where PingBinding is imported beside this module.
public typealias CryptoKey = FRCore.CryptoKey
