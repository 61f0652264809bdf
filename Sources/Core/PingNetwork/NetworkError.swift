public import Foundation

/// Why there is no answer.
public enum NetworkError: LocalizedError, Sendable, Hashable {
  /// The request cannot be sent as it is; the text says why.
  case invalidRequest(String)

  /// What came back is no acceptable HTTP answer; the text says why.
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
    case .timeout: "The server did not answer in time. Check its address, or allow more time."
    case .networkUnavailable: "There is no connection to the network. Check it, then try again."
    case .cancelled: "The request was cancelled."
    }
  }
}
