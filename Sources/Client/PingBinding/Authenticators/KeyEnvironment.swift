internal import DeviceKeys
internal import Foundation
internal import PingLogger

/// What an authenticator works with during an operation.
struct KeyEnvironment {
  let keyStore: any DeviceKeyStore
  let storage: UserKeysStorage
  let logger: any Logger
  let makeID: @Sendable () -> String
  let pinCollector: (any PinCollector)?
  /// The tag for the next key, when it has been noted already.
  var reservedTag: String?

  /// What an authenticator that an app uses by itself works with.
  static func standard() throws -> KeyEnvironment {
    KeyEnvironment(
      keyStore: try SoftwareKeyStore(), storage: UserKeysStorage(config: UserKeyStorageConfig()),
      logger: BindingModule.logger(for: nil), makeID: { UUID().uuidString }, pinCollector: nil)
  }
}
