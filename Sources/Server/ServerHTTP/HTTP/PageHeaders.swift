package import HTTPTypes
package import Hummingbird

/// The headers of pages, which let browsers run and load only this server's files and show pages in no frame.
package enum PageHeaders {
  /// - Parameter formTargets: other origins to which the answer to a form may lead. Browsers apply the policy to redirects, too.
  package static func policy(formTargets: [String] = []) -> String {
    let targets = (["'self'"] + formTargets).joined(separator: " ")
    return
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
      + "base-uri 'none'; form-action \(targets); frame-ancestors 'none'; "
      // Even a faulty script makes no markup and no scripts out of texts.
      + "require-trusted-types-for 'script'; trusted-types 'none'"
  }

  /// The headers of all pages and their files. Browsers keep no page, so that going back after a sign-out shows nothing.
  package static let common: HTTPFields = {
    var headers: HTTPFields = [
      .cacheControl: "no-store", .xContentTypeOptions: "nosniff", .contentSecurityPolicy: policy(),
    ]
    for (name, value) in [
      "X-Frame-Options": "DENY", "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Resource-Policy": "same-origin",
      // Not `no-referrer`: browsers would then send `Origin: null` with forms.
      "Referrer-Policy": "same-origin",
      "Permissions-Policy":
        "camera=(), microphone=(), geolocation=(), usb=(), serial=(), payment=(), display-capture=(), "
        + "publickey-credentials-get=(self), publickey-credentials-create=(self)",
    ] { headers[name] = value }
    return headers
  }()
}

extension Response {
  /// A page, or what a page loads.
  package static func file(
    _ type: String, _ bytes: [UInt8], headers common: HTTPFields = PageHeaders.common,
    status: HTTPResponse.Status = .ok
  ) -> Response {
    var headers = common
    headers[.contentType] = type
    return Response(status: status, headers: headers, body: ResponseBody(bytes: bytes))
  }

  /// A file that browsers keep under a name instead of showing it.
  package static func download(_ name: String, _ type: String, _ bytes: [UInt8]) -> Response {
    var answer = file(type, bytes)
    answer.headers[.contentDisposition] = "attachment; filename=\"\(name)\""
    return answer
  }
}
