internal import Concurrency
internal import DeviceKeys
internal import Foundation
internal import PingBinding
internal import PingJourneyPlugin

/// Adapts an app's authenticator of the earlier SDK to PingBinding, and calls it in the earlier SDK's order: `initialize`, `isSupported`,
/// `validateCustomClaims`, then keys or a signature.
final class LegacyAuthenticator: PingBinding.DefaultDeviceAuthenticator, OneStepAuthenticator {
  private let chosen: any DeviceAuthenticator
  private let texts: Prompt
  private var made: PingBinding.KeyPair?

  /// - Parameter prompt: The texts that are passed to `chosen`.
  init(_ chosen: any DeviceAuthenticator, prompt: Prompt) {
    self.chosen = chosen
    texts = prompt
  }

  override func initialize(userId: String, prompt: PingBinding.Prompt) {
    super.initialize(userId: userId, prompt: prompt)
    chosen.initialize(userId: userId, prompt: texts)
  }

  override func type() -> PingBinding.DeviceBindingAuthenticationType { chosen.type().described }

  override func validateCustomClaims(_ customClaims: [String: Any]) -> Bool {
    chosen.validateCustomClaims(customClaims)
  }

  /// The earlier SDK has no attestation: its keys are attested only when PingBinding's authenticators make them.
  override func isSupported(attestation: Attestation) -> Bool {
    let isSupported = try? chosen.working(in: LegacyOperation(place: self)) { chosen.isSupported() }
    guard isSupported == true else { return false }
    guard let engine = chosen.authenticator().standard, (try? engine.prepare(inPlaceOf: self)) != nil else {
      return attestation == .none
    }
    return engine.isSupported(attestation: attestation)
  }

  override func register() async throws -> PingBinding.KeyPair {
    let work = Transferred((chosen, self))
    let pair = try await onOwnThread {
      let (chosen, place) = work.value
      return try chosen.working(in: LegacyOperation(place: place)) { try chosen.generateKeys().pair }
    }
    made = pair
    return pair
  }

  @_disfavoredOverload
  override func authenticate(keyTag: String) async -> Result<any DeviceKey, any Error> {
    guard let made, made.keyTag == keyTag else { return .failure(DeviceBindingError.deviceNotRegistered) }
    return .success(made.deviceKey)
  }

  override func sign(params: SigningParameters, journey: Journey?) throws -> String {
    let operation = LegacyOperation(
      place: self, applicationId: params.applicationId, attestation: params.attestation)
    return try chosen.working(in: operation) {
      try chosen.sign(
        keyPair: KeyPair(params.keyPair), kid: params.kid, userId: params.userId,
        challenge: params.challenge, expiration: params.expiration)
    }
  }

  func sign(_ request: OneStepRequest) throws -> String {
    let operation = LegacyOperation(
      place: self, applicationId: request.applicationId, transactionID: request.transactionID)
    return try chosen.working(in: operation) {
      try chosen.sign(
        userKey: UserKey(request.userKey), challenge: request.challenge, expiration: request.expiration,
        customClaims: request.customClaims)
    }
  }
}

extension DeviceAuthenticator {
  /// Lets an app's authenticator delete its keys after a failed binding. Our default deletes nothing: the flow removes the new key, and
  /// the user's earlier key stays.
  func discardKeys() {
    try? working(in: LegacyOperation(keepsKeys: true)) { deleteKeys() }
  }

  /// Runs `body` with `operation` as the context of the methods that the app does not override.
  fileprivate func working<Value>(in operation: LegacyOperation, _ body: () throws -> Value) throws -> Value {
    let own = self as? DefaultDeviceAuthenticator
    own?.operation = operation
    defer { own?.operation = LegacyOperation() }
    do { return try body() } catch let status as DeviceBindingStatus { throw status.status }
  }
}
