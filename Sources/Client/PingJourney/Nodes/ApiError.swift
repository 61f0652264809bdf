public import Foundation

/// The server's answer was not a step of a journey.
// The dictionary holds parsed JSON, or an error, and never changes.
public enum ApiError: Error, @unchecked Sendable {
  /// The HTTP status, the body as JSON, and a text.
  case error(Int, [String: Any], String)
}

extension ApiError: LocalizedError {
  /// The status and the beginning of the text.
  public var errorDescription: String? {
    switch self {
    case .error(let status, _, let text): "HTTP \(status): \(text.prefix(500))"
    }
  }

  public var failureReason: String? {
    switch self {
    case .error(let status, _, let text):
      text.isEmpty ? "The server answered HTTP \(status)." : String(text.prefix(500))
    }
  }

  public var recoverySuggestion: String? {
    switch self {
    case .error(300..<400, _, _): "Set serverUrl to the address that the server redirects to."
    case .error(400..<500, _, _): "Start the journey again; check the server's address, realm and journey."
    case .error(500..., _, _): "Try again later."
    case .error: "Check that serverUrl is PingAM's or a compatible server's."
    }
  }
}
