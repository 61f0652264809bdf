public import Foundation

/// Why a PingFido ceremony could not start or complete.
public enum FidoError: Error, Equatable, Sendable {
  /// There is no challenge, or it is not valid base64.
  case invalidChallenge
  /// There is no window for the system's prompt.
  case invalidWindow
  /// The answer has an unknown format.
  case invalidResponse
  /// The server's action is unknown.
  case invalidAction
  /// The device does not support the server's request.
  case unsupportedAction(String)
  /// The server's options are incomplete.
  case missingParameters(String)
  /// The time limit passed.
  case timeout

  /// The outcome for the server: `ERROR::<name>:<text>`, with a WebAuthn name. ``errorDescription`` is the text for people.
  public var localizedDescription: String {
    let name =
      switch self {
      case .timeout: FidoConstants.ERROR_TIMEOUT
      case .unsupportedAction: FidoConstants.ERROR_NOT_SUPPORTED
      case .invalidChallenge, .invalidWindow, .invalidResponse, .invalidAction, .missingParameters:
        FidoConstants.ERROR_UNKNOWN
      }
    return "\(FidoConstants.ERROR_PREFIX)\(name):\(sentence)"
  }

  private var sentence: String {
    switch self {
    case .invalidChallenge: "The options have no challenge, or one that is not base64."
    case .invalidWindow: "There is no window for the system's prompt."
    case .invalidResponse: "The answer has an unknown format."
    case .invalidAction: "The server asks for an unknown action."
    case .unsupportedAction(let reason): reason.isEmpty ? "The device does not support the request." : reason
    case .missingParameters(let reason): reason.isEmpty ? "The options are incomplete." : reason
    case .timeout: "The time for this step ran out."
    }
  }
}

extension FidoError: LocalizedError {
  public var errorDescription: String? { sentence }

  public var failureReason: String? { sentence }

  public var recoverySuggestion: String? {
    switch self {
    case .invalidChallenge, .invalidAction, .missingParameters:
      "Check the options, or the configuration of the server's WebAuthn node."
    case .invalidWindow: "Pass the window that the app shows."
    case .invalidResponse: "Start again; if the error persists, use another key."
    case .unsupportedAction: "Use a key that supports it, or another way to sign in."
    case .timeout: "Start again, and answer the prompt in time."
    }
  }
}
