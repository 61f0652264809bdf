internal import Concurrency
internal import DeviceKeys
internal import PingLogger
internal import UserVerification

/// Verifies the person by the device's means, and only then releases a key's authorisation value.
struct PersonUnlocking: Sendable {
  let verifiers: PersonVerifiers
  /// Whether only a biometric unlocks the key, or also the device's own credential.
  let protection: KeyProtection
  let policy: EnrolmentChangePolicy
  /// The text that the person agrees to.
  let reason: String
  let logger: any Logger

  private var allowsCredential: Bool { protection == .biometricOrCredential }

  /// The number of tries for a biometric or credential.
  private static let tries = 3

  /// The result of a verification at binding.
  struct Enrolled: Sendable {
    let value: AuthorizationValue
    /// The enrolment at that time; `nil` when nothing was enrolled, or there is no reader.
    let enrolment: EnrolmentFingerprint?
  }

  /// Why no person could be verified for a new key; `nil` when verification is possible.
  func problem() async throws -> String? {
    guard let problem = try await biometricProblem() else { return nil }
    guard allowsCredential else { return problem }
    if verifiers.credential?.isConfigured == true { return nil }
    return "\(problem) The device has no credential of its own to fall back on, either."
  }

  /// Verifies the person for a new key.
  func enrol() async throws -> Enrolled {
    var enrolment: EnrolmentFingerprint?
    switch try await verify() {
    case .biometric(let verification): enrolment = verification.enrolment
    case .deviceCredential:
      if case .enrolled(let current) = try await currentEnrolment() { enrolment = current }
    }
    return Enrolled(value: AuthorizationValue(), enrolment: enrolment)
  }

  /// Stores the authorisation value of the new key `tag`.
  func store(_ enrolled: Enrolled, tag: String) throws {
    try verifiers.vault.store(
      enrolled.value, tag: tag, protection: protection, enrolment: enrolled.enrolment, policy: policy)
  }

  /// Verifies the person, and returns the authorisation value of the key `tag`.
  ///
  /// Only the reader that the key was made with is accepted. With another reader the person enters the credential, if the key allows it.
  ///
  /// - Throws: ``KeyInvalidated`` when the enrolment has changed since the key was made. The key is kept.
  func release(tag: String) async throws -> AuthorizationValue {
    do {
      // Checked first, so that the person does not present a finger in vain.
      let current = try await currentEnrolment()
      try verifiers.vault.requireUnchanged(tag: tag, current: current)
      let conditions = try verifiers.vault.conditions(tag: tag)
      let isOnAnotherReader = try verifiers.vault.isOnAnotherReader(tag: tag, current: current)
      if isOnAnotherReader, !conditions.byDeviceCredential {
        throw AuthorizationVaultError.otherReader(tag: tag)
      }
      let verification = try await verify(byBiometric: conditions.byBiometric && !isOnAnotherReader)
      return try verifiers.vault.release(tag: tag, for: verification, current: current)
    } catch AuthorizationVaultError.enrolmentChanged {
      throw KeyInvalidated(reason: "the enrolled fingers or faces have changed since the key was made")
    } catch AuthorizationVaultError.notFound {
      throw DeviceBindingError.deviceNotRegistered
    }
  }

  // MARK: Verifying

  /// - Parameter byBiometric: Whether a finger or a face is enough; a key that was made while nothing was enrolled requires the
  ///   credential.
  private func verify(byBiometric: Bool = true) async throws -> PersonVerification {
    let problem = try await biometricProblem()
    if let problem, !allowsCredential { throw DeviceBindingError.unsupported(errorMessage: problem) }
    guard byBiometric, problem == nil, let biometric = verifiers.biometric else {
      return try await verifyCredential()
    }
    for attempt in 1...Self.tries {
      do {
        return .biometric(try await biometric.verify(reason: reason, progress: verifiers.progress))
      } catch UserVerificationError.notRecognised {
        logger.w("The biometric was not recognised, try \(attempt) of \(Self.tries)", error: nil)
      } catch let error as UserVerificationError where error != .canceled && allowsCredential {
        logger.w("The biometric cannot be verified; the device credential is asked for", error: error)
        break
      }
    }
    guard allowsCredential else {
      throw DeviceBindingError.biometricError(UserVerificationError.notRecognised)
    }
    return try await verifyCredential()
  }

  private func verifyCredential() async throws -> PersonVerification {
    guard let credential = verifiers.credential, credential.isConfigured else {
      throw DeviceBindingError.unsupported(
        errorMessage: "The device has no credential of its own to fall back on. Set"
          + " config.deviceCredentialVerifier, or enrol a biometric.")
    }
    for attempt in 1...Self.tries {
      do {
        return .deviceCredential(
          try await credential.verify(
            reason: reason, source: AbandoningSource(source: verifiers.credentialSource)))
      } catch UserVerificationError.notRecognised {
        logger.w("The device credential was wrong, try \(attempt) of \(Self.tries)", error: nil)
      }
    }
    throw DeviceBindingError.authenticationFailed
  }

  // MARK: What is enrolled

  /// Why the reader cannot verify anybody; `nil` when it can.
  private func biometricProblem() async throws -> String? {
    guard let biometric = verifiers.biometric else {
      return
        "This program has no biometric reader: set config.biometricVerifier, or choose another authentication type."
    }
    switch try await biometric.availability() {
    case .available: return nil
    case .noReader(let reason): return UserVerificationError.noReader(reason).sentences
    case .notEnrolled: return UserVerificationError.notEnrolled.sentences
    }
  }

  /// The current enrolment, as far as it can be read.
  private func currentEnrolment() async throws -> CurrentEnrolment {
    guard let biometric = verifiers.biometric else { return .unknown }
    return try await CurrentEnrolment(of: biometric)
  }
}

/// The key exists, but a changed enrolment blocks it until the person decides about it.
struct KeyInvalidated: Error, CustomStringConvertible {
  let reason: String

  var description: String { reason }
}

extension UserVerificationError {
  /// What failed, and what to do about it.
  var sentences: String {
    [errorDescription, recoverySuggestion].compactMap { $0 }.joined(separator: " ")
  }
}

/// The verifiers of the person in front of the device, and the vault of the values that a verification releases.
struct PersonVerifiers: Sendable {
  let biometric: (any BiometricVerifier)?
  let credential: (any DeviceCredentialVerifier)?
  let credentialSource: any CredentialSource
  let progress: @Sendable (BiometricProgress) -> Void
  let vault: AuthorizationVault
}

extension KeyDependencies {
  /// The way the person unlocks keys of `type`.
  func unlocking(
    type: DeviceBindingAuthenticationType, reason: String, _ config: BiometricAuthenticatorConfig
  ) -> PersonUnlocking {
    PersonUnlocking(
      verifiers: verifiers, protection: type.protection,
      policy: config.enrolmentChangePolicy, reason: reason, logger: config.logger ?? logger)
  }
}

/// An app's source of credentials. A cancelled task does not wait for its answer.
private struct AbandoningSource: CredentialSource {
  let source: any CredentialSource

  func answer(to question: CredentialQuestion) async -> CredentialSecret? {
    // The default source restores the terminal first, and then ends by itself.
    let abandons = !(source is DefaultCredentialSource)
    return try? await firstOf({ await source.answer(to: question) }, orAfter: nil, abandoning: abandons)
  }

  func show(_ message: String) async { await source.show(message) }
}
