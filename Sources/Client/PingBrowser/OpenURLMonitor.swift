public import Foundation

#if canImport(Combine)
  public import Combine
#endif
#if canImport(UIKit)
  public import UIKit
#endif

/// Receives the addresses with which the system opens an app: redirects to the app's own scheme.
@MainActor public final class OpenURLMonitor: NSObject {
  /// The process's monitor.
  public static let shared = OpenURLMonitor()

  #if canImport(Combine)
    /// All addresses that were handed over, including those that nothing waited for.
    public let urlPublisher = PassthroughSubject<URL, Never>()
  #endif

  #if canImport(UIKit)
    /// Hands over `url`.
    ///
    /// - Returns: whether the browser was waiting for it. Any app can open this one with any address: only the redirect of the
    ///   request that is open counts.
    @discardableResult
    public func handleOpenURL(_ url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]) -> Bool {
      handle(url)
    }
  #else
    /// Hands over `url`, for instance that of `x-scheme-handler/com.example.app` in a desktop entry.
    ///
    /// - Returns: whether the browser was waiting for it. Any program can open this one with any address: only the redirect of the
    ///   request that is open counts.
    @discardableResult
    public func handleOpenURL(_ url: URL) -> Bool { handle(url) }
  #endif

  private func handle(_ url: URL) -> Bool {
    #if canImport(Combine)
      urlPublisher.send(url)
    #endif
    return (BrowserLauncher.currentBrowser as? BrowserLauncher)?.take(url) ?? false
  }
}
