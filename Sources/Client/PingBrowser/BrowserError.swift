public import Foundation

/// Why the browser returned no redirect.
public enum BrowserError: Error, Sendable {
  /// It cannot be opened, or not for this address, or the redirect cannot be received; the log says which.
  case externalUserAgentFailure
  /// It is open for another request. One at a time: ``BrowserLauncherProtocol/reset()`` gives the other one up.
  case externalUserAgentAuthenticationInProgress
  /// The person closed it, the time was up, or the request was given up.
  case externalUserAgentCancelled
}

extension BrowserError: LocalizedError {
  public var errorDescription: String? {
    switch self {
    case .externalUserAgentFailure: "The browser could not be opened for this sign-in."
    case .externalUserAgentAuthenticationInProgress: "The browser is already open for another sign-in."
    case .externalUserAgentCancelled: "The sign-in in the browser was cancelled."
    }
  }
}
