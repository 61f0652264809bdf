internal import HTTPTypes
package import Hummingbird
internal import WebAddresses

/// Refuses requests that another site may have had a browser send (cross-site request forgery).
///
/// Browsers add the session cookie to all requests that a page on a sibling host makes them send: `SameSite` compares only the
/// registrable domain. Such a page can send forms, and requests without headers of its own. So all changes must be JSON, which no
/// form is; and a token in a cookie counts only with a header that other sites cannot set without asking this server
/// (Fetch §3.2.2), or with this server's own `Origin`.
package struct RequestForgeryGuard: Sendable {
  package let sessions: SessionAuthority

  package init(sessions: SessionAuthority) { self.sessions = sessions }

  private static let proofs = ["X-Requested-With", "Accept-API-Version"].compactMap { HTTPField.Name($0) }

  /// - Throws: 415 for content that is not JSON, and for a POST without content and with a cookie; 403 for a cookie without proof.
  package func check(_ request: Request, _ connection: ClientConnection) throws(ErrorResponse) {
    guard ![.get, .head, .options].contains(request.method) else { return }
    let type = request.headers.value(of: .contentType)
    if type != nil, !RequestBodyReader.isJSON(type) { throw Self.notJSON }
    guard sessions.presented(in: request)?.source == .cookie else { return }
    // Forms send POST only; other requests without a body need no type.
    if request.method == .post, type == nil { throw Self.notJSON }
    guard
      Self.proofs.contains(where: { request.headers.value(of: $0)?.isEmpty == false })
        || isOwn(request, connection)
    else {
      throw ErrorResponse(
        .forbidden, "With the session cookie, also send X-Requested-With or Accept-API-Version.",
        cause:
          "a request with the session cookie may come from another site: it has neither X-Requested-With "
          + "nor Accept-API-Version, and its Origin is not this server's")
    }
  }

  private static let notJSON = ErrorResponse(
    .unsupportedMediaType, "Send Content-Type: application/json, with or without a body.")

  /// Whether the request comes from a page of this server: browsers send `Origin` with everything but GET and HEAD, and pages
  /// can choose neither `Origin` nor `Host`.
  package func isOwn(_ request: Request, _ connection: ClientConnection) -> Bool {
    guard let origin = request.headers[.origin].flatMap({ WebOrigin($0) }) else { return false }
    if origin == sessions.baseAddress.origin { return true }
    return connection.origin.map { WebOrigin($0) == origin } ?? false
  }
}
