#if canImport(LocalAuthentication)
  internal import Foundation
  internal import LocalAuthentication
  internal import UserVerification

  extension PersonFacts {
    /// The verifications that this device can ask for now.
    static var current: PersonFacts {
      PersonFacts(
        hasPasscode: LAContext().failure(of: .deviceOwnerAuthentication) == nil,
        // Locked biometry is still enrolled.
        hasBiometry: [nil, .biometryLocked].contains(
          LAContext().failure(of: .deviceOwnerAuthenticationWithBiometrics)))
    }
  }

  extension LAContext {
    /// Why a policy cannot be evaluated now, `nil` when it can.
    func failure(of policy: LAPolicy) -> AppleFailure? {
      var error: NSError?
      if canEvaluatePolicy(policy, error: &error) { return nil }
      return AppleFailure(localAuthentication: error?.code ?? 0)
    }
  }

  /// What is enrolled on this device.
  enum DeviceEnrolment {
    /// - Throws: ``AppleFailure`` when the system does not say, for example while biometry is locked.
    static func current() throws(AppleFailure) -> EnrolmentFingerprint {
      let context = LAContext()
      if let failure = context.failure(of: .deviceOwnerAuthenticationWithBiometrics) { throw failure }
      return try context.enrolment()
    }

    /// Whether the enrolled set differs from `before`. `false` when the system does not say: biometry cannot unlock anything then, either.
    static func hasChanged(since before: EnrolmentFingerprint) -> Bool {
      do throws(AppleFailure) {
        return try current() != before
      } catch {
        return error == .biometryNotEnrolled
      }
    }
  }

  extension LAContext {
    /// What was enrolled when a biometric policy was last evaluated.
    func enrolment() throws(AppleFailure) -> EnrolmentFingerprint {
      guard let state = evaluatedPolicyDomainState else { throw .biometryUnavailable }
      return EnrolmentFingerprint(digesting: [Array(state)])
    }
  }
#endif
