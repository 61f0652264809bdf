internal import HTTPTypes
internal import Hummingbird
internal import Pages
internal import PageTemplates
internal import ServerHTTP
internal import WebAddresses

/// The pages of OpenID Connect, which use no scripts: the question for consent, the question whether to sign out, and the message why a
/// request cannot continue.
struct ConsentPages: Sendable {
  let site: PageSite
  let themes: PageThemes

  /// The keys of the texts that say what a client may do with a scope.
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
  ///   - ticket: the request, sealed for the session that reads the page, which the form sends back.
  ///   - again: the sealed request in the links that show the page in another language.
  ///   - target: the address that the answer to the form may redirect to.
  func question(
    _ visit: PageVisit, client: OpenIDClient, username: String, scopes: [String], ticket: String,
    again: String, sendingTo target: String
  ) throws -> Response {
    let texts = visit.texts
    let items = Self.items(scopes, texts)
    return try page(
      .consent, visit, title: texts["consent.title"], sendingTo: target,
      [
        "wants": .text(texts["consent.wants", ["client": client.name]]), "scopes": .list(items),
        "person": .text(texts["consent.person", ["name": username]]), "ticket": .text(ticket),
        // A client chooses its own name, but its redirect address is registered and compared byte by byte.
        "destination": .text(texts["consent.destination", ["address": Self.source(of: target)]]),
        "languages": languages(visit, of: again), "hasLanguages": true,
      ])
  }

  /// Asks whether to sign out.
  ///
  /// - Parameter target: the address that the answer to the form may redirect to; `nil` for a page of this server.
  func confirmation(_ visit: PageVisit, ticket: String, isRead: Bool, sendingTo target: String?) throws
    -> Response
  {
    try page(
      .consentSignOut, visit, title: visit.texts["consent.signOutTitle"], sendingTo: target,
      [
        // A link cannot repeat a request that came as a form.
        "ticket": .text(ticket), "hasLanguages": .flag(isRead),
      ])
  }

  func signedOut(_ visit: PageVisit) throws -> Response {
    try page(.consentMessage, visit, title: visit.texts["consent.signedOut"], [:])
  }

  /// Says why a request cannot continue. The fault is for the client's developers, in English like the protocol.
  func refusal(_ visit: PageVisit, _ error: OAuthError) throws -> Response {
    let texts = visit.texts
    return try page(
      .consentMessage, visit, title: texts["consent.refused"], status: .badRequest,
      ["message": .text(texts["consent.refusedText"]), "fault": .text(error.text)])
  }

  /// The address as a source of a content security policy: its origin, or its scheme if it is an app's.
  static func source(of address: String) -> String {
    WebOrigin(address: address)?.description ?? String(address.prefix { $0 != ":" }) + ":"
  }

  /// The links that show the page of a sealed request in another language.
  func languages(_ visit: PageVisit, of again: String) -> PageValue {
    visit.languages { visit.link(visit.path, [("interaction", again), ("lang", $0)], realm: visit.realm) }
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
      "formLink": .link(visit.link(visit.path, realm: visit.realm)), "languages": visit.languages,
    ]
    all.merge(fields) { _, own in own }
    var response = PageSite.answer(try site.templates.html(template, all, texts: visit.texts), status: status)
    // Browsers apply the form's policy to the redirect that answers it, too.
    response.headers[.contentSecurityPolicy] = PageHeaders.policy(
      formTargets: target.map { [Self.source(of: $0)] } ?? [])
    visit.settleCookies(of: &response)
    return response
  }
}
