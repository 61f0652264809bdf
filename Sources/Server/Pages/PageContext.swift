internal import BindingFormats
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import JourneyStore
internal import Logging
internal import PageTemplates
internal import SecurityEvents
internal import ServerHTTP
internal import StrictJSON

/// A request for a page by somebody who is signed in.
package struct PageContext: Sendable {
  let visit: PageVisit
  let session: AuthenticatedSession

  var site: PageSite { visit.site }
  var texts: Texts { visit.texts }
  var query: QueryParameters { visit.query }
  var logger: Logger { visit.context.logger }

  /// Who is signed in.
  var account: UniversalID { session.account }

  /// The id of ``account``, which no other account ever gets.
  var accountID: String { session.record.accountID ?? "" }

  /// The realm that the page is about: the one that the query names, else the session's own. An administrator of the root realm sees
  /// others, too.
  var realm: String { visit.realm ?? session.record.realm }

  /// A variable segment of the path, decoded; empty when the route has none of that name.
  func parameter(_ name: String) -> String { visit.context.parameters[name] ?? "" }

  var now: Date { site.sessions.clock() }

  // MARK: Addresses

  /// A link to a page of this server, in the realm of this page.
  func link(_ path: [String], _ query: [(String, String?)] = []) -> PageLink {
    visit.link(path, query, realm: realm)
  }

  /// Redirects after a form, with a notice of what was done.
  ///
  /// - Parameters:
  ///   - path: below `/am/`; this page when `nil`.
  ///   - notice: a text's key.
  func redirect(to path: [String]? = nil, _ query: [(String, String?)] = [], notice: String? = nil)
    -> Response
  {
    var response = PageVisit.redirect(to: link(path ?? visit.path, query))
    if let notice {
      let attributes = site.sessions.cookieAttributes(for: visit.context.connection)
      response.add(cookie: attributes.setting(PageVisit.noticeCookie, to: notice, lifetime: 60))
    }
    return response
  }

  // MARK: Forms

  /// What a form on this page carries in its hidden field `token`.
  var formToken: PageValue {
    .text(FormToken(session: session.token, randomBytes: site.sessions.randomBytes).text)
  }

  /// Whether the form is sent for the first time. Needed where sending it twice would do something twice.
  func isFirst(_ form: PageForm) async throws -> Bool {
    try await site.store.consume(form.token.onceKey, until: session.record.expiresAt)
  }

  /// Redirects after a form that was sent twice and has done its work the first time.
  func redirectAsDone(to path: [String]? = nil) -> Response { redirect(to: path, notice: "layout.done") }

  // MARK: The answer

  /// Renders the page.
  ///
  /// - Parameters:
  ///   - problem: what is wrong with the form that was sent.
  ///   - fields: the template's own.
  func page(
    _ template: PageTemplate, title: String, tabs: PageTabs, status: HTTPResponse.Status = .ok,
    problem: String? = nil, _ fields: [String: PageValue]
  ) throws -> Response {
    let root = visit.root
    var all: [String: PageValue] = [
      "title": .text(title), "person": .text(account.username),
      "realmName": .optional(realm == "root" ? nil : realm), "token": formToken,
      "signOutLink": .link(link(["account", "signout"])),
      "styleLink": .link(PageLink(root: root, path: ["assets", "pages.css"])),
      "scriptLink": .link(PageLink(root: root, path: ["assets", "pages.js"])),
      "navigationName": .text(tabs.name),
      "tabs": .list(
        tabs.items.map { item in
          ["text": .text(item.text), "tabLink": .link(link(item.path)), "isCurrent": .flag(item.isCurrent)]
        }),
      "notice": notice, "problem": .optional(problem), "languages": visit.languages,
    ]
    all.merge(fields) { _, own in own }
    return PageSite.answer(try site.templates.html(template, all, texts: texts), status: status)
  }

  /// The notice of the previous page; `none` when this server has no such text.
  private var notice: PageValue {
    guard let key = visit.notice, texts[key] != key else { return .none }
    return .text(texts[key])
  }

  /// A moment, for templates: `{{#time}}<time datetime="{{iso}}">{{text}}</time>{{/time}}`. Scripts put it into the reader's own time.
  func time(_ date: Date?) -> PageValue {
    guard let date else { return .none }
    return ["iso": .text(date.formatted(.iso8601)), "text": .text(texts.time(date))]
  }
}

/// The navigation of a part of the server.
struct PageTabs: Sendable {
  struct Item: Sendable {
    let text: String

    /// Below `/am/`.
    let path: [String]
    var isCurrent = false
  }

  /// The navigation's name for people who do not see it.
  let name: String
  let items: [Item]
}
