internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import QRCodes
internal import StrictJSON

/// `/am/XUI/`: the page on which people run journeys in a browser. Its files are in the program.
///
/// The page loads nothing from elsewhere and runs no script but its own: scripts in callbacks are read, not executed.
struct WebPages: Endpoint {
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

  var routes: [Route] {
    [
      Route("/am/XUI/qr", [.post: drawing], events: nil, admission: .address),
      Route(page: "/am/XUI", file), Route(page: "/am/XUI/:id", file),
    ]
  }

  private func file(_ request: Request, in context: ResourceContext) throws -> Response {
    let name = context.id
    guard let file = Self.files[name] else { throw ErrorResponse.notFound("There is no such page.") }
    // Its files are named relative to the folder.
    if name.isEmpty, !request.uri.path.hasSuffix("/") {
      let query = request.uri.query.map { "?\($0)" } ?? ""
      return Response(status: .found, headers: [.location: "\(request.uri.path)/\(query)"])
    }
    return Self.answer(ByteBuffer(bytes: file.bytes), file.type, to: request)
  }

  /// A page, or its head when the request asks for that.
  static func answer(_ body: ByteBuffer, _ type: String, to request: Request) -> Response {
    var headers = commonHeaders
    headers[.contentType] = type
    let body = request.method == .head ? ByteBuffer() : body
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
  }

  /// Longest address that is drawn, in bytes; QR codes hold 2,953 at most (ISO/IEC 18004).
  private static let longestAddress = 2953

  /// `POST /am/XUI/qr` with `{"uri": …}`: an enrolment address as an SVG picture. It is a secret, so it comes in the body and
  /// is not stored.
  private func drawing(_ request: Request, in context: ResourceContext) async throws -> Response {
    let body = try JSONValue(parsing: try await RequestBodyReader.bytes(of: request))
    guard let uri = body["uri"]?.stringValue, uri.utf8.count <= Self.longestAddress,
      ["pushauth://", "mfauth://", "otpauth://"].contains(where: uri.hasPrefix)
    else {
      throw ErrorResponse.badRequest(
        "The member uri must be an enrolment address of at most \(Self.longestAddress) bytes.")
    }
    let code: QRCode
    // Screens do not get damaged, so the fewest squares are the easiest to read.
    do { code = try QRCode(uri, errorCorrection: .low) } catch {
      throw ErrorResponse.badRequest("The address does not fit a QR code.")
    }
    var answer = Self.answer(ByteBuffer(string: code.svg()), "image/svg+xml", to: request)
    answer.headers[.cacheControl] = "no-store"
    return answer
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
