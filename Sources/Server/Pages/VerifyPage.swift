internal import Crypto
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import PageTemplates
internal import ServerHTTP

/// `/am/verify`: checks a proof or an export in the browser, for people who have no account here.
///
/// The page asks the server for nothing after it is loaded. With `save=true` it is one file, which needs no server at all: its policy lets it
/// run its own script and load nothing.
struct VerifyPage: Endpoint {
  let pages: PageSite

  var routes: [Route] { [Route(page: "/am/verify", page)] }

  /// The fields of the template that is shared with the administration.
  static func fields(_ visit: PageVisit) -> [String: PageValue] {
    [
      "moduleLink": .link(module(visit)),
      // The numbers are filled in by the script.
      "rightPattern": .text(visit.texts["verify.right"]),
      "amountPattern": .text(visit.texts["signatures.amountTo"]),
    ]
  }

  private static func module(_ visit: PageVisit) -> PageLink {
    PageLink(root: visit.root, path: ["assets", "ledger-verify.js"])
  }

  private func page(_ request: Request, in context: ResourceContext) throws -> Response {
    let visit = try PageVisit(request, context, site: pages)
    let isFile = visit.query["save"] == "true"
    let style = PageLink(root: visit.root, path: ["assets", "pages.css"])
    let shown: [String: PageValue] = [
      "title": .text(visit.texts["verify.title"]), "brand": "Sealring", "styleLink": .link(style),
      "languages": visit.languages, "hasLanguages": .flag(!isFile),
      "saveLink": isFile
        ? .none
        : .link(visit.link(visit.path, [("save", "true"), ("lang", visit.texts.language)], realm: nil)),
    ]
    let html = try pages.templates.html(
      .verify, shown.merging(Self.fields(visit)) { own, _ in own }, texts: visit.texts)
    var response =
      isFile ? try Self.file(html, style: style, module: Self.module(visit)) : PageSite.answer(html)
    visit.settleCookies(of: &response)
    return response
  }

  /// The page with style and script inside.
  private static func file(_ html: String, style: PageLink, module: PageLink) throws -> Response {
    guard let css = PageAssets.files["pages.css"], let script = PageAssets.files["ledger-verify.js"] else {
      throw ErrorResponse.notFound("There is no such file.")
    }
    let policy =
      "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; "
      + "style-src '\(hash(css))'; script-src '\(hash(script))'"
    let alone =
      html
      .replacing(
        #"<link rel="stylesheet" href="\#(style.text)">"#,
        with: """
          <meta http-equiv="Content-Security-Policy" content="\(policy)">
            <style>\(String(decoding: css.bytes, as: UTF8.self))</style>
          """
      )
      .replacing(
        #"<script src="\#(module.text)" type="module"></script>"#,
        with: "<script type=\"module\">\(String(decoding: script.bytes, as: UTF8.self))</script>")
    return .download("verify.html", "text/html;charset=UTF-8", Array(alone.utf8))
  }

  /// The expression by which a policy allows inline content (Content Security Policy Level 3 §2.3.1).
  private static func hash(_ file: PageFile) -> String {
    "sha256-\(Data(SHA256.hash(data: file.bytes)).base64EncodedString())"
  }
}
