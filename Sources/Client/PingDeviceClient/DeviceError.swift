public import Foundation

/// Why a device could not be listed, renamed or deleted.
public enum DeviceError: LocalizedError, Sendable {
  /// The server could not be reached, or did not answer.
  case networkError(error: any Error)

  /// The server refused with an HTTP status; the message is its reason.
  case requestFailed(statusCode: Int, message: String)

  /// The configured address is not an `http` or `https` URL.
  case invalidUrl(url: String)

  /// The answer is not JSON, has no list of devices, or contains a malformed device.
  case decodingFailed(error: any Error)

  /// The change could not be encoded for the server.
  case encodingFailed(message: String)

  /// The server's answer is malformed.
  case invalidResponse(message: String)

  /// The session token cannot be used.
  case invalidToken(message: String)

  /// The configuration is incomplete.
  case missingConfiguration(message: String)

  // The first sentence is the published SDK's; what follows it says what to do.
  public var errorDescription: String? {
    switch self {
    case .networkError(let error): "Network error: \(error.localizedDescription)"
    case .requestFailed(let status, let message):
      "Request failed with status code \(status): \(message)" + (Self.advice(status).map { ". \($0)" } ?? "")
    case .invalidUrl(let url): "Invalid URL: \(url)"
    case .decodingFailed(let error): "Failed to decode response: \(error.localizedDescription)"
    case .encodingFailed(let message): "Failed to encode data: \(message)"
    case .invalidResponse(let message): "Invalid response: \(message)"
    case .invalidToken(let message): "Invalid token: \(message)"
    case .missingConfiguration(let message): "Missing configuration: \(message)"
    }
  }

  public var failureReason: String? {
    switch self {
    case .networkError(let error): error.localizedDescription
    case .requestFailed(let status, let message): "The server answered HTTP \(status): \(message)."
    case .invalidUrl(let url): "\(url.debugDescription) is not an http or https URL."
    case .decodingFailed(let error): error.localizedDescription
    case .encodingFailed(let message), .invalidResponse(let message), .invalidToken(let message),
      .missingConfiguration(let message):
      message
    }
  }

  public var recoverySuggestion: String? {
    switch self {
    case .networkError: "Check the address and the network, then try again."
    case .requestFailed(let status, _):
      Self.advice(status) ?? "Correct what the server names, then try again."
    case .invalidUrl: "Set serverUrl to an address such as https://example.com/am."
    case .decodingFailed, .invalidResponse:
      "Check that the address is PingAM's or a compatible server's."
    case .encodingFailed: "Correct the device that is sent."
    case .invalidToken: "Sign in and pass the new session's token."
    case .missingConfiguration: "Complete the DeviceClientConfig."
    }
  }

  /// The advice for a refusal with `status`; `nil` when only the server's reason helps.
  private static func advice(_ status: Int) -> String? {
    switch status {
    case 401: "Sign in again, and make a client with the new session's token."
    case 403: "Sign in as the devices' owner or as an administrator."
    case 404: "List the devices again; check address and realm."
    case 500...: "Try again later."
    default: nil
    }
  }
}

/// Why an answer with a successful status cannot be used.
enum AnswerError: LocalizedError {
  case notJSON
  case noResult

  var errorDescription: String? { failureReason }

  var failureReason: String? {
    switch self {
    case .notJSON: "It is not JSON."
    case .noResult: "It has no list \"result\"."
    }
  }

  var recoverySuggestion: String? { "Check that the address is PingAM's or a compatible server's." }
}
