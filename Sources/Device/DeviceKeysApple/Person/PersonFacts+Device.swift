#if canImport(LocalAuthentication)
  internal import Foundation
  internal import LocalAuthentication
  internal import UserVerification

  extension PersonFacts {
    /// What this device can ask for now.
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
    /// - Throws: ``AppleFailure`` when the system does not say: it says nothing while biometry is locked.
    static func current() throws(AppleFailure) -> EnrolmentFingerprint {
      let context = LAContext()
      if let failure = context.failure(of: .deviceOwnerAuthenticationWithBiometrics) { throw failure }
      return try context.enrolment()
    }

    /// Whether what is enrolled now is something else than `before`. Not as long as nobody can tell: then neither can
    /// biometry unlock anything.
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
