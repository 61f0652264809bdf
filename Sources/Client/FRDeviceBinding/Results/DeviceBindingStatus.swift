public import Foundation
internal import PingBinding

/// Why `bind` or `sign` failed.
public enum DeviceBindingStatus: LocalizedError, Equatable, Sendable {
  /// The time limit passed.
  case timeout
  /// The person cancelled, or something unexpected happened.
  case abort
  /// The device does not support the operation; the message says why.
  case unsupported(errorMessage: String?)
  /// The user has no private key here: none was bound yet, or it was removed. The guide calls this status ``unRegister``.
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

  /// The same status in PingBinding.
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

  /// The outcome sent to the server, as the guide maps it. ``clientNotRegistered`` and ``unAuthorize`` are `Unsupported`; for a
  /// journey with its own outcomes for them, use the callback's `setClientError`.
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

  /// The reason, for the app's developer; never `nil`.
  public var failureReason: String? { status.failureReason }

  /// What to do; never `nil`.
  public var recoverySuggestion: String? { status.recoverySuggestion }
}

/// The result of a bind.
public enum DeviceBindingResult: Sendable {
  /// The callback's inputs have the proof; send it with the node's `next`.
  case success
  /// The callback's inputs tell the server about the failure.
  case failure(DeviceBindingStatus)
}

/// The result of a sign.
public enum DeviceSigningResult: Sendable {
  /// The callback's inputs have the proof; send it with the node's `next`.
  case success
  /// The callback's inputs tell the server about the failure.
  case failure(DeviceBindingStatus)
}

/// Receives the result of a bind: once, on no particular thread.
public typealias DeviceBindingResultCallback = @Sendable (_ result: DeviceBindingResult) -> Void

/// Receives the result of a sign: once, on no particular thread.
public typealias DeviceSigningResultCallback = @Sendable (_ result: DeviceSigningResult) -> Void
