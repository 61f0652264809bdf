public import Foundation

/// Why `bind()` or `sign()` failed, as the app sees it and as the server is told.
public enum DeviceBindingStatus: LocalizedError, Equatable, Sendable {
  /// The time limit has passed. Let the person try again, with a longer one.
  case timeout
  /// The person cancelled, or something unexpected happened, which is in the log. Show no error.
  case abort
  /// The device cannot do it; the message says why. Try an authentication type that needs less.
  case unsupported(errorMessage: String?)
  /// There is no key to sign with. Send the person to bind the device.
  case clientNotRegistered
  /// The PIN or biometric was not accepted. Ask again.
  case unAuthorize
  /// A custom claim has a reserved name or a value that JSON cannot express. Rename it, or make it text.
  case invalidCustomClaims

  /// What the server is told: the value of the callback's `clientError` input, and the name of the node's outcome.
  public var clientError: String {
    switch self {
    case .timeout: "Timeout"
    case .abort, .unAuthorize, .invalidCustomClaims: "Abort"
    case .unsupported: "Unsupported"
    case .clientNotRegistered: "ClientNotRegistered"
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
}
