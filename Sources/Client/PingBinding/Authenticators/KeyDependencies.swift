internal import DeviceKeys
internal import Foundation
internal import PingLogger
internal import UserVerification

/// What an authenticator works with during an operation.
struct KeyDependencies {
  let keyStore: any DeviceKeyStore
  let storage: UserKeysStorage
  /// Where keys are made for; `nil` outside of a journey.
  var scope: KeyScope?
  let logger: any Logger
  let makeID: @Sendable () -> String
  let pinCollector: (any PinCollector)?
  let verifiers: PersonVerifiers
  /// Whether the store's keys can be attested.
  let attestation: KeyStoreAvailability
  /// Why no key of the wanted type can be unlocked by the person; `nil` also when that was not asked.
  var personProblem: String?
  /// The tag for the next key, when it has been noted already.
  var reservedTag: String?
  /// What time it is.
  var now: @Sendable () -> Date = { Date() }

  /// What an authenticator that an app uses by itself works with.
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
