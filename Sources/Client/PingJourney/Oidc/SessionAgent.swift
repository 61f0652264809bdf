internal import Bytes
internal import Foundation
internal import PingJourneyPlugin
internal import PingOidc
internal import PingOrchestrate
internal import WebAddresses

/// Asks the server to authorize the app for the person signed in with a journey's session.
///
/// The session token is sent to the journey's own server and nowhere else, whatever a discovery document says.
struct SessionAgent: Agent {
  /// The session token. A secret.
  let session: String
  /// The header that carries it.
  let cookie: String
  /// The journey's server.
  let origin: WebOrigin?

  /// The number of bytes of a refusal that go into the error.
  private static let shownBytes = 400

  func config() -> () -> Void { {} }

  func endSession(oidcConfig: OidcConfig<Void>, idToken: String) async throws -> Bool {
    try await DefaultAgent().endSession(oidcConfig: oidcConfig, idToken: idToken)
  }

  func authorize(oidcConfig: OidcConfig<Void>) async throws -> AuthCode {
    let config = oidcConfig.oidcClientConfig
    guard !session.isEmpty else {
      throw OidcError.authorizeError(message: "There is no session to authorize with.")
    }
    try await config.oidcInitialize()
    guard let openId = config.openId else {
      throw OidcError.unknown(message: "The provider's addresses are not known: set discoveryEndpoint.")
    }
    guard let origin, WebOrigin(address: openId.authorizationEndpoint) == origin else {
      throw OidcError.authorizeError(
        message: "The authorization endpoint is not on the journey's server: the session is not sent there.")
    }
    let pkce = Pkce.generate()
    let request = try await config.authorizationPage(at: openId, pkce: pkce)
    request.setHeader(name: JourneyConstants.acceptApiVersion, value: JourneyConstants.resource21Protocol10)
    request.setHeader(name: cookie, value: session)
    let answer = try await config.sendForAgent(request)
    guard [302, 303].contains(answer.status()), let location = answer.header(name: "Location") else {
      // Only the server's text, such as `invalid_client`, tells a wrong registration from other faults. The session, which it might
      // repeat, is removed before anything is cut off, which could leave a part of it.
      var refusal = answer
      refusal.data = Data(String(decoding: answer.data, as: UTF8.self).replacing(session, with: "…").utf8)
      let body = String(decoding: refusal.data.prefix(Self.shownBytes), as: UTF8.self).onOneLine
      throw OidcError.refused(
        refusal, by: "authorization",
        otherwise: "The authorization endpoint did not redirect with a code"
          + (body.isEmpty ? "." : ": \(body)"))
    }
    // With a redirect elsewhere the server asks the person, on a page that is not shown here.
    guard location.hasPrefix(config.redirectUri.prefix { $0 != "?" && $0 != "#" }) else {
      throw OidcError.authorizeError(
        message:
          "The server wants to ask the person on a page: the session is not enough, or consent is required.")
    }
    return config.authCode(try config.code(in: location, answering: pkce, at: openId), for: pkce)
  }
}

extension SessionAgent: CustomStringConvertible, CustomReflectable {
  /// A description without the token.
  var description: String { "SessionAgent(session: redacted)" }
  var customMirror: Mirror { Mirror(self, children: [:]) }
}
