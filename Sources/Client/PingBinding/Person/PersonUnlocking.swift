internal import DeviceKeys
internal import PingLogger
internal import UserVerification

/// Has the person verified by the device, and releases a key's authorisation value for that and nothing else.
struct PersonUnlocking: Sendable {
  let verifiers: PersonVerifiers
  /// Whether a biometric alone will do, or the device's own credential, too.
  let protection: KeyProtection
  let policy: EnrolmentChangePolicy
  /// What the person agrees to.
  let reason: String
  let logger: any Logger

  private var allowsCredential: Bool { protection == .biometricOrCredential }

  /// How many fingers that are not enrolled may be shown.
  private static let tries = 3

  /// What a verification at binding gives.
  struct Enrolled: Sendable {
    let value: AuthorizationValue
    /// What was enrolled then; `nil` when nothing was, or there is no reader.
    let enrolment: EnrolmentFingerprint?
  }

  /// Why nobody could be verified for a new key, `nil` when somebody can.
  func problem() async throws -> String? {
    let biometric = try await biometricProblem()
    guard let biometric else { return nil }
    guard allowsCredential else { return biometric }
    if verifiers.credential?.isConfigured == true { return nil }
    return "\(biometric) The device has no credential of its own to fall back on, either."
  }

  /// Has the person verified for a new key.
  func enrol() async throws -> Enrolled {
    switch try await verify() {
    case .biometric(let verification):
      Enrolled(value: AuthorizationValue(), enrolment: verification.enrolment)
    case .deviceCredential:
      if case .enrolled(let enrolment) = try await currentEnrolment() {
        Enrolled(value: AuthorizationValue(), enrolment: enrolment)
      } else {
        Enrolled(value: AuthorizationValue(), enrolment: nil)
      }
    }
  }

  /// Keeps the authorisation value of the new key `tag`.
  func store(_ enrolled: Enrolled, tag: String) throws {
    try verifiers.vault.store(
      enrolled.value, tag: tag, protection: protection, enrolment: enrolled.enrolment, policy: policy)
  }

  /// Has the person verified, and returns the authorisation value of the key `tag`.
  ///
  /// Another reader than the one that the key was made with counts as none: the credential is asked for, where it is enough.
  ///
  /// - Throws: ``KeyInvalidated`` when what is enrolled has changed since the key was made. The key is kept.
  func release(tag: String) async throws -> AuthorizationValue {
    do {
      // Nobody should show a finger for nothing.
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

  /// - Parameter byBiometric: Whether a finger or a face will do; a key that was made while nothing was enrolled wants the
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

  /// Why the reader can verify nobody, `nil` when it can.
  private func biometricProblem() async throws -> String? {
    guard let biometric = verifiers.biometric else {
      return
        "This program has no biometric reader: set config.biometricVerifier, or choose another authentication type."
    }
    switch try await biometric.availability() {
    case .available: return nil
    case .noReader(let reason):
      return UserVerificationError.noReader(reason).sentences
    case .notEnrolled:
      return UserVerificationError.notEnrolled.sentences
    }
  }

  /// What is enrolled now, as far as it can be read.
  private func currentEnrolment() async throws -> CurrentEnrolment {
    guard let biometric = verifiers.biometric else { return .unknown }
    return try await CurrentEnrolment(of: biometric)
  }
}

/// A key that is there and may not be used as things are: who may do so again is for the person to decide.
struct KeyInvalidated: Error, CustomStringConvertible {
  let reason: String

  var description: String { reason }
}

extension UserVerificationError {
  /// What failed and what to do about it.
  var sentences: String {
    [errorDescription, recoverySuggestion].compactMap { $0 }.joined(separator: " ")
  }
}
