internal import DeviceKeys
package import Foundation
internal import PingJourneyPlugin

/// An authenticator that unlocks a bound key and signs with it in one step, like those of the earlier SDK.
package protocol OneStepAuthenticator: DeviceAuthenticator {
  /// The proof that a bound key is here. Blocks its thread.
  func sign(_ request: OneStepRequest) throws -> String
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

  /// The proof with the content `params`, for the transaction that was shown and approved. Blocks its thread.
  package func sign(_ params: UserKeySigningParameters, transactionID: String?) throws -> String {
    var params = params
    params.transactionID = transactionID
    return try params.blockingProof()
  }
}

extension BindingModule {
  /// Stores the description of a key that was made elsewhere, in place of one with the same key id.
  package static func keep(_ key: UserKey, in config: UserKeyStorageConfig) async throws {
    try await UserKeysStorage(config: config).keep(key)
  }
}
