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

  public var errorDescription: String? {
    switch self {
    case .networkError(let error):
      "The server was not reached: \(error.localizedDescription) Check the address and the network, then try again."
    case .requestFailed(401, let message):
      "The server does not accept the session (401, \(message)). Sign in again."
    case .requestFailed(403, let message):
      "The session may not do this (403, \(message)). Sign in as the devices' owner or as an administrator."
    case .requestFailed(404, let message):
      "The server does not know it (404, \(message)). List the devices again; check address and realm."
    case .requestFailed(let status, let message):
      "The server refused (\(status), \(message))."
    case .invalidUrl(let url):
      "\(url.debugDescription) is not an http or https URL. Set serverUrl to one such as https://example.com/am."
    case .decodingFailed(let error):
      "The server's answer, or a device in it, cannot be read: \(error.localizedDescription) Check that the address is "
        + "PingAM's or a compatible server's."
    case .encodingFailed(let message):
      "The change cannot be sent: \(message)"
    case .invalidResponse(let message):
      "The server's answer cannot be used: \(message) Check that the address is PingAM's or a compatible server's."
    case .invalidToken(let message):
      "The session token cannot be used: \(message) Sign in and pass the new session's token."
    case .missingConfiguration(let message):
      "The configuration is incomplete: \(message)"
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
    case .requestFailed(401, _): "Sign in again, and make a client with the new session's token."
    case .requestFailed(403, _): "Sign in as the devices' owner or as an administrator."
    case .requestFailed(404, _): "List the devices again; check address and realm."
    case .requestFailed(500..., _): "Try again later."
    case .requestFailed: "Correct what the server names, then try again."
    case .invalidUrl: "Set serverUrl to an address such as https://example.com/am."
    case .decodingFailed, .invalidResponse:
      "Check that the address is PingAM's or a compatible server's."
    case .encodingFailed: "Correct the device that is sent."
    case .invalidToken: "Sign in and pass the new session's token."
    case .missingConfiguration: "Complete the DeviceClientConfig."
    }
  }
}

/// What is wrong with an answer of a successful status.
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
