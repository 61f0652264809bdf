internal import PingJourneyPlugin
internal import PingLogger
internal import PingOrchestrate
internal import PingStorage

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#else
  internal import Foundation
#endif

/// Ends the session on the server, then forgets it.
struct SignOff: Sendable {
  let session: SessionConfig
  let journey: JourneyConfig?
  /// The header that carries the token.
  let cookie: String
  let logger: any Logger

  /// Takes part in the sign-off. Without a session the request stays as it is: another module may have something to end.
  func register(with setup: Setup<SessionConfig>) {
    setup.workflow.signOffHandlers.append { request in
      guard let journey, let token = try await session.storage.get(),
        token.isUsable(by: journey.sessionIssuer)
      else { return request }
      return ask(for: token, of: journey)
    }
    setup.signedOff { request, response in
      // Another module's request, or no token sent: nothing of this module was ended.
      guard request.urlRequest.value(forHTTPHeaderField: cookie) != nil else { return }
      try await conclude(response)
    }
  }

  private func ask(for token: SSOTokenImpl, of journey: JourneyConfig) -> Request {
    let request = journey.request(for: "sessions")
    request.parameter(name: "_action", value: "logout")
    request.body(body: [:])
    request.setHeader(name: JourneyConstants.acceptApiVersion, value: JourneyConstants.resource31)
    request.setHeader(name: Request.Constants.xRequestedWith, value: Request.Constants.pingSdk)
    request.setHeader(name: Request.Constants.xRequestedPlatform, value: Request.Constants.platform)
    request.setHeader(name: cookie, value: token.value)
    return request
  }

  private func conclude(_ response: any Response) async throws {
    switch response.status() {
    case 200..<300: break
    // The server does not know the session any more, which is what was asked for.
    case 401: logger.i("The session had ended before it was signed off")
    case let status:
      let json = (try? response.json()) ?? [:]
      let message = json[JourneyConstants.message] as? String ?? "the server answered HTTP \(status)"
      throw ApiError.error(status, json, "The session was not signed off, and is kept: \(message)")
    }
    try await session.storage.delete()
  }
}
