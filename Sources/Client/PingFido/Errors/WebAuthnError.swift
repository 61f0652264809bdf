public import Foundation

/// Why a ceremony did not succeed on this device. What the server is told is ``convertToWebAuthnOutcome()``.
public enum WebAuthnError: Error {
  /// The server's options, or a credential of the system, are of no known kind.
  case badData(platformError: (any Error)?, message: String?)
  /// A ceremony was begun twice.
  case badOperation(platformError: (any Error)?, message: String?)
  /// The device has a credential that the server excludes, and the person lets the server know.
  case invalidState(platformError: (any Error)?, message: String?)
  /// The person has to be verified, and the authenticator cannot.
  case constraint(platformError: (any Error)?, message: String?)
  /// The person declined a new key, or the app cancelled.
  case cancelled(platformError: (any Error)?, message: String?)
  /// The time limit passed.
  case timeout(platformError: (any Error)?, message: String?)
  /// No fitting key, none chosen, its use not agreed to, the person was not verified, or an excluded credential that the server is
  /// not to know of. With a ``RelyingPartyError``: the server may not act for the relying party that it names.
  case notAllowed(platformError: (any Error)?, message: String?)
  /// The device cannot do what the server asks for.
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

  /// With a domain of its own an error has to bring its description here, too.
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
    case .invalidState: "Sign in with the key that this device has already."
    case .constraint, .unsupported: "Use an authenticator that can do it, or another way to sign in."
    case .cancelled: "Start the step again when the person agrees."
    case .notAllowed(platformError: is RelyingPartyError, _):
      "Check the server's address, FidoConfig.origin and FidoConfig.relyingPartyIDs."
    case .notAllowed: "Register a key of this device, or use another way to sign in."
    case .unknown: "Check that the device's key store can be used, then try again."
    }
  }

  /// The number of the case: 1600001 to 1600008, and 1600099.
  public var code: Int { parseErrorCode() }

  /// ``code``.
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
