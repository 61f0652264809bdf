public import Foundation

/// Why a request has no usable answer.
public enum NetworkError: LocalizedError, Sendable, Hashable {
  /// The request cannot be sent; the text gives the reason.
  case invalidRequest(String)

  /// The answer is not acceptable HTTP; the text gives the reason.
  case invalidResponse(String)

  /// No answer came in time.
  case timeout

  /// There is no connection to the network, or it was lost.
  case networkUnavailable

  /// The task was cancelled, or the client closed.
  case cancelled

  public var errorDescription: String? {
    switch self {
    case .invalidRequest(let reason): "The request cannot be sent: \(reason)"
    case .invalidResponse(let reason): "The server's answer cannot be used: \(reason)"
    // The published SDK's sentence, then what to do.
    case .timeout: "The request timed out: check the server's address, or allow more time."
    case .networkUnavailable: "There is no connection to the network. Check it, then try again."
    case .cancelled: "The request was cancelled."
    }
  }

  public var failureReason: String? {
    switch self {
    case .invalidRequest(let reason), .invalidResponse(let reason): reason
    case .timeout: "The time limit passed before the last byte of the answer came."
    case .networkUnavailable: "The device has no network connection, or lost it during the request."
    case .cancelled: "The task was cancelled, or the client closed."
    }
  }

  public var recoverySuggestion: String? {
    switch self {
    case .invalidRequest: "Correct the request: its URL, its headers, its body."
    case .invalidResponse: "Check that the address is that of the right server."
    case .timeout: "Check the server's address, or allow more time."
    case .networkUnavailable: "Check the network connection, then try again."
    case .cancelled: "Send the request again if it is still needed."
    }
  }
}
