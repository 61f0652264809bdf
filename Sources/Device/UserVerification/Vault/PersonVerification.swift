/// How a person was verified: what a verifier returns.
public enum PersonVerification: Sendable, Hashable {
  /// By a finger or a face.
  case biometric(BiometricVerification)
  /// By the device's own credential.
  case deviceCredential(DeviceCredentialVerification)
}

/// What becomes of a biometric key when fingers or faces are added or removed after it was made.
public enum EnrolmentChangePolicy: String, Codable, Sendable, Hashable, CaseIterable {
  /// It is not released any more: enrolling a finger on an unlocked device gives no access to keys.
  case invalidate
  /// It is released to anybody who is enrolled now.
  case accept
}

/// What is enrolled now, as far as it can be read.
public enum CurrentEnrolment: Sendable, Hashable {
  /// There is no reader, or it does not say.
  case unknown
  /// There is a reader, and nothing is enrolled on it.
  case nothing
  /// This set.
  case enrolled(EnrolmentFingerprint)

  /// The enrolment that `verifier` reports.
  ///
  /// - Throws: `CancellationError` only.
  public init(of verifier: some BiometricVerifier) async throws {
    do {
      self = .enrolled(try await verifier.enrolment())
    } catch UserVerificationError.notEnrolled {
      self = .nothing
    } catch let cancellation as CancellationError {
      throw cancellation
    } catch {
      self = .unknown
    }
  }
}

/// The verifications that release a value.
public struct ReleaseConditions: Sendable, Hashable {
  /// Whether a finger or a face is enough.
  public let byBiometric: Bool
  /// Whether the device's credential is enough.
  public let byDeviceCredential: Bool
  /// What a change of the enrolled set leads to.
  public let policy: EnrolmentChangePolicy
}
