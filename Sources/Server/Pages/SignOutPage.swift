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
        // A visit by a link or the back button signs nobody out.
        get: { $0.redirect(to: ["account", ""]) }, post: { try await end($1) })
    ]
  }

  private func end(_ page: PageContext) async throws -> Response {
    _ = try await accounts.end(page.session.record, by: page.session.actor)
    var response = page.visit.signIn(realm: page.session.record.realm, back: ["account", ""])
    response.headers.append(
      contentsOf: pages.sessions.clearing(
        persistentCookies, of: page.account, in: page.visit.cookies, for: page.visit.context.connection))
    return response
  }
}
