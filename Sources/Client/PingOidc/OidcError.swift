public import Foundation

/// Why there are no tokens, or no answer from the OpenID provider.
public enum OidcError: LocalizedError, Sendable {
  /// The provider did not authorize the app.
  case authorizeError(cause: (any Error)? = nil, message: String? = nil)

  /// The provider could not be reached.
  case networkError(cause: (any Error)? = nil, message: String? = nil)

  /// The provider refused with an HTTP status; the message is its answer.
  case apiError(code: Int, message: String)

  /// Anything else.
  case unknown(cause: (any Error)? = nil, message: String? = nil)

  /// What failed.
  public var errorMessage: String {
    switch self {
    case .authorizeError(let cause, let message): "The authorization failed: \(Self.detail(cause, message))"
    case .networkError(let cause, let message):
      "The OpenID provider could not be reached: \(Self.detail(cause, message))"
    case .apiError(let code, let message):
      "The OpenID provider refused (HTTP \(code)): \(message.prefix(500))"
    case .unknown(let cause, let message): "The OpenID Connect step failed: \(Self.detail(cause, message))"
    }
  }

  /// The same text as ``errorMessage``.
  public var errorDescription: String? { errorMessage }

  public var failureReason: String? {
    switch self {
    case .authorizeError(let cause, let message), .networkError(let cause, let message),
      .unknown(let cause, let message):
      Self.detail(cause, message)
    case .apiError(let code, _): "The server answered HTTP \(code)."
    }
  }

  public var recoverySuggestion: String? {
    switch self {
    case .authorizeError: "Check the client's registration, then sign in again."
    case .networkError: "Check the address and the network, then try again."
    case .apiError(500..., _): "Try again later."
    case .apiError: "Check the client's registration: its id, scopes and redirect URI."
    case .unknown: "Sign in again."
    }
  }

  private static func detail(_ cause: (any Error)?, _ message: String?) -> String {
    message ?? cause?.localizedDescription ?? "the reason is unknown."
  }
}
