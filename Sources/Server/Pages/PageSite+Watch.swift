internal import BindingFormats
internal import HTTPTypes
package import Hummingbird
internal import NIOCore
internal import Operations
internal import ServerHTTP
package import StrictJSON

extension PageSite {
  /// A route with JSON that the script of a page polls.
  ///
  /// Polling does not count as use of the session, so the session of an unattended page ends. Without a session the answer is 401, never a
  /// page.
  func watch(_ path: String, get: @escaping Get) -> Route {
    let read: Route.Handler = { request, context in
      RequestTrail.current?.noteWatcher()
      let visit = try PageVisit(request, context, site: self)
      guard let session = try await session(request, of: visit.realm) else {
        throw ErrorResponse.accessDenied("a page goes on asking after its session has ended")
      }
      try sessions.charge(session)
      RequestTrail.current?.note(session.account)
      return try await get(PageContext(visit: visit, session: session))
    }
    return Route(path, [.get: read])
  }

  /// An answer to ``watch(_:get:)``.
  package static func answer(_ json: JSONValue) -> Response {
    .file("application/json;charset=UTF-8", json.serialized)
  }
}
