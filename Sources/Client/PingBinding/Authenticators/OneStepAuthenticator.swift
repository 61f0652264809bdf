internal import DeviceKeys
package import Foundation
internal import PingJourneyPlugin

/// An authenticator that unlocks a bound key and signs with it in one step, as those of the earlier SDK do.
package protocol OneStepAuthenticator: DeviceAuthenticator {
  /// The proof that a bound key is here. Blocks its thread.
  func sign(_ request: OneStepRequest) throws -> String
}

/// What a bound key is to sign.
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
  /// Has this authenticator work outside of `bind()` and `sign()` as `config` says.
  package func prepare(with config: DeviceBindingConfig) throws {
    let dependencies = BindingDependencies(
      config: config, prompt: prompt ?? AppPinConfig.defaultPrompt, journey: journey, timeout: 0,
      defaultTimeout: 60)
    prepare(dependencies.keyDependencies(try dependencies.keyStore(), attestation: .available))
  }

  /// Has this authenticator take the place of `other` in its operation.
  package func prepare(inPlaceOf other: DefaultDeviceAuthenticator) throws {
    prepare(try other.currentDependencies())
    journey = other.journey
    if let userId = other.userId { initialize(userId: userId) }
    if let prompt = other.prompt { setPrompt(prompt) }
  }

  /// The proof that `params` are made of, for the transaction that was shown and approved; blocks its thread.
  package func sign(_ params: UserKeySigningParameters, transactionID: String?) throws -> String {
    var params = params
    params.transactionID = transactionID
    return try params.blockingProof()
  }
}

extension BindingModule {
  /// Keeps the description of a key that something else has made. One of the same key id is replaced.
  package static func keep(_ key: UserKey, in config: UserKeyStorageConfig) async throws {
    try await UserKeysStorage(config: config).keep(key)
  }
}
