internal import HTTPTypes
internal import Hummingbird

/// Refuses requests that another site may have had a browser send (cross-site request forgery).
///
/// Browsers add the session cookie to whatever request a page on a sibling host makes them send: `SameSite` looks at the
/// registrable domain only. Such a page can send forms, and requests without headers of its own. So whatever changes something is
/// JSON, which no form is; and a token that came by cookie counts only with a header that other sites cannot set without asking
/// this server (Fetch §3.2.2), or with this server's own `Origin`.
struct RequestForgeryGuard: Sendable {
  let sessions: SessionAuthority
  let baseAddress: BaseAddress

  private static let proofs = ["X-Requested-With", "Accept-API-Version"].compactMap { HTTPField.Name($0) }

  /// - Throws: 415 for content that is not JSON, and for none with a cookie; 403 for a cookie without proof.
  func check(_ request: Request, _ connection: ClientConnection) throws(ErrorResponse) {
    guard ![.get, .head, .options].contains(request.method) else { return }
    let type = request.headers[.contentType]
    if type != nil, !RequestBodyReader.isJSON(type) { throw Self.notJSON }
    guard sessions.presented(in: request)?.source == .cookie else { return }
    // Forms send POST only, and what has no body needs no type elsewhere.
    if request.method == .post, type == nil { throw Self.notJSON }
    guard Self.proofs.contains(where: { request.headers[$0]?.isEmpty == false }) || isOwn(request, connection)
    else {
      throw ErrorResponse(
        .forbidden, "With the session cookie, send X-Requested-With or Accept-API-Version, too.",
        cause:
          "a request with the session cookie may come from another site: it has neither X-Requested-With "
          + "nor Accept-API-Version, and its Origin is not this server's")
    }
  }

  private static let notJSON = ErrorResponse(
    .unsupportedMediaType, "Send Content-Type: application/json, with or without a body.")

  /// Whether the request comes from a page of this server: browsers send `Origin` with all that is not GET or HEAD, and pages
  /// cannot choose it, nor what `Host` says.
  private func isOwn(_ request: Request, _ connection: ClientConnection) -> Bool {
    guard let origin = request.headers[.origin] else { return false }
    if origin == baseAddress.origin { return true }
    guard let host = connection.host else { return false }
    return origin == BaseAddress.origin(scheme: (connection.scheme ?? .http).rawValue, host: host)
  }
}
