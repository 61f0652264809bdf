public import Foundation

/// Why a person was not verified.
///
/// Cancelling the task is not among these: it throws `CancellationError`.
public enum UserVerificationError: Error, Sendable, Hashable {
  /// The person cancelled.
  case canceled
  /// A finger that is not enrolled, or a wrong password.
  case notRecognised
  /// Too many failures, or an account that may not sign in now; the text says what the device said.
  case lockedOut(String)
  /// The reader, or the service that drives it, went away during the verification.
  case readerGone
  /// Another program is using the reader.
  case readerBusy
  /// There is no reader that can be used, for this reason.
  case noReader(String)
  /// The person has enrolled nothing on the reader.
  case notEnrolled
  /// The device cannot verify anybody, for this reason.
  case unavailable(String)
}

extension UserVerificationError: LocalizedError {
  /// What failed.
  public var errorDescription: String? {
    switch self {
    case .canceled: "The verification was cancelled."
    case .notRecognised: "The finger or the password was not recognised."
    case .lockedOut(let reason): "The device refuses further tries: \(reason)."
    case .readerGone: "The fingerprint reader went away during the scan."
    case .readerBusy: "Another program is using the fingerprint reader."
    case .noReader(let reason): "No fingerprint reader can be used: \(reason)."
    case .notEnrolled: "No finger is enrolled for this user."
    case .unavailable(let reason): "The device cannot verify its user: \(reason)."
    }
  }

  /// The same as ``errorDescription``; never `nil`.
  public var failureReason: String? { errorDescription }

  /// What to do about it; never `nil`.
  public var recoverySuggestion: String? {
    switch self {
    case .canceled, .notRecognised: "Try again."
    case .lockedOut: "Wait and try again, or ask the device's administrator to unlock the account."
    case .readerGone: "Connect the reader and try again."
    case .readerBusy: "Finish the other program's scan (for example the lock screen's) and try again."
    case .noReader: "Connect a reader that fprintd supports, or use another authentication type."
    case .notEnrolled: "Enrol a finger (on Linux: fprintd-enroll), or use another authentication type."
    case .unavailable: "Correct the device's configuration, or use another authentication type."
    }
  }
}
