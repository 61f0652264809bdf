#if canImport(AuthenticationServices)
  public import AuthenticationServices

  #if canImport(UIKit)
    public import SafariServices
    internal import UIKit
  #endif

  extension BrowserLauncher: ASWebAuthenticationPresentationContextProviding {
    /// The window that the person uses.
    public func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor {
      #if canImport(UIKit)
        window ?? ASPresentationAnchor()
      #else
        ASPresentationAnchor()
      #endif
    }
  }

  #if canImport(UIKit)
    extension BrowserLauncher {
      private var window: UIWindow? {
        let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
        let scene = scenes.first { $0.activationState == .foregroundActive } ?? scenes.first
        return scene?.keyWindow ?? scene?.windows.first
      }

      /// The controller that shows a page over everything else.
      var presentingController: UIViewController? {
        var controller = window?.rootViewController
        while let next = controller?.presentedViewController { controller = next }
        return controller
      }
    }

    extension BrowserLauncher: SFSafariViewControllerDelegate {
      /// The person has closed the page.
      nonisolated public func safariViewControllerDidFinish(_ controller: SFSafariViewController) {
        Task { @MainActor in reset() }
      }

      /// The page redirected before it was shown.
      nonisolated public func safariViewController(
        _ controller: SFSafariViewController, initialLoadDidRedirectTo URL: URL
      ) {
        Task { @MainActor in _ = take(URL) }
      }
    }
  #endif
#endif
