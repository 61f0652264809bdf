internal import Concurrency
internal import DeviceKeys
internal import Dispatch
internal import Foundation
internal import PingBinding
internal import PingJourneyPlugin

/// An app's authenticator of the earlier SDK's kind, as PingBinding uses it.
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

  /// An attestation is none of the earlier SDK's matters: its keys have one when ours make them.
  override func isSupported(attestation: Attestation) -> Bool {
    guard chosen.isSupported() else { return false }
    guard let engine = chosen.authenticator() as? PingBinding.DefaultDeviceAuthenticator, engine.isOurs,
      (try? engine.prepare(inPlaceOf: self)) != nil
    else { return attestation == .none }
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
  /// Runs `body` so that the methods that are not the app's own work in `operation`.
  fileprivate func working<Result>(in operation: LegacyOperation, _ body: () throws -> Result) throws
    -> Result
  {
    let own = self as? DefaultDeviceAuthenticator
    own?.operation = operation
    defer { own?.operation = LegacyOperation() }
    do { return try body() } catch let status as DeviceBindingStatus { throw status.status }
  }
}
