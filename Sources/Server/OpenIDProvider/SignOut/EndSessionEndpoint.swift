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
/// The person is asked first, unless the request has an ID token of the browser's very session. Otherwise any page could sign people out,
/// or be told that it did.
struct EndSessionEndpoint: Endpoint {
  let provider: OpenIDProvider

  var routes: [Route] { [provider.personRoute("connect/endSession", get: end, post: end)] }

  /// The sealed content of the confirmation page's form.
  private struct Confirmation: Codable {
    /// The hash of the session's token, in base64url.
    let session: String
    /// Seconds since 1970.
    let asked: TimeInterval
    let target: String?

    enum CodingKeys: String, CodingKey { case session = "out", asked = "t", target = "u" }
  }

  private func end(_ asked: PersonRequest) async throws -> Response {
    let (request, context) = (asked.request, asked.context)
    let text = provider.sessions.presentedText(in: request)
    let session = try await provider.sessions.verify(text)
    if let session { try provider.sessions.charge(session) }
    if let ticket = asked["confirmation"] {
      let opened: Confirmation? = provider.tickets.open(ticket, as: .consent, realm: context.realm)
      guard let session, let opened, opened.session == Base64URL.encode(session.token.hash),
        provider.clock().timeIntervalSince1970 - opened.asked < AuthorizeEndpoint.patience
      else { throw OAuthError(.invalidRequest, "This page has expired.") }
      try provider.pages.site.requireOwnPage(request, context)
      return try await signOut(session, to: opened.target, asked)
    }
    var hint: IDTokenHint?
    if let token = asked["id_token_hint"] {
      hint = try await provider.hint(token, context)
      guard hint != nil else {
        throw OAuthError(.invalidRequest, "The id_token_hint is not one of this server.")
      }
    }
    let target = try target(asked, hint: hint)
    // Another site's form brings no cookie, and must not clear one.
    guard let session else { return try answer(to: target, clearing: text != nil, asked) }
    if let hint {
      // A hint signs out nobody but its subject.
      guard let user = try await provider.store.user(session.account), hint.subject == user.id
      else {
        throw OAuthError(.invalidRequest, "The id_token_hint is for a person other than the one signed in.")
      }
      if hint.sessionID == OpenIDHash.sessionID(session.token.hash) {
        return try await signOut(session, to: target, asked)
      }
    }
    let ticket = Confirmation(
      session: Base64URL.encode(session.token.hash), asked: provider.clock().timeIntervalSince1970,
      target: target)
    return try provider.pages.confirmation(
      try provider.pages.visit(asked),
      ticket: try provider.tickets.seal(ticket, as: .consent, realm: context.realm),
      isRead: request.method == .get, sendingTo: target)
  }

  /// Where the browser goes afterwards: an address that is registered for the client, compared byte by byte, with `state`.
  private func target(_ asked: PersonRequest, hint: IDTokenHint?) throws(OAuthError) -> String? {
    guard let uri = asked["post_logout_redirect_uri"] else { return nil }
    let audience = hint?.audience.names.first
    guard let id = asked["client_id"] ?? audience, (audience ?? id) == id,
      let client = provider.file.clients.client(id, realm: asked.context.realm),
      client.postLogoutURIs.contains(where: { $0.utf8.elementsEqual(uri.utf8) })
    else {
      throw OAuthError(.invalidRequest, "The post_logout_redirect_uri is not registered for this client.")
    }
    let query = PercentEncoding.form([("state", asked["state"])])
    return query.isEmpty ? uri : uri + (uri.contains("?") ? "&" : "?") + query
  }

  private func signOut(
    _ session: AuthenticatedSession, to target: String?, _ asked: PersonRequest
  ) async throws -> Response {
    _ = try await provider.accounts.end(session.record, by: session.actor)
    return try answer(to: target, clearing: true, of: session.account, asked)
  }

  private func answer(
    to target: String?, clearing: Bool, of account: UniversalID? = nil, _ asked: PersonRequest
  ) throws -> Response {
    var response =
      try target.map { OpenIDProvider.redirect(to: $0) }
      ?? provider.pages.signedOut(try provider.pages.visit(asked))
    guard clearing else { return response }
    response.headers.append(
      contentsOf: provider.sessions.clearing(
        provider.services.persistentCookies, of: account, in: asked.request.headers[.cookie],
        for: asked.context.connection))
    return response
  }
}
