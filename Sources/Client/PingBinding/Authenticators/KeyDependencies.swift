internal import DeviceKeys
internal import Foundation
internal import PingLogger
internal import UserVerification

/// The dependencies of an authenticator during an operation.
struct KeyDependencies {
  let keyStore: any DeviceKeyStore
  let storage: UserKeysStorage
  /// The server and realm that keys are made for; `nil` outside a journey.
  var scope: KeyScope?
  let logger: any Logger
  let makeID: @Sendable () -> String
  let pinCollector: (any PinCollector)?
  let verifiers: PersonVerifiers
  /// Whether the store's keys can be attested.
  let attestation: KeyStoreAvailability
  /// Why the person could not unlock a key of the wanted type; `nil` when the person can, or when this was not checked.
  var personProblem: String?
  /// The tag for the next key, if it was recorded in advance.
  var reservedTag: String?
  /// The current time.
  var now: @Sendable () -> Date = { Date() }

  /// The dependencies of an authenticator that an app uses outside `bind()` and `sign()`.
  static func standard() throws -> KeyDependencies {
    KeyDependencies(
      keyStore: try StandardStores.keyStore(), storage: UserKeysStorage(config: UserKeyStorageConfig()),
      logger: BindingModule.logger(for: nil), makeID: { UUID().uuidString }, pinCollector: nil,
      verifiers: PersonVerifiers(
        biometric: nil, credential: nil, credentialSource: DefaultCredentialSource(), progress: { _ in },
        vault: StandardStores.vault()),
      attestation: .unavailable(UnsupportedReason.attestation))
  }
}
