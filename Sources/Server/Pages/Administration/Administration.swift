internal import BindingFormats
internal import Foundation
internal import Hummingbird
internal import JourneyFiles
internal import JourneyNodes
internal import JourneyStore
internal import Operations
internal import PageTemplates
internal import ServerHTTP
internal import StrictJSON

/// What all pages below `/am/admin/` share: who may open them, and their navigation.
///
/// A page shows one realm. Administrators of the root realm choose any by `?realm=`; those of other realms see their own.
package struct Administration: Sendable {
  let pages: PageSite
  let activity: ActivityRecorder

  var store: StoredActivity { activity.activity }

  /// A page for administrators of its realm, or with `isOfRoot` for those of the root realm only.
  func route(
    _ path: String, isOfRoot: Bool = false, bodyLimit: any KeyPath<ServerLimits, Int> & Sendable = \.body,
    get: @escaping PageSite.Get, post: PageSite.Post? = nil
  ) -> Route {
    let read: PageSite.Get = { page in
      try await require(page, isOfRoot: isOfRoot)
      return try await get(page)
    }
    let change = post.map { post -> PageSite.Post in
      { form, page in
        try await require(page, isOfRoot: isOfRoot)
        return try await post(form, page)
      }
    }
    return pages.route(path, bodyLimit: bodyLimit, signIn: Self.signIn, get: read, post: change)
  }

  /// Asks in which realm to sign in, because a bookmark does not say it: administrators of all realms are accounts of the root realm,
  /// others of the realm itself.
  private static func signIn(_ visit: PageVisit) throws -> Response {
    guard let realm = visit.realm, realm != "root" else { return visit.signIn(realm: "root") }
    let texts = visit.texts
    let html = try visit.site.templates.html(
      .adminDoor,
      [
        "title": .text(texts["admin.door", ["realm": realm]]), "brand": "Sealring",
        "realmLabel": .text(texts["admin.doorOfRealm", ["realm": realm]]),
        "rootLink": .link(visit.signInLink(realm: "root")), "realmLink": .link(visit.signInLink()),
        "styleLink": .link(PageLink(root: visit.root, path: ["assets", "pages.css"])),
      ], texts: texts)
    return PageSite.answer(html)
  }

  /// A route that a page's script polls, for administrators of its realm.
  func watch(_ path: String, get: @escaping PageSite.Get) -> Route {
    pages.watch(path) { page in
      try await require(page, isOfRoot: false)
      return try await get(page)
    }
  }

  /// - Throws: 403 for others, and for a session that has proven less than its account can.
  private func require(_ page: PageContext, isOfRoot: Bool) async throws {
    try await pages.sessions.require(.administrate, page.session, of: isOfRoot ? "root" : page.realm)
  }

  /// The message to show with the page's form in place of an error page.
  func problem(_ error: any Error) throws -> String {
    let answer = ErrorResponse(mapping: error)
    // An error that needs a stronger sign-in redirects to it, and a server error has its own page.
    guard answer.status.kind != .serverError, answer.detail?["journey"] == nil else { throw error }
    return answer.message
  }
}

extension PageTabs {
  /// The raw value is the last part of the address.
  enum Administration: String {
    case overview = "", users, signIns = "signins", journeys, ledger, devices, server

    var path: [String] { ["admin", rawValue] }
  }

  static func administration(_ current: Administration, _ texts: Texts) -> PageTabs {
    let names: KeyValuePairs<Administration, String> = [
      .overview: "admin.overview", .users: "admin.users", .signIns: "admin.signIns",
      .journeys: "admin.journeys", .ledger: "admin.ledger", .devices: "admin.devices",
      .server: "admin.server",
    ]
    return PageTabs(
      name: texts["admin.title"],
      items: names.map { Item(text: texts[$1], path: $0.path, isCurrent: $0 == current) })
  }
}

extension PageContext {
  /// A page of the administration, with the realms to choose from.
  func administration(
    _ template: PageTemplate, _ tab: PageTabs.Administration, title: String, problem: String? = nil,
    _ fields: [String: PageValue]
  ) throws -> Response {
    var all = fields
    let names = session.record.realm == "root" ? site.realms.names : [realm]
    let tabPath = tab.path
    all["realms"] =
      names.count < 2
      ? PageValue.none
      : PageValue.list(
        names.prefix(100).map { name in
          [
            "name": .text(name), "isCurrent": .flag(name == realm),
            // The realm is always named, because the default is the session's own.
            "realmLink": .link(PageLink(root: visit.root, path: tabPath, query: [("realm", name.realmPath)])),
          ]
        })
    all["hasRealms"] = .flag(names.count > 1)
    return try page(
      template, title: title, tabs: .administration(tab, texts), problem: problem, all)
  }
}
