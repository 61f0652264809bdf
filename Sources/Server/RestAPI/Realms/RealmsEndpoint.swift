internal import Accounts
internal import BindingFormats
internal import Bytes
internal import Hummingbird
internal import JourneyFiles
internal import JourneyStore
internal import SecurityEvents
internal import ServerHTTP
internal import StrictJSON

/// `/global-config/realms`: the realms, for administrators and auditors of the root realm, whose administrators create and
/// delete them.
struct RealmsEndpoint: SessionEndpoint {
  let sessions: SessionAuthority
  let realms: RealmDirectory
  let events: SecurityEvents

  var routes: [Route] {
    [
      Route("global-config/realms", [.get: list, .post: create]),
      Route("global-config/realms/:id", [.get: read, .delete: remove]),
    ]
  }

  private func list(_ request: Request, in context: ResourceContext) async throws -> Response {
    let query = try QueryParameters(request.uri.query)
    try await sessions.require(.readConfiguration, request, of: "root")
    try query.requireAllRecords()
    return .json(.queryResult(realms.names.map(Self.representation)))
  }

  private func create(_ request: Request, in context: ResourceContext) async throws -> Response {
    try QueryParameters(request.uri.query).requireCreation(of: "realms")
    let body = try await RequestBodyReader.object(of: request)
    let session = try await sessions.require(.administrate, request, of: "root")
    guard let own = try body.text("name") else { throw ErrorResponse.badRequest("Send the realm's name.") }
    if let fault = RealmName.fault(in: own) { throw ErrorResponse.badRequest(fault) }
    let parentPath = try body.text("parentPath") ?? "/"
    guard parentPath.hasPrefix("/"), let parent = realms.realm(parentPath) else {
      throw ErrorResponse.notFound("There is no realm \(parentPath.bounded(to: 300)) to create one in.")
    }
    let name = parent == "root" ? own : "\(parent)/\(own)"
    if let fault = RealmName.fault(inPath: name) { throw ErrorResponse.badRequest(fault) }
    guard realms.realm(key: name.lowercased()) == nil else { throw StoreError.conflict("realm \(name)") }
    try await store.createRealm(
      name, at: sessions.clock(), by: sessions.caller(session, by: .capability(.administrate)))
    try await record(.realmCreated, name, by: session)
    try await realms.refresh()
    return .json(Self.representation(name), status: .created)
  }

  private func read(_ request: Request, in context: ResourceContext) async throws -> Response {
    try await sessions.require(.readConfiguration, request, of: "root")
    return .json(Self.representation(try realm(context.id)))
  }

  private func remove(_ request: Request, in context: ResourceContext) async throws -> Response {
    let session = try await sessions.require(.administrate, request, of: "root")
    let name = try realm(context.id)
    guard !realms.configured.contains(name) else {
      throw ErrorResponse(
        .conflict, "The realm \(name) is part of the server's configuration and cannot be deleted.")
    }
    // Deleting a realm deletes all devices of its accounts.
    try await sessions.accounts.requireProof(session.record, in: name)
    let outcome = try await store.deleteRealm(
      name, isForced: try QueryParameters(request.uri.query)["force"] == "true", at: sessions.clock(),
      by: sessions.caller(session, by: .capability(.administrate)))
    switch outcome {
    case .deleted:
      realms.setAside(name)
      try await record(.realmDeleted, name, by: session)
      try await realms.refresh()
      return .json(Self.representation(name))
    case .noSuchRealm: throw ErrorResponse.noSuchRealm
    case .hasRealms(let count):
      throw ErrorResponse(
        .conflict, "The realm \(name) has \(count) realms in it. Delete them first.",
        detail: ["realms": .integer(Int64(count))])
    case .notEmpty(let accounts, let applications):
      throw ErrorResponse(
        .conflict,
        "The realm \(name) has \(accounts) accounts and \(applications) applications. force=true deletes them, too.",
        detail: ["accounts": .integer(Int64(accounts)), "applications": .integer(Int64(applications))])
    }
  }

  private func record(
    _ kind: SecurityEvent.Kind, _ name: String, by session: AuthenticatedSession
  ) async throws {
    try await events.require(
      SecurityEvent(
        kind, realm: "root", actor: session.actorName, detail: ["name": .string(String(name.prefix(200)))]))
  }

  /// - Parameter id: as in the list, or the name.
  private func realm(_ id: String) throws(ErrorResponse) -> String {
    guard let name = realms.realm(key: Self.name(ofID: id).lowercased()) else { throw .noSuchRealm }
    return name
  }

  /// The name that an id stands for, whether or not the realm exists.
  static func name(ofID id: String) -> String {
    guard let path = Base64URL.decode(id).flatMap({ String(validating: $0, as: UTF8.self) }),
      path.hasPrefix("/")
    else { return id }
    return path == "/" ? "root" : String(path.dropFirst())
  }

  /// PingAM's form; its ids are the realm's path in base64.
  private static func representation(_ name: String) -> JSONObject {
    let object: JSONObject = [
      "name": .string(name == "root" ? "/" : RealmName.last(of: name)),
      "parentPath": .string(RealmName.parent(of: name)?.realmPath ?? ""), "active": true, "aliases": [],
    ]
    return object.identified(by: Base64URL.encode(Array(name.realmPath.utf8)))
  }
}
