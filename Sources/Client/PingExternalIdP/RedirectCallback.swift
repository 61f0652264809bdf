public import Foundation
public import PingBrowser
public import PingJourneyPlugin
public import PingOrchestrate

/// Sends the person to another site, such as a provider's, which sends them back. The journey continues with the redirect's parameters.
///
/// The redirect has to reach the app. Its address, the `redirectURI` in the server's configuration of the provider, has the app's own
/// scheme or, on Linux, is `http://127.0.0.1:PORT/PATH`.
// Its stored properties are guarded.
public class RedirectCallback: AbstractCallback, RequestInterceptor, @unchecked Sendable {
  /// The address to go to.
  @Guarded public private(set) var redirectUrl: String = ""
  /// The HTTP method for ``redirectUrl``.
  @Guarded public private(set) var redirectMethod: String = "GET"
  /// Whether browsers are to keep the journey's id in a cookie. Apps keep it in the node.
  @Guarded public private(set) var trackingCookie: Bool = false

  @Guarded private var brought: [URLQueryItem] = []

  /// The parameters that are taken from a redirect (RFC 6749 §4.1.2, RFC 9207). Any other could be an instruction to the server, such as
  /// another journey's name.
  private static let parameters: Set<String> = ["code", "error", "error_description", "iss", "state"]

  public override func initValue(name: String, value: Any) {
    switch name {
    case "redirectUrl": redirectUrl = OutputValue.string(value) ?? redirectUrl
    case "redirectMethod": redirectMethod = OutputValue.string(value) ?? redirectMethod
    case "trackingCookie": trackingCookie = OutputValue.bool(value) ?? trackingCookie
    default: break
    }
  }

  /// Opens the browser, and keeps the redirect's parameters for the next step. Call `next()` afterwards.
  ///
  /// - Parameters:
  ///   - callbackURLScheme: the scheme of the redirect; `nil` for that of the address.
  ///   - browserType: how the browser is shown.
  /// - Returns: the redirect, or ``IdpExceptions`` or `BrowserError`.
  public func authorize(
    callbackURLScheme: String? = nil, browserType: BrowserType = .authSession
  ) async -> Result<URL, any Error> {
    do {
      guard redirectMethod.uppercased() == "GET", let url = URL(string: redirectUrl) else {
        throw IdpExceptions.illegalArgumentException(
          message: "The redirect is not a web address that can be opened by GET.")
      }
      let expected = try ExpectedRedirect(of: url, scheme: callbackURLScheme ?? "")
      let redirect = try await BrowserLauncher.currentBrowser.launch(
        url: url, customParams: nil, browserType: browserType, browserMode: .login,
        callbackURLScheme: expected.scheme)
      guard expected.isMet(by: redirect) else {
        throw IdpExceptions.illegalStateException(message: "The redirect answers another request.")
      }
      let items = URLComponents(url: redirect, resolvingAgainstBaseURL: true)?.queryItems ?? []
      brought = items.filter { Self.parameters.contains($0.name) }
      return .success(redirect)
    } catch { return .failure(error) }
  }

  /// Adds the redirect's parameters to the request's query.
  public func intercept(context: FlowContext, request: Request) -> Request {
    for item in brought { request.parameter(name: item.name, value: item.value ?? "") }
    return request
  }
}
