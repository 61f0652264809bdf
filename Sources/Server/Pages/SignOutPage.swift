internal import Accounts
internal import BindingFormats
internal import HTTPTypes
internal import Hummingbird
internal import JourneyNodes
internal import JourneyStore
internal import PageTemplates
internal import ServerHTTP

/// `/am/account/signout`: the button of all pages that ends the session.
struct SignOutPage: Endpoint {
  let pages: PageSite

  let accounts: Accounts
  let persistentCookies: PersistentCookies

  var routes: [Route] {
    [
      pages.route(
        "/am/account/signout",
        // Somebody who comes by a link, or back, is asked for nothing and signed out of nothing.
        get: { $0.redirect(to: ["account", ""]) }, post: { try await end($1) })
    ]
  }

  private func end(_ page: PageContext) async throws -> Response {
    _ = try await accounts.end(page.session.record, by: page.session.actor)
    var response = page.visit.signIn(realm: page.session.record.realm, back: ["account", ""])
    let attributes = pages.sessions.cookieAttributes(for: page.visit.context.connection)
    response.headers.append(
      HTTPField(name: .setCookie, value: attributes.clearing(pages.sessions.cookieName)))
    response.headers.append(
      contentsOf: persistentCookies.clearing(in: page.visit.cookies, of: page.account, attributes))
    return response
  }
}
