#if canImport(AuthenticationServices)
  internal import AuthenticationServices
  internal import PingLogger

  #if canImport(UIKit)
    internal import SafariServices
    internal import UIKit
  #endif

  /// The system's sign-in window and, with UIKit, the browser's own app and a browser in the app.
  @MainActor final class SystemBrowser: UserAgent {
    private var session: ASWebAuthenticationSession?
    #if canImport(UIKit)
      private var controller: SFSafariViewController?
    #endif

    nonisolated init() {}

    func open(
      _ url: URL, expecting expected: ExpectedRedirect, type: BrowserType, of launcher: BrowserLauncher,
      answer: @escaping Answer
    ) throws(BrowserError) {
      switch type {
      case .authSession, .ephemeralAuthSession:
        try start(url, expected, isEphemeral: type == .ephemeralAuthSession, launcher, answer)
      case .nativeBrowserApp:
        #if canImport(UIKit)
          UIApplication.shared.open(url, options: [:]) { opened in
            if !opened { answer(.failure(.externalUserAgentFailure)) }
          }
        #else
          throw failure("The browser's own app is for systems with UIKit")
        #endif
      case .sfViewController:
        #if canImport(UIKit)
          guard let parent = launcher.presentingController else {
            throw failure("There is no window to show a page in")
          }
          let controller = SFSafariViewController(url: url)
          controller.delegate = launcher
          self.controller = controller
          parent.present(controller, animated: true)
        #else
          throw failure("A browser in the app is for systems with UIKit")
        #endif
      }
    }

    private func start(
      _ url: URL, _ expected: ExpectedRedirect, isEphemeral: Bool, _ launcher: BrowserLauncher,
      _ answer: @escaping Answer
    ) throws(BrowserError) {
      guard !["http", "https"].contains(expected.scheme) else {
        throw failure("The system's sign-in window returns only redirects to a scheme of the app's own")
      }
      let session = ASWebAuthenticationSession(url: url, callbackURLScheme: expected.scheme) {
        redirect, error in
        guard let redirect else {
          let isCancelled = (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin
          answer(.failure(isCancelled ? .externalUserAgentCancelled : .externalUserAgentFailure))
          return
        }
        // The window has closed, so a redirect that does not answer the request ends it, too.
        answer(expected.isMet(by: redirect) ? .success(redirect) : .failure(.externalUserAgentFailure))
      }
      session.presentationContextProvider = launcher
      session.prefersEphemeralWebBrowserSession = isEphemeral
      self.session = session
      guard session.start() else { throw failure("The system's sign-in window does not open") }
    }

    func close() {
      session?.cancel()
      session = nil
      #if canImport(UIKit)
        controller?.dismiss(animated: true)
        controller = nil
      #endif
    }

    private func failure(_ reason: String) -> BrowserError {
      LogManager.logger.w("\(reason).", error: nil)
      return .externalUserAgentFailure
    }
  }
#endif
