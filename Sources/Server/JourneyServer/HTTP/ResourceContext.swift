internal import Logging

/// What a request is about, as its path says it, and where it came from.
struct ResourceContext: Sendable {
  /// The realm's name as configured.
  let realm: String

  /// How the path names the realm.
  var realmForm = RealmForm.short

  /// The path's variable segments, decoded, by the names that the route gives them.
  let parameters: [String: String]
  let connection: ClientConnection
  let logger: Logger

  /// The segment that names an account; empty, which names nothing, when the route has none.
  var user: String { parameters["user"] ?? "" }

  /// The segment that names one record among others; empty when the route has none.
  var id: String { parameters["id"] ?? "" }
}
