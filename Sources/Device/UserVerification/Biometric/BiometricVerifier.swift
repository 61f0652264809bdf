/// Recognises the device's user by a fingerprint or a face.
///
/// Cancel the task for a deadline: the reader is then released and `CancellationError` thrown.
public protocol BiometricVerifier: Sendable {
  /// Whether somebody can be verified now.
  ///
  /// - Throws: `CancellationError`; everything else is an answer.
  func availability() async throws -> BiometricAvailability

  /// The enrolled set as it is now, to be compared with the one that a key was made for.
  ///
  /// - Throws: ``UserVerificationError``, `CancellationError`.
  func enrolment() async throws -> EnrolmentFingerprint

  /// Waits until the person shows an enrolled finger or face.
  ///
  /// A scan that could not be read is repeated within the same verification; a finger or face that is not enrolled ends it.
  ///
  /// - Parameters:
  ///   - reason: What the person agrees to, one sentence without a full stop.
  ///   - progress: Receives what to tell the person; called on no particular thread.
  /// - Throws: ``UserVerificationError``, `CancellationError`.
  func verify(
    reason: String, progress: @escaping @Sendable (BiometricProgress) -> Void
  ) async throws -> BiometricVerification
}

extension BiometricVerifier {
  /// Waits until the person shows an enrolled finger or face, without reporting progress.
  public func verify(reason: String) async throws -> BiometricVerification {
    try await verify(reason: reason) { _ in }
  }
}

/// A person who was recognised.
public struct BiometricVerification: Sendable, Hashable {
  /// The enrolled set that the person was recognised in.
  public let enrolment: EnrolmentFingerprint

  public init(enrolment: EnrolmentFingerprint) { self.enrolment = enrolment }
}

/// Whether a ``BiometricVerifier`` can verify somebody.
public enum BiometricAvailability: Sendable, Hashable {
  case available
  /// There is no reader that can be used; the text says why.
  case noReader(String)
  /// There is a reader, and the user has enrolled nothing on it; the text says what to do.
  case notEnrolled(String)
}

/// What a ``BiometricVerifier`` is doing, as a text for the person.
public enum BiometricProgress: Sendable, Hashable {
  /// It waits for a finger or a face.
  case waiting(String)
  /// The last scan could not be read, and it waits for another.
  case tryAgain(String)

  /// The text to show.
  public var text: String {
    switch self {
    case .waiting(let text), .tryAgain(let text): text
    }
  }
}
