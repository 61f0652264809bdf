#if canImport(LocalAuthentication) && canImport(Security)
  internal import DeviceKeys
  internal import Foundation
  internal import LocalAuthentication
  internal import Security
  public import UserVerification

  /// Lets the system verify the device's user: Face ID, Touch ID, Optic ID, or the passcode.
  ///
  /// For keys of a store that does not verify the person itself. Keys of ``AppleKeyStore`` do not need this verifier, because the Secure
  /// Enclave has the system verify the person.
  public struct LocalAuthenticationVerifier: BiometricVerifier, DeviceCredentialVerifier {
    public init() {}

    public func availability() async throws -> BiometricAvailability {
      switch LAContext().failure(of: .deviceOwnerAuthenticationWithBiometrics) {
      // While biometry is locked, verifying says so.
      case nil, .biometryLocked: .available
      case .biometryNotEnrolled: .notEnrolled("enrol a face or a finger in the settings")
      case .noPasscode: .notEnrolled("set a passcode in the settings, and enrol a face or a finger")
      case .biometryUnavailable?: .noReader("biometry is switched off for this app, or there is none")
      case .some(let failure): .noReader("the system says \(failure)")
      }
    }

    public func enrolment() async throws -> EnrolmentFingerprint {
      do throws(AppleFailure) {
        return try DeviceEnrolment.current()
      } catch {
        throw error.error(doing: Self.action)
      }
    }

    /// Has the system ask for a face or a finger. The system shows its own texts, and `reason` with Touch ID; `progress` is not called.
    public func verify(
      reason: String, progress: @escaping @Sendable (BiometricProgress) -> Void
    ) async throws -> BiometricVerification {
      let prompt = SystemPrompt()
      // Hides the fallback button: there is no other way here.
      prompt.context.localizedFallbackTitle = ""
      if let failure = prompt.context.failure(of: .deviceOwnerAuthenticationWithBiometrics) {
        throw failure.error(doing: Self.action)
      }
      try await prompt.run { context, done in
        context.evaluatePolicy(
          .deviceOwnerAuthenticationWithBiometrics, localizedReason: reason, reply: done)
      }
      do throws(AppleFailure) {
        return BiometricVerification(enrolment: try prompt.context.enrolment())
      } catch {
        throw error.error(doing: Self.action)
      }
    }

    /// Whether the device has a passcode.
    public var isConfigured: Bool { LAContext().failure(of: .deviceOwnerAuthentication) == nil }

    /// Has the system ask for the passcode only. The system asks by itself: `source` is not used.
    @discardableResult
    public func verify(
      reason: String, source: any CredentialSource
    ) async throws -> DeviceCredentialVerification {
      let access = try AccessRule(person: .passcode, needsPasscode: true).accessControl(isEnclaveKey: false)
      try await SystemPrompt().run { context, done in
        context.evaluateAccessControl(access, operation: .useItem, localizedReason: reason, reply: done)
      }
      return DeviceCredentialVerification()
    }

    fileprivate static let action = "The person could not be verified"
  }

  /// One prompt of the system, which cancelling the task takes away.
  // The context is used by the one task that made it; only `invalidate()` is called from elsewhere, which is what it is for
  // while a prompt is shown.
  private struct SystemPrompt: @unchecked Sendable {
    let context = LAContext()

    /// Shows the prompt.
    ///
    /// - Throws: `UserVerificationError`, `CancellationError`.
    func run(
      _ show: (LAContext, @escaping @Sendable (Bool, (any Error)?) -> Void) -> Void
    ) async throws {
      try Task.checkCancellation()
      let failure = await withTaskCancellationHandler {
        await withCheckedContinuation { (answer: CheckedContinuation<AppleFailure?, Never>) in
          show(context) { succeeded, error in
            answer.resume(returning: succeeded ? nil : error.map { AppleFailure($0) } ?? .notRecognised)
          }
        }
      } onCancel: {
        context.invalidate()
      }
      try Task.checkCancellation()
      if let failure { throw failure.error(doing: LocalAuthenticationVerifier.action) }
    }
  }
#endif
