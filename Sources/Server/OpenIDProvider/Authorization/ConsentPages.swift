internal import HTTPTypes
internal import Hummingbird
internal import Pages
internal import PageTemplates
internal import ServerHTTP
internal import WebAddresses

/// The pages of OpenID Connect: one asks whether a client may have what it asks for, one whether to sign out, and one says why a request
/// cannot go on. Without scripts.
struct ConsentPages: Sendable {
  let site: PageSite
  let themes: PageThemes

  /// What a client may do with a scope: keys of texts.
  private static let meanings: [String: String] = [
    "openid": "consent.scopeOpenid", "profile": "consent.scopeProfile", "email": "consent.scopeEmail",
    "address": "consent.scopeAddress", "phone": "consent.scopePhone",
    "offline_access": "consent.scopeOffline",
  ]

  func visit(_ request: Request, _ context: ResourceContext) throws -> PageVisit {
    try PageVisit(request, context, site: site)
  }

  func visit(_ asked: PersonRequest) throws -> PageVisit { try visit(asked.request, asked.context) }

  /// What a client may do with each scope.
  static func items(_ scopes: [String], _ texts: Texts) -> [PageValue] {
    scopes.map { scope in
      let text = meanings[scope].map { texts[$0] } ?? texts["consent.scopeOther", ["scope": scope]]
      return ["text": .text(text)]
    }
  }

  /// Asks for consent.
  ///
  /// - Parameters:
  ///   - ticket: what the form sends back: the request, sealed for the session that reads the page.
  ///   - again: the request by itself, sealed, by which the page is read once more in another language.
  ///   - target: where the answer to the form may lead.
  func question(
    _ visit: PageVisit, client: OpenIDClient, username: String, scopes: [String], ticket: String,
    again: String, sendingTo target: String
  ) throws -> Response {
    let texts = visit.texts
    let items = Self.items(scopes, texts)
    let languages = visit.languages { code in
      visit.link(visit.path, [("interaction", again), ("lang", code)], realm: visit.realm)
    }
    return try page(
      .consent, visit, title: texts["consent.title"], sendingTo: target,
      [
        "wants": .text(texts["consent.wants", ["client": client.name]]), "scopes": .list(items),
        "person": .text(texts["consent.person", ["name": username]]), "ticket": .text(ticket),
        // Clients choose their names; where the answer goes was registered, byte by byte.
        "destination": .text(texts["consent.destination", ["address": Self.source(of: target)]]),
        "formLink": .link(visit.link(visit.path, realm: visit.realm)), "languages": languages,
        "hasLanguages": true,
      ])
  }

  /// Asks whether to sign out.
  ///
  /// - Parameter target: where the answer to the form may lead; `nil` for a page of this server.
  func confirmation(_ visit: PageVisit, ticket: String, isRead: Bool, sendingTo target: String?) throws
    -> Response
  {
    try page(
      .consentSignOut, visit, title: visit.texts["consent.signOutTitle"], sendingTo: target,
      [
        "ticket": .text(ticket), "formLink": .link(visit.link(visit.path, realm: visit.realm)),
        // What came with a form cannot be asked again by a link.
        "languages": visit.languages, "hasLanguages": .flag(isRead),
      ])
  }

  func signedOut(_ visit: PageVisit) throws -> Response {
    try page(.consentMessage, visit, title: visit.texts["consent.signedOut"], [:])
  }

  /// Why a request cannot go on. The fault is for those who made the client, in English as in the protocol.
  func refusal(_ visit: PageVisit, _ error: OAuthError) throws -> Response {
    let texts = visit.texts
    return try page(
      .consentMessage, visit, title: texts["consent.refused"], status: .badRequest,
      ["message": .text(texts["consent.refusedText"]), "fault": .text(error.text)])
  }

  /// What a policy calls the address: its origin, or its scheme for an app's.
  static func source(of address: String) -> String {
    WebOrigin(address: address)?.description ?? String(address.prefix { $0 != ":" }) + ":"
  }

  func page(
    _ template: PageTemplate, _ visit: PageVisit, title: String, status: HTTPResponse.Status = .ok,
    sendingTo target: String? = nil, _ fields: [String: PageValue]
  ) throws -> Response {
    let theme = themes.theme(realm: visit.context.realm, journey: nil)
    func ofTheme(_ file: String) -> PageValue {
      .link(PageLink(root: visit.root, path: ["XUI", file], query: [("theme", theme?.id)]))
    }
    var all: [String: PageValue] = [
      "title": .text(title), "brand": .text(theme?.title ?? "Sealring"), "hasTheme": .flag(theme != nil),
      "themeLink": ofTheme("theme.css"), "hasLogo": .flag(theme?.logo != nil), "logoLink": ofTheme("logo"),
      "styleLink": .link(PageLink(root: visit.root, path: ["assets", "pages.css"])),
    ]
    all.merge(fields) { _, own in own }
    var response = PageSite.answer(try site.templates.html(template, all, texts: visit.texts), status: status)
    // Browsers hold the redirect that answers a form to the form's policy, too.
    response.headers[.contentSecurityPolicy] = PageHeaders.policy(
      formTargets: target.map { [Self.source(of: $0)] } ?? [])
    visit.settleCookies(of: &response)
    return response
  }
}
