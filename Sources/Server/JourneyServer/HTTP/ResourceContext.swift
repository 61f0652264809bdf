internal import Logging

/// What a request is about, as its path says it, and where it came from.
struct ResourceContext: Sendable {
  /// The realm's name as configured.
  let realm: String

  /// The path's variable segments by the names that the route gives them.
  private let parameters: [String: String]
  let connection: ClientConnection
  let logger: Logger

  init(
    realm: String, parameters: [String: String] = [:], connection: ClientConnection, logger: Logger
  ) {
    self.realm = realm
    self.parameters = parameters
    self.connection = connection
    self.logger = logger
  }

  /// A variable segment, decoded; empty, which names nothing, when the route has none of that name.
  subscript(name: String) -> String { parameters[name] ?? "" }

  /// The segment that names an account.
  var user: String { self["user"] }

  /// The segment that names one record among others.
  var id: String { self["id"] }
}
