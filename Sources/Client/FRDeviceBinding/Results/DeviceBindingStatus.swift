public import Foundation
internal import PingBinding

/// Why `bind` or `sign` failed.
public enum DeviceBindingStatus: LocalizedError, Equatable, Sendable {
  /// It did not complete before the time limit.
  case timeout
  /// The person cancelled, or something unexpected happened.
  case abort
  /// The device cannot do it; the message says why.
  case unsupported(errorMessage: String?)
  /// There is no private key for the user: not bound yet, or removed. The guide's name for it is ``unRegister``.
  case clientNotRegistered
  /// The person's biometric or PIN was not accepted.
  case unAuthorize
  /// A custom claim has a reserved name or a value that JSON cannot express.
  case invalidCustomClaims

  /// The same as ``clientNotRegistered``.
  public static let unRegister = DeviceBindingStatus.clientNotRegistered

  init(_ error: any Error) {
    self =
      switch error as? PingBinding.DeviceBindingStatus {
      case .timeout: .timeout
      case .abort, nil: .abort
      case .unsupported(let message): .unsupported(errorMessage: message)
      case .clientNotRegistered: .clientNotRegistered
      case .unAuthorize: .unAuthorize
      case .invalidCustomClaims: .invalidCustomClaims
      }
  }

  /// The same status, as PingBinding has it.
  var status: PingBinding.DeviceBindingStatus {
    switch self {
    case .timeout: .timeout
    case .abort: .abort
    case .unsupported(let message): .unsupported(errorMessage: message)
    case .clientNotRegistered: .clientNotRegistered
    case .unAuthorize: .unAuthorize
    case .invalidCustomClaims: .invalidCustomClaims
    }
  }

  /// What the server is told: the outcome that the guide maps the status to. ``clientNotRegistered`` and ``unAuthorize`` are
  /// `Unsupported`; a journey with an outcome of its own for them wants the callback's `setClientError`.
  public var clientError: String {
    switch self {
    case .clientNotRegistered, .unAuthorize: "Unsupported"
    case .timeout, .abort, .unsupported, .invalidCustomClaims: status.clientError
    }
  }

  /// What went wrong, in English.
  public var errorMessage: String { status.errorMessage }

  /// The same as ``errorMessage``.
  public var errorDescription: String? { errorMessage }

  /// Why, for the app's developer; never `nil`.
  public var failureReason: String? { status.failureReason }

  /// What to do; never `nil`.
  public var recoverySuggestion: String? { status.recoverySuggestion }
}
