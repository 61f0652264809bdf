internal import Concurrency
internal import DeviceKeys
internal import Dispatch
internal import Foundation
internal import PingBinding
internal import PingJourneyPlugin

/// Adapts an app's authenticator of the earlier SDK to PingBinding.
final class LegacyAuthenticator: PingBinding.DefaultDeviceAuthenticator, OneStepAuthenticator {
  private let chosen: any DeviceAuthenticator
  private var made: PingBinding.KeyPair?
  private let isInitialised: Bool

  /// - Parameter isInitialised: Whether `chosen` knows its user already.
  init(_ chosen: any DeviceAuthenticator, isInitialised: Bool) {
    self.chosen = chosen
    self.isInitialised = isInitialised
  }

  override func initialize(userId: String) {
    super.initialize(userId: userId)
    if !isInitialised { chosen.initialize(userId: userId) }
  }

  override func type() -> PingBinding.DeviceBindingAuthenticationType { chosen.type().described }

  /// The earlier SDK has no attestation: its keys are attested only when PingBinding's authenticators make them.
  override func isSupported(attestation: Attestation) -> Bool {
    guard chosen.isSupported() else { return false }
    guard let engine = chosen.authenticator().standard, (try? engine.prepare(inPlaceOf: self)) != nil else {
      return attestation == .none
    }
    return engine.isSupported(attestation: attestation)
  }

  override func register() async throws -> PingBinding.KeyPair {
    let work = Transferred((chosen, self))
    let pair = try await withCheckedThrowingContinuation { done in
      DispatchQueue.global(qos: .userInitiated).async {
        let (chosen, place) = work.value
        done.resume(
          with: Result {
            try chosen.working(in: LegacyOperation(place: place)) { try chosen.generateKeys().pair }
          })
      }
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
  /// Runs `body` with `operation` as the context of the methods that the app does not override.
  fileprivate func working<Value>(in operation: LegacyOperation, _ body: () throws -> Value) throws -> Value {
    let own = self as? DefaultDeviceAuthenticator
    own?.operation = operation
    defer { own?.operation = LegacyOperation() }
    do { return try body() } catch let status as DeviceBindingStatus { throw status.status }
  }
}
