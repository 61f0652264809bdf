public import Foundation

/// Why a step of binding or signing failed. ``DeviceBindingStatus`` says what callers see of it.
public enum DeviceBindingError: LocalizedError, Equatable, Sendable {
  /// The PIN was wrong, after all tries.
  case authenticationFailed
  /// The device cannot do what the authentication type needs.
  case deviceNotSupported
  /// There is no key for the user, or its private part is gone.
  case deviceNotRegistered
  /// A custom claim has a reserved name or a value that JSON cannot express.
  case invalidClaim
  /// The biometric was not recognised or is locked out.
  case biometricError(any Error)
  /// The person cancelled.
  case userCanceled
  /// The time limit has passed.
  case timeout
  /// Something unexpected.
  case unknown
  /// It cannot be done, for this reason.
  case unsupported(errorMessage: String)

  /// What the server is told: ``DeviceBindingStatus/clientError`` of the status that this error leads to.
  public func toClientError() -> String { DeviceBindingStatus(cause: self).clientError }

  /// Biometric errors are equal when their texts are.
  public static func == (lhs: DeviceBindingError, rhs: DeviceBindingError) -> Bool {
    switch (lhs, rhs) {
    case (.authenticationFailed, .authenticationFailed), (.deviceNotSupported, .deviceNotSupported),
      (.deviceNotRegistered, .deviceNotRegistered), (.invalidClaim, .invalidClaim),
      (.userCanceled, .userCanceled), (.timeout, .timeout), (.unknown, .unknown):
      true
    case (.biometricError(let left), .biometricError(let right)):
      left.localizedDescription == right.localizedDescription
    case (.unsupported(let left), .unsupported(let right)):
      left == right
    default:
      false
    }
  }

  /// The text of the status that this error leads to.
  public var errorDescription: String? { DeviceBindingStatus(cause: self).errorMessage }

  /// That of the status; never `nil`.
  public var failureReason: String? { DeviceBindingStatus(cause: self).failureReason }

  /// That of the status; never `nil`.
  public var recoverySuggestion: String? { DeviceBindingStatus(cause: self).recoverySuggestion }
}
