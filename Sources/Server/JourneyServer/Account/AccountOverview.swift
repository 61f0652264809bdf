internal import Hummingbird
internal import JourneyStore
internal import PageTemplates

/// `/am/account/`: what there is to see and to do.
struct AccountOverview: Endpoint {
  let pages: PageSite

  var routes: [Route] { [pages.route("/am/account/", get: show)] }

  private func show(_ page: PageContext) async throws -> Response {
    let texts = page.texts
    return try page.page(
      .accountOverview, title: texts["account.title"], tabs: .account(.overview, texts),
      [
        "signedIn": page.time(page.session.record.authenticatedAt),
        "realmPath": .text(page.session.record.realm.realmPath),
      ])
  }
}
