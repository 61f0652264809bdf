public import Foundation

/// Why a redirect has no usable authorization code.
public enum AuthorizeError: Error, LocalizedError {
  /// The redirect has no code.
  case missingAuthCode
  /// The redirect's code was already exchanged, or no sign-in is open.
  case codeAlreadyUsed

  public var errorDescription: String? {
    switch self {
    case .missingAuthCode: "The redirect has no authorization code. Sign in again."
    case .codeAlreadyUsed: "The redirect was used before, or no sign-in is open. Sign in again."
    }
  }
}
