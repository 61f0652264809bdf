public import Foundation

/// Why a ceremony failed on this device. ``convertToWebAuthnOutcome()`` is the outcome for the server.
public enum WebAuthnError: Error {
  /// The server's options, or a credential of the system, are invalid or unknown.
  case badData(platformError: (any Error)?, message: String?)
  /// A ceremony was started twice.
  case badOperation(platformError: (any Error)?, message: String?)
  /// The device has a credential that the server excludes, and the person consents to revealing it.
  case invalidState(platformError: (any Error)?, message: String?)
  /// The person has to be verified, but the authenticator cannot do so.
  case constraint(platformError: (any Error)?, message: String?)
  /// The person declined a new key, or the app cancelled.
  case cancelled(platformError: (any Error)?, message: String?)
  /// The time limit passed.
  case timeout(platformError: (any Error)?, message: String?)
  /// No key matches or was chosen, the person did not agree or was not verified, or an excluded credential is not to be revealed.
  /// With a ``RelyingPartyError``: the server may not act for the relying party that it names.
  case notAllowed(platformError: (any Error)?, message: String?)
  /// The device does not support the server's request.
  case unsupported(platformError: (any Error)?, message: String?)
  /// Everything else, such as a key store that fails.
  case unknown(platformError: (any Error)?, message: String?)

  /// The system's error behind this one.
  public func platformError() -> (any Error)? { details.platformError }

  /// What failed, for logs.
  public func message() -> String? { details.message }

  private var details: (platformError: (any Error)?, message: String?) {
    switch self {
    case .badData(let error, let message), .badOperation(let error, let message),
      .invalidState(let error, let message), .constraint(let error, let message),
      .cancelled(let error, let message), .timeout(let error, let message),
      .notAllowed(let error, let message), .unsupported(let error, let message),
      .unknown(let error, let message):
      (error, message)
    }
  }
}

extension WebAuthnError: LocalizedError, CustomNSError {
  public static var errorDomain: String { "com.forgerock.ios.frauth.webauthn" }

  public var errorCode: Int { code }

  /// An error with its own domain has to provide its description here as well.
  public var errorUserInfo: [String: Any] {
    [
      NSLocalizedDescriptionKey: errorDescription ?? "",
      NSLocalizedFailureReasonErrorKey: failureReason ?? "",
      NSLocalizedRecoverySuggestionErrorKey: recoverySuggestion ?? "",
    ]
  }

  public var errorDescription: String? {
    message() ?? platformError()?.localizedDescription ?? "The WebAuthn ceremony failed (\(code))."
  }

  public var failureReason: String? { errorDescription }

  public var recoverySuggestion: String? {
    switch self {
    case .badData: "Check the configuration of the server's WebAuthn node."
    case .badOperation, .timeout: "Start the step again."
    case .invalidState: "Sign in with the key that this device already has."
    case .constraint, .unsupported: "Use an authenticator that supports it, or another way to sign in."
    case .cancelled: "Start the step again when the person agrees."
    case .notAllowed(platformError: is RelyingPartyError, _):
      "Check the server's address, FidoConfig.origin and FidoConfig.relyingPartyIDs."
    case .notAllowed: "Register a key of this device, or use another way to sign in."
    case .unknown: "Check that the device's key store works, then try again."
    }
  }

  /// The number of the case: 1600001 to 1600008, and 1600099.
  public var code: Int { parseErrorCode() }

  /// Returns ``code``.
  public func parseErrorCode() -> Int {
    switch self {
    case .badData: 1_600_001
    case .badOperation: 1_600_002
    case .invalidState: 1_600_003
    case .constraint: 1_600_004
    case .cancelled: 1_600_005
    case .timeout: 1_600_006
    case .notAllowed: 1_600_007
    case .unsupported: 1_600_008
    case .unknown: 1_600_099
    }
  }
}
