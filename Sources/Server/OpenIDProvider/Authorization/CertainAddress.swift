internal import HTTPTypes
internal import Hummingbird
internal import JourneyStore
internal import Logging
internal import Operations
internal import ServerHTTP
internal import WebAddresses

/// Lets requests to OpenID Connect through only where the server's own address is certain: configured, or this machine's. Before each
/// request, what is known of the server's keys is read again if it is old; a server that lacks the key in use answers 503.
///
/// Without a public URL, the host of the request would determine the issuer and the audience. Anyone who relays a client's assertion or a
/// proof, or sends a browser here under another name, could choose them.
struct CertainAddress: Endpoint {
  let endpoint: any Endpoint
  let provider: OpenIDProvider

  var routes: [Route] {
    endpoint.routes.map { route in
      route.with { handler in
        { request, context in
          guard isCertain(context) else { return try refuse(request, context) }
          try await provider.secrets.refreshIfOld()
          // Without the key, good tokens would look forged, and clients would drop them.
          guard provider.secrets.hasCurrentKey else {
            throw StoreError.unavailable("this server does not have the server key in use")
          }
          return try await handler(request, context)
        }
      }
    }
  }

  private func isCertain(_ context: ResourceContext) -> Bool {
    guard !provider.sessions.baseAddress.isConfigured(realm: context.realm) else { return true }
    return context.connection.origin.flatMap { WebOrigin($0) }?.isLoopback == true
  }

  private func refuse(_ request: Request, _ context: ResourceContext) throws -> Response {
    context.logger.error(
      "OpenID Connect refused: give --public-url, or realm addresses. Without one, the caller would choose the issuer.",
      metadata: ["path": "\(request.uri.path)", "host": "\(context.connection.host ?? "")"])
    return try provider.refusal(
      OAuthError(.invalidRequest, "This server does not know its own address (--public-url)."), request,
      context)
  }
}
