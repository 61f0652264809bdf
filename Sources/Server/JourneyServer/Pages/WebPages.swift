internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// `/am/XUI/`: the page on which people run journeys in a browser. Its files are in the program.
///
/// The page asks nobody else for anything and runs no script but its own: scripts that callbacks carry are read, not executed.
enum WebPages {
  private struct File {
    let type: String
    let bytes: [UInt8]
  }

  private static let files: [String: File] = [
    "": File(type: "text/html;charset=UTF-8", bytes: PackageResources.index_html),
    "index.html": File(type: "text/html;charset=UTF-8", bytes: PackageResources.index_html),
    "sealring.css": File(type: "text/css;charset=UTF-8", bytes: PackageResources.sealring_css),
    "sealring.js": File(type: "text/javascript;charset=UTF-8", bytes: PackageResources.sealring_js),
  ]

  /// - Parameter name: the file; empty for the page.
  static func respond(to request: Request, name: String) throws(ErrorResponse) -> Response {
    guard request.method == .get || request.method == .head else {
      throw ErrorResponse.methodNotAllowed([.get])
    }
    guard let file = files[name] else { throw ErrorResponse.notFound("There is no such page.") }
    // Its files are named relative to the folder.
    if name.isEmpty, !request.uri.path.hasSuffix("/") {
      let query = request.uri.query.map { "?\($0)" } ?? ""
      return Response(status: .found, headers: [.location: "\(request.uri.path)/\(query)"])
    }
    var headers = commonHeaders
    headers[.contentType] = file.type
    let body = request.method == .head ? ByteBuffer() : ByteBuffer(bytes: file.bytes)
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
  }

  private static let commonHeaders: HTTPFields = {
    var headers = HTTPFields()
    headers[.cacheControl] = "no-cache"
    headers[.xContentTypeOptions] = "nosniff"
    headers[.contentSecurityPolicy] =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
      + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    for (name, value) in [
      "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY",
      "Cross-Origin-Opener-Policy": "same-origin",
    ] {
      if let name = HTTPField.Name(name) { headers[name] = value }
    }
    return headers
  }()
}
