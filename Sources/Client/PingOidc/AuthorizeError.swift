public import Foundation

/// What is wrong with a redirect that should have brought a code.
public enum AuthorizeError: Error, LocalizedError {
  /// It has none.
  case missingAuthCode
  /// Its code was exchanged before, or no sign-in is open that it could belong to.
  case codeAlreadyUsed

  public var errorDescription: String? {
    switch self {
    case .missingAuthCode: "The redirect has no authorization code. Sign in again."
    case .codeAlreadyUsed: "The redirect was used before, or no sign-in is open. Sign in again."
    }
  }
}
