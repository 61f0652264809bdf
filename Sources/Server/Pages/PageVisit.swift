internal import Foundation
internal import HTTPTypes
package import Hummingbird
internal import JourneyFiles
internal import Logging
package import PageTemplates
package import ServerHTTP

/// A request for a page, with or without a session: its path, its realm and its language.
package struct PageVisit: Sendable {
  package let site: PageSite

  /// The realm that the query names; `nil` when it names none.
  package let realm: String?
  package let texts: Texts
  package let root: PageLink.Root
  package let query: QueryParameters
  package let context: ResourceContext

  /// The request's header `Cookie`, by which known devices are recognised.
  package let cookies: String?

  /// The page's path below `/am/`, as segments; a last empty one for a folder.
  package let path: [String]

  /// The text key of the previous page's notice.
  package let notice: String?

  /// Whether the query chooses the language, which is then remembered.
  private let choosesLanguage: Bool

  static let languageCookie = "sealring-language"
  static let noticeCookie = "sealring-notice"

  /// - Throws: 404 when the query names an unknown realm.
  package init(_ request: Request, _ context: ResourceContext, site: PageSite) throws(ErrorResponse) {
    let query = try QueryParameters(request.uri.query)
    if let name = query["realm"], !name.isEmpty {
      guard let found = site.realms.realm(name) else { throw .noSuchRealm }
      realm = found
    } else {
      realm = nil
    }
    let full = request.uri.path
    let segments = full.split(separator: "/").compactMap { String($0).removingPercentEncoding }
    path = Array(segments.dropFirst()) + (full.hasSuffix("/") ? [""] : [])
    root = PageLink.Root(ofPage: full)
    (texts, choosesLanguage) = Self.language(request, query, site.catalog)
    // Only texts of this server are shown, whoever has set the cookie.
    notice = request.cookies[Self.noticeCookie].map(\.value).flatMap { $0.utf8.count <= 60 ? $0 : nil }
    cookies = request.headers[.cookie]
    self.query = query
    self.context = context
    self.site = site
  }

  /// The language that the query names, else the remembered one, else what the browser prefers.
  static func language(
    _ request: Request, _ query: QueryParameters?, _ catalog: TextCatalog
  ) -> (texts: Texts, isChosen: Bool) {
    let chosen = query?["lang"].flatMap { $0.utf8.count <= 35 ? $0 : nil }
    let remembered = request.cookies[languageCookie].map(\.value)
    let wanted =
      [chosen, remembered].compactMap(\.self) + AcceptedLanguages.parse(request.headers[.acceptLanguage])
    let texts = catalog.choose(wanted)
    return (texts, chosen?.lowercased() == texts.language)
  }

  package func link(_ path: [String], _ query: [(String, String?)] = [], realm: String?) -> PageLink {
    PageLink(root: root, path: path, query: query + [("realm", parameter(realm))])
  }

  /// The root realm is named if the visit named a realm, because a page without a name may choose another.
  private func parameter(_ realm: String?) -> String? {
    realm.flatMap { $0 == "root" && self.realm == nil ? nil : $0.realmPath }
  }

  /// This page's address with other parameters in place of those of the same names.
  package func link(to realm: String?, with parameters: [(String, String?)]) -> PageLink {
    let kept = query.all.sorted { $0.key < $1.key }.filter { entry in
      entry.key != "realm" && !parameters.contains { $0.0 == entry.key }
    }
    return link(path, kept.map { ($0.key, $0.value.first) } + parameters, realm: realm)
  }

  /// The languages that there are, for the page's list.
  package var languages: PageValue { languages { link(to: realm, with: [("lang", $0)]) } }

  /// - Parameter address: the page in the language of that code.
  package func languages(_ address: (_ code: String) -> PageLink) -> PageValue {
    .list(
      site.catalog.languages.map { language in
        [
          "code": .text(language.language), "name": .text(language.name),
          "isCurrent": .flag(language.language == texts.language),
          "languageLink": .link(address(language.language)),
        ]
      })
  }

  /// The link to the sign-in page, which comes back here. The way back is made of this server's own path, so it leads nowhere else.
  ///
  /// - Parameters:
  ///   - journey: which to run; `nil` for the realm's own.
  ///   - isAgain: whether the same person has to sign in once more.
  ///   - back: where to go after it; this page when `nil`.
  func signInLink(
    journey: String? = nil, isAgain: Bool = false, realm given: String? = nil, back: [String]? = nil
  ) -> PageLink {
    let realm = given ?? self.realm
    var kept: [(String, String?)] = []
    if back == nil {
      let given = query.all
      let names = given.keys.filter { $0 != "realm" && $0 != "lang" }
      kept = names.sorted().map { ($0, given[$0]?.first) }
    }
    kept.append(("realm", parameter(self.realm ?? realm)))
    let back = PageLink(root: PageLink.Root(ofPage: "/am/XUI/"), path: back ?? path, query: kept)
    return PageLink(
      root: root, path: ["XUI", ""],
      query: [
        ("realm", realm.map(\.realmPath)), ("service", journey), ("ForceAuth", isAgain ? "true" : nil),
        ("sessionUser", isAgain ? "true" : nil), ("goto", back.text),
      ])
  }

  /// Redirects to ``signInLink(journey:isAgain:realm:back:)``.
  package func signIn(
    journey: String? = nil, isAgain: Bool = false, realm: String? = nil, back: [String]? = nil
  ) -> Response {
    var response = Self.redirect(to: signInLink(journey: journey, isAgain: isAgain, realm: realm, back: back))
    settleCookies(of: &response)
    return response
  }

  /// Redirects with GET, so that loading the next page again sends no form.
  package static func redirect(to link: PageLink) -> Response {
    var headers = PageHeaders.common
    headers[.location] = link.text
    return Response(status: .seeOther, headers: headers)
  }

  /// Remembers the chosen language, and forgets the notice once it is shown.
  package func settleCookies(of response: inout Response) {
    let attributes = site.sessions.cookieAttributes(for: context.connection)
    if choosesLanguage {
      response.add(
        cookie: attributes.setting(Self.languageCookie, to: texts.language, lifetime: 365 * 24 * 3600))
    }
    if notice != nil, response.status.kind == .successful {
      response.add(cookie: attributes.clearing(Self.noticeCookie))
    }
  }
}
