internal import DeviceKeys
public import UserVerification

/// What verifies the person in front of the device: the biometric first, then the device's own credential.
public struct UserVerifiers: Sendable {
  /// Recognises a finger or a face; `nil` where there is no reader.
  public var biometric: (any BiometricVerifier)?

  /// Checks the device's own credential; `nil` where there is none.
  public var deviceCredential: (any DeviceCredentialVerifier)?

  /// Asks for that credential.
  public var credentialSource: any CredentialSource

  /// Receives what the reader waits for, to be shown to the person; called on no particular thread.
  public var progress: @Sendable (BiometricProgress) -> Void

  /// Keeps what unlocks the keys that were made with a verification.
  public var vault: AuthorizationVault

  public init(
    biometric: (any BiometricVerifier)? = nil, deviceCredential: (any DeviceCredentialVerifier)? = nil,
    credentialSource: any CredentialSource = FixedCredentialSource(nil),
    progress: @escaping @Sendable (BiometricProgress) -> Void = { _ in },
    vault: AuthorizationVault = AuthorizationVault()
  ) {
    self.biometric = biometric
    self.deviceCredential = deviceCredential
    self.credentialSource = credentialSource
    self.progress = progress
    self.vault = vault
  }

  /// How many unknown fingers and how many wrong passwords are accepted before giving up.
  private static let tries = 3

  /// Whether somebody can be verified here and now.
  func canVerify() async throws -> Bool {
    if deviceCredential?.isConfigured == true { return true }
    return try await biometricIsAvailable()
  }

  /// What is enrolled now, as far as it can be read.
  func currentEnrolment() async throws -> CurrentEnrolment {
    guard let biometric else { return .unknown }
    return try await CurrentEnrolment(of: biometric)
  }

  /// - Parameter byBiometric: Whether a finger or a face will do.
  /// - Throws: `UserVerificationError`, `CancellationError`.
  func verify(reason: String, byBiometric: Bool = true) async throws -> PersonVerification {
    guard byBiometric, let biometric, try await biometricIsAvailable() else {
      return try await verifyCredential(reason: reason)
    }
    for _ in 0..<Self.tries {
      do {
        return .biometric(try await biometric.verify(reason: reason, progress: progress))
      } catch UserVerificationError.notRecognised {
        continue
      } catch let error as UserVerificationError where error != .canceled && hasCredential {
        break
      }
    }
    guard hasCredential else { throw UserVerificationError.notRecognised }
    return try await verifyCredential(reason: reason)
  }

  private var hasCredential: Bool { deviceCredential?.isConfigured == true }

  private func biometricIsAvailable() async throws -> Bool {
    try await biometric?.availability() == .available
  }

  private func verifyCredential(reason: String) async throws -> PersonVerification {
    guard let deviceCredential, deviceCredential.isConfigured else {
      throw UserVerificationError.unavailable("it has neither an enrolled finger or face nor a password")
    }
    for _ in 0..<Self.tries {
      do {
        return .deviceCredential(
          try await deviceCredential.verify(reason: reason, source: credentialSource))
      } catch UserVerificationError.notRecognised {
        continue
      }
    }
    throw UserVerificationError.notRecognised
  }
}

/// A key that is made with a verification of the person signs only after another one: only that releases what unlocks the key.
extension UserVerifiers {
  /// What is needed to make such a key.
  struct NewKey: Sendable {
    let unlock: KeyUnlock
    /// Keeps what unlocks it, once it is made.
    let keep: @Sendable (_ tag: String) throws -> Void
  }

  /// Verifies the person for a new key.
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

  /// Verifies the person, and returns what unlocks the key `tag`.
  func verifyForKey(_ tag: String, reason: String) async throws -> KeyUnlock {
    let current = try await currentEnrolment()
    try vault.requireUnchanged(tag: tag, current: current)
    let conditions = try vault.conditions(tag: tag)
    let verification = try await verify(reason: reason, byBiometric: conditions.byBiometric)
    return .authorization(try vault.release(tag: tag, for: verification, current: current))
  }
}
