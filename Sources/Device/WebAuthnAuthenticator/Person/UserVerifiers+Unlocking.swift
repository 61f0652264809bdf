internal import DeviceKeys
internal import UserVerification

/// A key that is made with a verification of the person signs only after another one: what unlocks it is released for that and
/// for nothing else.
extension UserVerifiers {
  /// What is needed to make such a key.
  struct NewKey: Sendable {
    let unlock: KeyUnlock
    /// Keeps what unlocks it, once it is made.
    let keep: @Sendable (_ tag: String) throws -> Void
  }

  /// Has the person verified for a new key.
  func verifyForNewKey(reason: String) async throws -> NewKey {
    let value = AuthorizationValue()
    var enrolment: EnrolmentFingerprint?
    switch try await verify(reason: reason) {
    case .biometric(let verification): enrolment = verification.enrolment
    case .deviceCredential:
      if case .enrolled(let current) = try await currentEnrolment() { enrolment = current }
    }
    let (vault, enrolled) = (vault, enrolment)
    return NewKey(unlock: .authorization(value)) { tag in
      try vault.store(value, tag: tag, protection: .biometricOrCredential, enrolment: enrolled)
    }
  }

  /// Has the person verified, and returns what unlocks the key `tag`.
  func verifyForKey(_ tag: String, reason: String) async throws -> KeyUnlock {
    let current = try await currentEnrolment()
    try vault.requireUnchanged(tag: tag, current: current)
    let conditions = try vault.conditions(tag: tag)
    let verification = try await verify(reason: reason, byBiometric: conditions.byBiometric)
    return .authorization(try vault.release(tag: tag, for: verification, current: current))
  }
}
