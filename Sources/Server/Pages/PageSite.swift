internal import BindingFormats
internal import Foundation
package import HTTPTypes
package import Hummingbird
package import JourneyFiles
package import JourneyStore
internal import Logging
internal import NIOCore
internal import Operations
package import PageTemplates
package import SecurityEvents
package import ServerHTTP
internal import StrictJSON

/// What the pages of all parts of the server share: templates, texts, and who is signed in.
///
/// A part makes its routes with ``route(_:get:post:)``. Their handlers then have a session, and a form that this server made for it.
package struct PageSite: Sendable {
  package let templates: PageTemplates
  let catalog: TextCatalog
  package let store: any ServerStore
  package let sessions: SessionAuthority
  package let realms: RealmDirectory
  package let events: SecurityEvents

  package init(
    store: any ServerStore, sessions: SessionAuthority, realms: RealmDirectory, events: SecurityEvents
  ) throws {
    (templates, catalog) = (try PageTemplates.all.get(), try TextCatalog())
    (self.store, self.sessions, self.realms, self.events) = (store, sessions, realms, events)
  }

  /// The handlers of a page: ``Get`` reads it, ``Post`` takes its form.
  package typealias Get = @Sendable (PageContext) async throws -> Response
  package typealias Post = @Sendable (PageForm, PageContext) async throws -> Response

  /// The response in place of the page for somebody without a session.
  package typealias SignIn = @Sendable (PageVisit) throws -> Response

  /// A page for people who are signed in. Others are sent to the sign-in page, and come back after it.
  ///
  /// Handlers record the security events of what they change.
  ///
  /// - Parameters:
  ///   - path: the whole path, such as `/am/account/devices/:id`. A slash at its end makes it the page of a folder.
  ///   - bodyLimit: most bytes of a form.
  ///   - signIn: the way to sign in; by default to the realm of the page.
  ///   - post: `nil` for a page that changes nothing. After a change it answers with a redirect.
  package func route(
    _ path: String, bodyLimit: any KeyPath<ServerLimits, Int> & Sendable = \.body,
    signIn: @escaping SignIn = { $0.signIn() }, get: @escaping Get, post: Post? = nil
  ) -> Route {
    let isFolder = path.hasSuffix("/")
    let read: Route.Handler = { request, context in
      if isFolder, !request.uri.path.hasSuffix("/") { return Self.withSlash(request) }
      return try await answering(request, context, signIn, get)
    }
    let head = Route.head(of: read)
    guard let post else { return Route(path, [.get: read, .head: head]) }
    let change: Route.Handler = { request, context in
      try requireOwnPage(request, context)
      return try await answering(request, context, signIn) { page in
        guard let form = try await PageForm(request, session: page.session.token) else {
          page.logger.notice("a form without the session's token was refused")
          return page.redirect(notice: "layout.expired")
        }
        return try await post(form, page)
      }
    }
    return Route(
      path, [.get: read, .head: head, .post: change], bodyLimit: bodyLimit, takesForms: true)
  }

  /// Refuses a form of another site's page before reading it. The form's token is a second check.
  package func requireOwnPage(_ request: Request, _ context: ResourceContext) throws(ErrorResponse) {
    if let site = request.headers["Sec-Fetch-Site"],
      // `none` is the person's own doing, such as loading the page again.
      site != "same-origin", site != "none"
    {
      throw .forbidden("a form came from another site's page (\(site.prefix(20)))")
    }
    guard
      request.headers[.origin] == nil
        || RequestForgeryGuard(sessions: sessions).isOwn(request, context.connection)
    else {
      throw .forbidden("a form came from another site's page")
    }
  }

  private func answering(
    _ request: Request, _ context: ResourceContext, _ signIn: SignIn,
    _ body: (PageContext) async throws -> Response
  ) async throws -> Response {
    let visit = try PageVisit(request, context, site: self)
    guard let session = try await session(request, of: visit.realm) else { return try signIn(visit) }
    try sessions.charge(session)
    RequestTrail.current?.note(session.account)
    try await sessions.noteUse(of: session)
    let page = PageContext(visit: visit, session: session)
    do {
      var response = try await body(page)
      visit.settleCookies(of: &response)
      return response
    } catch {
      let refusal = ErrorResponse(mapping: error)
      // A request that needs a stronger sign-in redirects to it, and then back to the page.
      guard refusal.status == .forbidden, let journey = refusal.detail?["journey"]?.stringValue else {
        throw error
      }
      return visit.signIn(journey: journey, isAgain: true, realm: session.record.realm)
    }
  }

  /// The session, if it is the realm's or the root realm's, which has the administrators of all.
  package func session(_ request: Request, of realm: String?) async throws -> AuthenticatedSession? {
    let session = try await sessions.verify(sessions.presentedText(in: request))
    guard let session, let realm, session.record.realm != realm, session.record.realm != "root" else {
      return session
    }
    return nil
  }

  /// Sends a browser to the folder's page. The address is relative, because a path that begins with two slashes would be another host.
  static func withSlash(_ request: Request) -> Response {
    let name = request.uri.path.split(separator: "/").last ?? ""
    let query = request.uri.query.map { "?\($0)" } ?? ""
    return Response(status: .found, headers: [.location: "\(name)/\(query)", .cacheControl: "no-store"])
  }

  /// An answer of one page.
  package static func answer(_ html: String, status: HTTPResponse.Status = .ok) -> Response {
    .file("text/html;charset=UTF-8", Array(html.utf8), status: status)
  }
}
