public import Foundation

/// Why a ceremony of PingFido could not begin or did not end.
public enum FidoError: Error, Equatable, Sendable {
  /// There is no challenge, or it is not valid base64.
  case invalidChallenge
  /// There is no window to show the system's prompt in.
  case invalidWindow
  /// The answer has no known form.
  case invalidResponse
  /// The server's action is unknown.
  case invalidAction
  /// The device cannot do what the server asks for.
  case unsupportedAction(String)
  /// The server's options lack something.
  case missingParameters(String)
  /// The time limit passed.
  case timeout

  /// What a server is told: `ERROR::<name>:<text>`, with a name of WebAuthn's. For people there is ``errorDescription``.
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
    case .invalidResponse: "The answer has no known form."
    case .invalidAction: "The server asks for an unknown action."
    case .unsupportedAction(let reason): reason.isEmpty ? "The device cannot do what is asked." : reason
    case .missingParameters(let reason): reason.isEmpty ? "The options lack something." : reason
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
    case .invalidResponse: "Start again; if it stays so, use another key."
    case .unsupportedAction: "Use a key that can do it, or another way to sign in."
    case .timeout: "Start again, and answer the prompt in time."
    }
  }
}
