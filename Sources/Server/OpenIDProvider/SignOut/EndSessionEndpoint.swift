internal import Accounts
internal import BindingFormats
internal import Bytes
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import JourneyNodes
internal import JourneyStore
internal import OpenIDFormats
internal import Pages
internal import ServerHTTP

/// `/oauth2/…/connect/endSession`: signs people out for a client (OpenID Connect RP-Initiated Logout 1.0).
///
/// Only with an ID token that was given out in the very session that the browser has, nobody is asked: else any page could sign people
/// out, or be told that it did.
struct EndSessionEndpoint: Endpoint {
  let provider: OpenIDProvider

  var routes: [Route] {
    [
      Route(
        "connect/endSession", [.get: end, .post: end], admission: .session, below: "oauth2",
        takesForms: true)
    ]
  }

  /// What the page that asks carries.
  private struct Confirmation: Codable {
    /// The hash of the session's token, in base64url.
    let session: String
    /// Seconds since 1970.
    let asked: TimeInterval
    let target: String?

    enum CodingKeys: String, CodingKey { case session = "out", asked = "t", target = "u" }
  }

  private func end(_ request: Request, in context: ResourceContext) async throws -> Response {
    do {
      let parameters =
        request.method == .post
        ? try await FormParameters.posted(request) : try FormParameters.parse(request.uri.query ?? "")
      return try await end(parameters, request, context)
    } catch let error as OAuthError {
      return try provider.refusal(error, request, context)
    }
  }

  private func end(
    _ parameters: [String: String], _ request: Request, _ context: ResourceContext
  ) async throws -> Response {
    let text = provider.sessions.presentedText(in: request)
    let session = try await provider.sessions.verify(text)
    if let session { try provider.sessions.charge(session) }
    if let ticket = parameters["confirmation"] {
      let opened: Confirmation? = provider.tickets.open(ticket, as: .consent, realm: context.realm)
      guard let session, let opened, opened.session == Base64URL.encode(session.token.hash),
        provider.clock().timeIntervalSince1970 - opened.asked < AuthorizeEndpoint.patience
      else { throw OAuthError(.invalidRequest, "This page has expired.") }
      try provider.pages.site.requireOwnPage(request, context)
      return try await signOut(session, to: opened.target, request, context)
    }
    var hint: IDTokenHint?
    if let token = parameters["id_token_hint"] {
      hint = try await provider.hint(token, context)
      guard hint != nil else {
        throw OAuthError(.invalidRequest, "The id_token_hint is not one of this server.")
      }
    }
    let target = try target(parameters, hint: hint, context)
    // A form of another site brings no cookie, and must not take one away.
    guard let session else { return try answer(to: target, clearing: text != nil, request, context) }
    if let hint {
      // Signs nobody else out.
      guard let user = try await provider.store.user(session.account), hint.subject == user.id
      else {
        throw OAuthError(.invalidRequest, "The id_token_hint is of somebody else than who is signed in.")
      }
      if hint.sessionID == OpenIDHash.sessionID(session.token.hash) {
        return try await signOut(session, to: target, request, context)
      }
    }
    let ticket = Confirmation(
      session: Base64URL.encode(session.token.hash), asked: provider.clock().timeIntervalSince1970,
      target: target)
    return try provider.pages.confirmation(
      try provider.pages.visit(request, context),
      ticket: try provider.tickets.seal(ticket, as: .consent, realm: context.realm),
      isRead: request.method == .get, sendingTo: target)
  }

  /// Where the browser goes afterwards: an address that is registered for the client, compared byte by byte, with `state`.
  private func target(
    _ parameters: [String: String], hint: IDTokenHint?, _ context: ResourceContext
  ) throws(OAuthError) -> String? {
    guard let uri = parameters["post_logout_redirect_uri"] else { return nil }
    let audience = hint?.audience.names.first
    guard let id = parameters["client_id"] ?? audience, (audience ?? id) == id,
      let client = provider.file.clients.client(id, realm: context.realm),
      client.postLogoutURIs.contains(where: { $0.utf8.elementsEqual(uri.utf8) })
    else {
      throw OAuthError(.invalidRequest, "The post_logout_redirect_uri is not registered for this client.")
    }
    let query = PercentEncoding.form([("state", parameters["state"])])
    return query.isEmpty ? uri : uri + (uri.contains("?") ? "&" : "?") + query
  }

  private func signOut(
    _ session: AuthenticatedSession, to target: String?, _ request: Request, _ context: ResourceContext
  ) async throws -> Response {
    _ = try await provider.accounts.end(session.record, by: session.actor)
    var response = try answer(to: target, clearing: true, request, context)
    response.headers.append(
      contentsOf: provider.services.persistentCookies.clearing(
        in: request, of: session.account, provider.sessions.cookieAttributes(for: context.connection)))
    return response
  }

  private func answer(
    to target: String?, clearing: Bool, _ request: Request, _ context: ResourceContext
  ) throws -> Response {
    var response =
      try target.map { AuthorizeEndpoint.redirect(to: $0) }
      ?? provider.pages.signedOut(try provider.pages.visit(request, context))
    guard clearing else { return response }
    response.headers.append(
      HTTPField(
        name: .setCookie,
        value: provider.sessions.cookieAttributes(for: context.connection)
          .clearing(provider.sessions.cookieName)))
    return response
  }
}
