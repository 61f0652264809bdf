public import Foundation

/// Why a step of binding or signing failed. Callers receive it as a ``DeviceBindingStatus``.
public enum DeviceBindingError: LocalizedError, Equatable, Sendable {
  /// The PIN was wrong on every try.
  case authenticationFailed
  /// The device does not support the authentication type.
  case deviceNotSupported
  /// There is no key for the user, or its private part is missing.
  case deviceNotRegistered
  /// A custom claim has a reserved name or a value that JSON cannot express.
  case invalidClaim
  /// The biometric was not recognised or is locked out.
  case biometricError(any Error)
  /// The person cancelled.
  case userCanceled
  /// The time limit has passed.
  case timeout
  /// Something unexpected happened.
  case unknown
  /// The operation is not supported, for this reason.
  case unsupported(errorMessage: String)

  /// The outcome sent to the server: ``DeviceBindingStatus/clientError`` of this error's status.
  public func toClientError() -> String { DeviceBindingStatus(cause: self).clientError }

  /// Biometric errors are equal when their descriptions are.
  public static func == (lhs: DeviceBindingError, rhs: DeviceBindingError) -> Bool {
    switch (lhs, rhs) {
    case (.authenticationFailed, .authenticationFailed), (.deviceNotSupported, .deviceNotSupported),
      (.deviceNotRegistered, .deviceNotRegistered), (.invalidClaim, .invalidClaim),
      (.userCanceled, .userCanceled), (.timeout, .timeout), (.unknown, .unknown):
      true
    case (.biometricError(let left), .biometricError(let right)):
      left.localizedDescription == right.localizedDescription
    case (.unsupported(let left), .unsupported(let right)): left == right
    default: false
    }
  }

  /// The text of this error's status.
  public var errorDescription: String? { DeviceBindingStatus(cause: self).errorMessage }

  /// The reason of this error's status; never `nil`.
  public var failureReason: String? { DeviceBindingStatus(cause: self).failureReason }

  /// The suggestion of this error's status; never `nil`.
  public var recoverySuggestion: String? { DeviceBindingStatus(cause: self).recoverySuggestion }
}
