internal import Hummingbird
internal import NIOCore

/// `/am/assets/`: styles and scripts of the pages. They are in the program.
struct PageAssets: Endpoint {
  private struct File {
    let type: String
    let bytes: [UInt8]
  }

  private static let files: [String: File] = [
    "pages.css": File(type: "text/css;charset=UTF-8", bytes: PackageResources.pages_css),
    "activity.js": File(type: "text/javascript;charset=UTF-8", bytes: PackageResources.activity_js),
    "ledger-verify.js": File(
      type: "text/javascript;charset=UTF-8", bytes: PackageResources.ledger_verify_js),
    "pages.js": File(type: "text/javascript;charset=UTF-8", bytes: PackageResources.pages_js),
  ]

  var routes: [Route] { [Route(page: "/am/assets/:id", file)] }

  private func file(_ request: Request, in context: ResourceContext) throws -> Response {
    guard let file = Self.files[context.id] else { throw ErrorResponse.notFound("There is no such file.") }
    var headers = PageHeaders.common
    headers[.contentType] = file.type
    headers[.cacheControl] = "no-cache"
    let body = request.method == .head ? ByteBuffer() : ByteBuffer(bytes: file.bytes)
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
  }
}
