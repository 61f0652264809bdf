package import Logging

/// What a request's path names, and where the request came from.
package struct ResourceContext: Sendable {
  /// The realm's name as configured.
  package let realm: String

  /// How the path names the realm.
  package var realmForm = RealmForm.short

  /// The path's variable segments, decoded, by the names that the route gives them.
  package let parameters: [String: String]
  package let connection: ClientConnection

  /// The port that the connection came to, which the system may have chosen; `nil` for requests that come from no socket.
  package let localPort: Int?
  package let logger: Logger

  /// The segment that names an account; empty, which names nothing, when the route has none.
  package var user: String { parameters["user"] ?? "" }

  /// The segment that names one record among others; empty when the route has none.
  package var id: String { parameters["id"] ?? "" }
}
