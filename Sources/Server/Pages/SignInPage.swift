internal import CEmbeddedFiles
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import JourneyStore
internal import NIOCore
internal import PageTemplates
internal import ServerHTTP
internal import StrictJSON

/// `/am/XUI/`: the page on which people run journeys in a browser. Its files are in the program.
///
/// The page loads nothing from elsewhere and runs no script but its own: scripts in callbacks are read, not executed.
struct SignInPage: Endpoint {
  let site: PageSite
  let themes: PageThemes

  var routes: [Route] { [Route(page: "/am/XUI", file), Route(page: "/am/XUI/:id", file)] }

  private func file(_ request: Request, in context: ResourceContext) async throws -> Response {
    switch context.id {
    case "", "index.html": return try await page(request, in: context)
    case "texts": return try texts(request, in: context)
    case "theme.css":
      return .file("text/css;charset=UTF-8", Array(try theme(request).styleSheet.utf8), headers: Self.headers)
    case "logo":
      guard let logo = try theme(request).logo else { throw Self.noSuchPage }
      var answer = Response.file(logo.type, logo.bytes, headers: Self.headers)
      // A drawing that is opened by itself must not act as a page of this server.
      answer.headers[.contentSecurityPolicy] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
      return answer
    default:
      guard let file = Self.files[context.id] else { throw Self.noSuchPage }
      return file.answer(to: request, headers: Self.headers)
    }
  }

  private static let noSuchPage = ErrorResponse.notFound("There is no such page.")

  // MARK: The page

  private func page(_ request: Request, in context: ResourceContext) async throws -> Response {
    // Its files are named relative to the folder.
    if context.id.isEmpty, !request.uri.path.hasSuffix("/") {
      return PageSite.withSlash(request)
    }
    let visit = try PageVisit(request, context, site: site)
    let journey = visit.query["authIndexValue"] ?? visit.query["service"]
    let theme = themes.theme(realm: visit.realm ?? "root", journey: journey)
    func ofTheme(_ file: String) -> PageValue {
      .link(PageLink(root: visit.root, path: ["XUI", file], query: [("theme", theme?.id)]))
    }
    // The page is shown without a session, too.
    let session = try? await site.session(request, of: visit.realm)
    if let session { try site.sessions.charge(session) }
    let html = try site.templates.html(
      .signIn,
      [
        "user": .text(session?.record.username ?? ""),
        "name": .text(theme?.title ?? "Sealring"), "theme": .text(theme?.id ?? ""),
        "hasTheme": .flag(theme != nil), "themeLink": ofTheme("theme.css"),
        "hasLogo": .flag(theme?.logo != nil),
        "logoLink": ofTheme("logo"), "languages": visit.languages,
        "accountLink": .link(visit.link(["account", ""], realm: visit.realm)),
      ], texts: visit.texts)
    return Self.answer("text/html;charset=UTF-8", Array(html.utf8), visit)
  }

  /// `GET …/texts?lang=…&theme=…`: what the page says. A language that is named is remembered.
  private func texts(_ request: Request, in context: ResourceContext) throws -> Response {
    let visit = try PageVisit(request, context, site: site)
    var section = visit.texts.section("signIn")
    if visit.query["theme"] != nil {
      for (name, text) in try theme(request).texts[visit.texts.language] ?? [:] {
        section[name] = .string(text)
      }
    }
    // By these messages the page recognises failures for which it or the theme has its own words.
    var failures = JSONObject()
    for (message, text) in [("messages.loginFailure", "refused"), ("messages.timedOut", "expiredText")] {
      failures[visit.texts[message]] = .string(text)
    }
    let body: JSONObject = [
      "language": .string(visit.texts.language), "texts": .object(section), "failures": .object(failures),
    ]
    return Self.answer("application/json;charset=UTF-8", body.serialized, visit)
  }

  /// A response for this browser only, which must not be stored.
  private static func answer(_ type: String, _ bytes: [UInt8], _ visit: PageVisit) -> Response {
    var answer = Response.file(type, bytes, headers: headers)
    answer.headers[.cacheControl] = "no-store"
    visit.settleCookies(of: &answer)
    return answer
  }

  private func theme(_ request: Request) throws -> PageTheme {
    guard let name = try QueryParameters(request.uri.query)["theme"], let theme = themes.themes[name] else {
      throw Self.noSuchPage
    }
    return theme
  }

  // MARK: Answers

  /// The headers of the other pages, with two differences: the browser's own parser may read what journeys say, into a document that runs
  /// nothing (`signin-markup.js`), under the Trusted Types policy `sealring`; and no form can be sent.
  private static let headers: HTTPFields = {
    var headers = PageHeaders.common
    headers[.cacheControl] = "no-cache"
    headers[.contentSecurityPolicy] =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
      + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
      + "require-trusted-types-for 'script'; trusted-types sealring"
    headers["Referrer-Policy"] = "no-referrer"
    return headers
  }()
}

extension SignInPage {
  /// The page's styles and scripts, by their names in its folder.
  static let files: [String: PageFile] = [
    "sealring.css": .style(.sealring_css),
    "signin-callbacks.js": .script(.signin_callbacks_js),
    "signin-codes.js": .script(.signin_codes_js),
    "signin-desktop.js": .script(.signin_desktop_js),
    "signin-journey.js": .script(.signin_journey_js),
    "signin-main.js": .script(.signin_main_js),
    "signin-markup.js": .script(.signin_markup_js),
    "signin-passkeys.js": .script(.signin_passkeys_js),
    "signin-providers.js": .script(.signin_providers_js),
    "signin-server.js": .script(.signin_server_js),
    "signin-texts.js": .script(.signin_texts_js),
    "signin-view.js": .script(.signin_view_js),
    "signin-waiting.js": .script(.signin_waiting_js),
    "signin-words.js": .script(.signin_words_js),
  ]
}
