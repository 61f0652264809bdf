internal import DeviceKeys
package import Foundation
internal import PingJourneyPlugin
internal import UserVerification

/// An authenticator that unlocks a bound key and signs with it in one step, like the authenticators of the earlier SDK.
package protocol OneStepAuthenticator: DeviceAuthenticator {
  /// The proof that this device has a bound key. Blocks its thread.
  func sign(_ request: OneStepRequest) throws -> String
}

/// The settings of an operation by an app's code for the earlier SDK. The stored authentication type is then the server's, not the
/// authenticator's, and the app's authenticator alone decides which custom claims it accepts.
package struct EarlierSDK {
  /// The time limit in seconds; 0 times out at once.
  package var timeout: Int
  /// The set of enrolled biometrics now, as the app's authenticator reports it.
  package var biometricDomainState: () -> Data? = { nil }
  /// Called when a binding has failed after a key could have been made. Blocks its thread.
  package var bindingFailed: (() -> Void)?

  package init(timeout: Int) { self.timeout = timeout }
}

/// The content that a bound key signs.
package struct OneStepRequest {
  package let userKey: UserKey
  package let challenge: String
  package let expiration: Date
  package let customClaims: [String: Any]
  package let applicationId: String
  /// The transaction that was shown and approved.
  package let transactionID: String?
}

extension DefaultDeviceAuthenticator {
  /// Prepares this authenticator for use with `config` outside `bind()` and `sign()`.
  package func prepare(with config: DeviceBindingConfig) throws {
    let dependencies = BindingDependencies(
      config: config, prompt: prompt ?? AppPinConfig.defaultPrompt, journey: journey, timeout: 0,
      defaultTimeout: 60)
    prepare(dependencies.keyDependencies(try dependencies.keyStore(), attestation: .available))
  }

  /// Prepares this authenticator to replace `other` in its operation.
  package func prepare(inPlaceOf other: DefaultDeviceAuthenticator) throws {
    prepare(try other.currentDependencies())
    journey = other.journey
    if let userId = other.userId { initialize(userId: userId) }
    if let prompt = other.prompt { setPrompt(prompt) }
  }

  /// Checks whether the person could unlock a key of this type, for ``isSupported(attestation:)``.
  package func lookForPerson() async throws {
    var dependencies = try currentDependencies()
    guard type().isBiometric, !dependencies.keyStore.verifiesPerson else { return }
    dependencies.personProblem = try await dependencies.unlocking(
      type: type(), reason: "", BiometricAuthenticatorConfig()
    ).problem()
    prepare(dependencies)
  }

  /// Signs `params` for the transaction that was shown and approved, and returns the proof. Blocks its thread.
  package func sign(_ params: UserKeySigningParameters, transactionID: String?) throws -> String {
    var params = params
    params.transactionID = transactionID
    return try params.blockingProof()
  }
}

extension BindingModule {
  /// Stores the description of a key that was made elsewhere, replacing one with the same key id.
  package static func keep(_ key: UserKey, in config: UserKeyStorageConfig) async throws {
    try await UserKeysStorage(config: config).keep(key)
  }
}
