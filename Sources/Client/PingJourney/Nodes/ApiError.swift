public import Foundation

/// The server's answer was no step of a journey.
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
}
