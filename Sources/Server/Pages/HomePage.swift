internal import Hummingbird
internal import JourneyEngine
internal import JourneyFiles
internal import JourneyNodes
internal import NIOCore
internal import PageTemplates
internal import ProductVersion
internal import ServerHTTP

/// `/` and `/am`: a page for people who open the server's address in a browser.
///
/// A server that only this machine reaches shows the journeys that can be started, its version and the link to its administration. Others
/// tell strangers only where to sign in.
struct HomePage: Endpoint {
  private let pages: PageSite

  /// Whether only this machine reads the page.
  private let isLocal: Bool

  init(pages: PageSite, isLocal: Bool) { (self.pages, self.isLocal) = (pages, isLocal) }

  /// Journeys that can be started, by realm; empty on a server that others reach.
  private var journeys: [(realm: String, names: [String])] {
    guard isLocal else { return [] }
    let now = pages.realms.snapshot
    return now.names.map { ($0, now.catalog.summaries(realm: $0).filter(\.canStart).map(\.name)) }
  }

  var routes: [Route] { ["/", "/am"].map { Route(page: $0, page) } }

  private func page(_ request: Request, in context: ResourceContext) throws -> Response {
    let (texts, _) = PageVisit.language(request, try QueryParameters(request.uri.query), pages.catalog)
    let root = PageLink.Root(
      ofPage: request.uri.path, below: pages.sessions.baseAddress.basePath.text)
    let realms = journeys.filter { !$0.names.isEmpty }.map { realm, names -> PageValue in
      let journeys = names.map { name -> PageValue in
        let query = [("realm", realm.realmPath), ("service", name)]
        return [
          "name": .text(name), "journeyLink": .link(PageLink(root: root, path: ["XUI", ""], query: query)),
        ]
      }
      return ["heading": .text(texts["home.realm", ["realm": realm]]), "journeys": .list(journeys)]
    }
    let realm = [("realm", pages.realms.snapshot.forPeople?.realmPath)]
    let html = try pages.templates.html(
      .home,
      [
        "title": .text(texts["home.signIn"]), "brand": "Sealring",
        "version": .optional(isLocal ? texts["home.version", ["version": ProductVersion.text]] : nil),
        "administrationLink": isLocal ? .link(PageLink(root: root, path: ["admin", ""])) : .none,
        "signInLink": .link(PageLink(root: root, path: ["XUI", ""], query: realm)),
        "accountLink": .link(PageLink(root: root, path: ["account", ""], query: realm)),
        "styleLink": .link(PageLink(root: root, path: ["assets", "pages.css"])), "realms": .list(realms),
      ], texts: texts)
    return PageSite.answer(html)
  }
}
