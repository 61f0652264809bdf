internal import BindingFormats
internal import HTTPTypes
internal import Hummingbird
internal import JourneyStore
internal import PageTemplates
internal import SecurityEvents

/// `/am/account/signout`: the button of all pages that ends the session.
struct SignOutPage: Endpoint {
  let pages: PageSite

  /// Ends what OpenID Connect clients were granted in the session.
  let endGrants: @Sendable (_ account: UniversalID, _ session: [UInt8]?) async throws -> Void

  var routes: [Route] {
    [
      pages.route(
        "/am/account/signout",
        // Somebody who comes by a link, or back, is asked for nothing and signed out of nothing.
        get: { $0.redirect(to: ["account", ""]) }, post: { try await end($1) })
    ]
  }

  private func end(_ page: PageContext) async throws -> Response {
    try await endGrants(page.account, page.session.token.hash)
    if try await pages.store.deleteSession(tokenHash: page.session.token.hash) {
      try await page.record(.sessionEnded)
    }
    var response = page.visit.signIn(realm: page.session.record.realm, back: ["account", ""])
    let attributes = pages.sessions.cookieAttributes(for: page.visit.context.connection)
    response.headers.append(
      HTTPField(name: .setCookie, value: attributes.clearing(pages.sessions.cookieName)))
    return response
  }
}
