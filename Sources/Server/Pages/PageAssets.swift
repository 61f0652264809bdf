internal import CEmbeddedFiles
internal import Hummingbird
internal import ServerHTTP

/// `/am/assets/`: styles and scripts of the pages.
struct PageAssets: Endpoint {
  static let files: [String: PageFile] = [
    "pages.css": .style(.pages_css),
    "activity.js": .script(.activity_js),
    "live.js": .script(.live_js),
    "plots.js": .script(.plots_js),
    "ledger-verify.js": .script(.ledger_verify_js),
    "pages.js": .script(.pages_js),
  ]

  var routes: [Route] { [Route(page: "/am/assets/:id", file)] }

  private func file(_ request: Request, in context: ResourceContext) throws -> Response {
    guard let file = Self.files[context.id] else { throw ErrorResponse.notFound("There is no such file.") }
    return file.answer(to: request, headers: PageHeaders.common)
  }
}
