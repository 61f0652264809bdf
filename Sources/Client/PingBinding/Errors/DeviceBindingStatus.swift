internal import BindingFormats
public import Foundation

/// Why `bind()` or `sign()` failed, for the app and for the server.
public enum DeviceBindingStatus: LocalizedError, Equatable, Sendable {
  /// The time limit has passed. Let the person try again, with a longer limit.
  case timeout
  /// The person cancelled, or something unexpected happened, which is logged. Do not show an error.
  case abort
  /// The device does not support the operation; the message says why. Try a less demanding authentication type.
  case unsupported(errorMessage: String?)
  /// There is no key to sign with. Ask the person to bind the device.
  case clientNotRegistered
  /// The PIN or biometric was not accepted. Ask again.
  case unAuthorize
  /// A custom claim has a reserved name or a value that JSON cannot express. Rename it, or make it text.
  case invalidCustomClaims

  /// The outcome sent to the server: the value of the callback's `clientError` input, and the name of the node's outcome.
  public var clientError: String {
    switch self {
    case .timeout: BindingClientError.timeout
    case .abort, .unAuthorize, .invalidCustomClaims: BindingClientError.abort
    case .unsupported: BindingClientError.unsupported
    case .clientNotRegistered: BindingClientError.clientNotRegistered
    }
  }

  /// What went wrong, in English.
  public var errorMessage: String {
    switch self {
    case .timeout: "Authentication Timeout"
    case .abort: "User Terminates the Authentication"
    case .unsupported(let message):
      message ?? "Device not supported. Please verify the biometric or Pin settings"
    case .clientNotRegistered: "PublicKey or PrivateKey Not found in Device"
    case .unAuthorize: "Invalid Credentials"
    case .invalidCustomClaims: "Invalid Custom Claims"
    }
  }

  /// The same as ``errorMessage``.
  public var errorDescription: String? { errorMessage }

  /// The reason, for the app's developer; never `nil`.
  public var failureReason: String? {
    switch self {
    case .timeout: "It took longer than the time limit."
    case .abort: "The person cancelled, or something unexpected happened, which is in the log."
    case .unsupported(let message):
      message ?? "The device cannot do what the authentication type needs, or its user has not set it up."
    case .clientNotRegistered: "This device has no key of the user that can sign."
    case .unAuthorize: "The PIN or the biometric was not accepted."
    case .invalidCustomClaims: "A custom claim has a reserved name, or a value that JSON cannot express."
    }
  }

  /// What to do; never `nil`.
  public var recoverySuggestion: String? {
    switch self {
    case .timeout: "Try again, with a longer time limit."
    case .abort: "Show no error, and let the person begin again."
    case .unsupported: "Use an authentication type that asks less of the device."
    case .clientNotRegistered: "Bind this device."
    case .unAuthorize: "Ask again for the PIN or the biometric."
    case .invalidCustomClaims: "Rename the claim, or make its value a text."
    }
  }
}
