internal import BindingFormats
internal import Bytes
internal import Hummingbird
internal import JourneyStore
internal import StrictJSON

/// `/global-config/realms`: which realms there are, for administrators and auditors of the root realm; its administrators create and delete them.
struct RealmsEndpoint: Endpoint {
  let store: any RealmStore
  let sessions: SessionAuthority
  let realms: RealmDirectory

  var routes: [Route] {
    [
      Route("global-config/realms", [.get: list, .post: create], events: { $0.realmCreated() }),
      Route("global-config/realms/:id", [.get: read, .delete: remove], events: { $0.realmDeleted() }),
    ]
  }

  private func list(_ request: Request, in context: ResourceContext) async throws -> Response {
    let query = try QueryParameters(request.uri.query)
    try await require(.readConfiguration, request)
    guard query["_queryFilter"] == "true" else { throw ErrorResponse.badRequest("Use _queryFilter=true.") }
    return .json(.queryResult(realms.names.map(Self.representation)))
  }

  private func create(_ request: Request, in context: ResourceContext) async throws -> Response {
    guard try QueryParameters(request.uri.query)["_action"] == "create" else {
      throw ErrorResponse.badRequest("The parameter _action names no action of realms.")
    }
    let body = try await RequestBodyReader.object(of: request)
    let session = try await require(.administrate, request)
    guard let name = try body.text("name") else { throw ErrorResponse.badRequest("Send the realm's name.") }
    if let fault = RealmName.fault(in: name) { throw ErrorResponse.badRequest(fault) }
    guard try ["/", nil].contains(body.text("parentPath")) else {
      throw ErrorResponse.badRequest("The parentPath of every realm is /.")
    }
    guard realms.realm(key: name.lowercased()) == nil else { throw StoreError.conflict("realm \(name)") }
    try await store.createRealm(
      name, at: sessions.clock(), by: sessions.caller(session, by: .capability(.administrate)))
    try await realms.refresh()
    return .json(Self.representation(name), status: .created)
  }

  private func read(_ request: Request, in context: ResourceContext) async throws -> Response {
    try await require(.readConfiguration, request)
    return .json(Self.representation(try realm(context.id)))
  }

  private func remove(_ request: Request, in context: ResourceContext) async throws -> Response {
    let session = try await require(.administrate, request)
    let name = try realm(context.id)
    guard !realms.configured.contains(name) else {
      throw ErrorResponse(
        .conflict, "The realm \(name) belongs to the server's configuration and cannot be deleted.")
    }
    // All devices of all accounts go with it.
    try await sessions.requireFactorChange(
      session, of: UniversalID(username: session.account.username, realm: name))
    let outcome = try await store.deleteRealm(
      name, isForced: try QueryParameters(request.uri.query)["force"] == "true", at: sessions.clock(),
      by: sessions.caller(session, by: .capability(.administrate)))
    switch outcome {
    case .deleted:
      try await realms.refresh()
      return .json(Self.representation(name))
    case .noSuchRealm: throw Self.unknown
    case .notEmpty(let accounts, let applications):
      throw ErrorResponse(
        .conflict,
        "The realm \(name) has \(accounts) accounts and \(applications) applications. With force=true they are deleted, too.",
        detail: ["accounts": .integer(Int64(accounts)), "applications": .integer(Int64(applications))])
    }
  }

  @discardableResult
  private func require(_ capability: Capability, _ request: Request) async throws -> AuthenticatedSession {
    let session = try await sessions.requireSession(request)
    try await sessions.require(capability, session, of: "root")
    return session
  }

  private static let unknown = ErrorResponse.notFound("There is no such realm.")

  /// - Parameter id: as in the list, or the name.
  private func realm(_ id: String) throws(ErrorResponse) -> String {
    guard let name = realms.realm(key: Self.name(ofID: id).lowercased()) else { throw Self.unknown }
    return name
  }

  /// The name that an id stands for, whether there is such a realm or not.
  static func name(ofID id: String) -> String {
    guard let path = Base64URL.decode(id).flatMap({ String(validating: $0, as: UTF8.self) }),
      path.hasPrefix("/")
    else { return id }
    return path == "/" ? "root" : String(path.dropFirst())
  }

  /// PingAM's form; its ids are the realm's path in base64.
  private static func representation(_ name: String) -> JSONObject {
    let object: JSONObject = [
      "name": .string(name == "root" ? "/" : name), "parentPath": name == "root" ? "" : "/", "active": true,
      "aliases": [],
    ]
    return object.identified(by: Base64URL.encode(Array(name.realmPath.utf8)))
  }
}
