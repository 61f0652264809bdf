internal import OpenIDFormats
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import ServerHTTP

/// A request of a client that has proven itself.
struct ClientRequest: Sendable {
  let request: Request
  let context: ResourceContext
  var parameters: [String: String]
  let client: OpenIDClient

  /// The proof of the key to which the client's tokens are bound.
  var proof: VerifiedDPoPProof?

  subscript(name: String) -> String? { parameters[name] }

  func requireGrant(_ grant: OpenIDClient.Grant, _ what: String) throws(OAuthError) {
    guard client.grants.contains(grant) else {
      throw OAuthError(.unauthorizedClient, "The client is not registered for \(what).")
    }
  }
}

/// A request of somebody's browser, or of a program that acts for a person.
struct PersonRequest: Sendable {
  let request: Request
  let context: ResourceContext
  let parameters: [String: String]

  subscript(name: String) -> String? { parameters[name] }
}

extension OpenIDProvider {
  /// A route for forms that clients post with their authentication.
  func clientRoute(
    _ path: String, _ answer: @escaping @Sendable (ClientRequest) async throws -> Response
  ) -> Route {
    let handler: Route.Handler = { request, context in
      try await answering(request, context) {
        let parameters = try await FormParameters.posted(request)
        let client = try await authenticate(request, parameters, context)
        return try await answer(
          ClientRequest(request: request, context: context, parameters: parameters, client: client))
      }
    }
    return Route(
      path, [.post: handler], admission: .proof { await isProven($0, realm: $1) }, below: "oauth2",
      takesForms: true)
  }

  /// A route for browsers. Errors are answered here and never redirected, because the redirect address is not certain.
  func personRoute(
    _ path: String, get: @escaping @Sendable (PersonRequest) async throws -> Response,
    post: @escaping @Sendable (PersonRequest) async throws -> Response
  ) -> Route {
    let handler: Route.Handler = { request, context in
      var parameters: [String: String] = [:]
      let isPost = request.method == .post
      do {
        parameters =
          isPost
          ? try await FormParameters.posted(request) : try FormParameters.parse(request.uri.query ?? "")
        return try await (isPost ? post : get)(
          PersonRequest(request: request, context: context, parameters: parameters))
      } catch let error as OAuthError {
        context.logger.notice(
          "request of a person refused",
          metadata: ["reason": "\(error.cause ?? error.text)", "path": "\(request.uri.path)"])
        let isForProgram = path == "authorize" && AuthorizeEndpoint.isFromProgram(parameters)
        return try refusal(error, request, isForProgram: isForProgram, context)
      }
    }
    return Route(
      path, [.get: handler, .post: handler], admission: .session, below: "oauth2", takesForms: true)
  }
}
