internal import Foundation
internal import FRCore
internal import PingJourneyPlugin
internal import PingNetwork
internal import PingOrchestrate

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Passes the journey's requests to the app's interceptors.
enum Interception {
  private static let name = "com.sealring.frauth.journey"

  static var module: Module<Void> {
    Module<Void>.of { setup in
      setup.start { context, request in
        let query = request.urlRequest.url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: false) }?
          .queryItems
        func value(_ name: String) -> String? { query?.first { $0.name == name }?.value }
        let isResumed = value("suspendedId") != nil
        context.flowContext.set(key: name, value: value(JourneyConstants.authIndexValue) ?? "")
        return intercepted(request, isResumed ? .RESUME_AUTHENTICATE : .START_AUTHENTICATE, context)
      }
      setup.next { context, _, request in intercepted(request, .AUTHENTICATE, context) }
      setup.signOff { request in intercepted(request, .LOGOUT, nil) }
    }
  }

  private static func intercepted(
    _ request: PingOrchestrate.Request, _ type: ActionType, _ context: FlowContext?
  ) -> PingOrchestrate.Request {
    let payload = context.map { context -> [String: Any] in
      ["tree": context.flowContext.get(key: name) as? String ?? "", "type": "service"]
    }
    let before = request.urlRequest
    let after = FRRequestInterceptorRegistry.shared.intercepted(before, type, payload: payload)
    // A request that cannot be sent keeps the reason.
    if after != before, request.problem == nil { request.url(after) }
    return request
  }
}

/// Sends requests outside journeys, after passing them to the app's interceptors.
// Adds an immutable property.
final class InterceptingClient: PingOrchestrate.HttpClient, @unchecked Sendable {
  private let action: ActionType

  init(_ action: ActionType) {
    self.action = action
    super.init()
  }

  override func sendRequest(request: PingOrchestrate.Request) async throws -> (Data, URLResponse) {
    let after = FRRequestInterceptorRegistry.shared.intercepted(request.urlRequest, action)
    // An address that an interceptor has set was not checked yet, and the request carries the session.
    try PlainHTTP.check(after.url?.absoluteString ?? "", isAllowed: allowsInsecureHTTP)
    request.url(after)
    return try await super.sendRequest(request: request)
  }
}
