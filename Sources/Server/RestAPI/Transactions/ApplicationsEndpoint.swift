internal import Accounts
internal import Bytes
internal import Foundation
internal import Hummingbird
internal import JourneyStore
internal import SecurityEvents
internal import ServerHTTP
internal import StrictJSON

/// `/applications`: the relying parties' programs, for administrators.
struct ApplicationsEndpoint: SessionEndpoint {
  let sessions: SessionAuthority
  let applications: ApplicationAuthority
  let events: SecurityEvents

  private static let longestName = 120

  var routes: [Route] {
    [
      Route("applications", [.get: list, .post: create]),
      Route("applications/:id", [.get: read, .delete: remove]),
    ]
  }

  private func list(_ request: Request, in context: ResourceContext) async throws -> Response {
    let query = try QueryParameters(request.uri.query)
    try await sessions.require(.readConfiguration, request, of: context.realm)
    try query.requireAllRecords()
    return .json(.queryResult(try await store.applications(realm: context.realm).map(\.representation)))
  }

  private func read(_ request: Request, in context: ResourceContext) async throws -> Response {
    try await sessions.require(.readConfiguration, request, of: context.realm)
    return try Self.answer(try await store.application(id: context.id, realm: context.realm))
  }

  private func remove(_ request: Request, in context: ResourceContext) async throws -> Response {
    let session = try await sessions.require(.administrate, request, of: context.realm)
    let gone = try await store.deleteApplication(id: context.id, realm: context.realm)
    if gone != nil {
      try await record(
        .applicationDeleted, in: context.realm, ["application": .string(context.id)], by: session)
    }
    return try Self.answer(gone)
  }

  private static func answer(_ application: ApplicationRecord?) throws(ErrorResponse) -> Response {
    guard let application else { throw .notFound("There is no such application in this realm.") }
    return .json(application.representation)
  }

  /// Registers an application; no other answer ever holds the secret.
  private func create(_ request: Request, in context: ResourceContext) async throws -> Response {
    try QueryParameters(request.uri.query).requireCreation(of: "applications")
    let realm = context.realm
    let body = try await RequestBodyReader.object(of: request)
    let session = try await sessions.require(.administrate, request, of: realm)
    // The secret gives access that outlives the session.
    try await sessions.accounts.requireProof(session.record, in: realm)
    let name = try Self.name(in: body)
    let (id, secret) = applications.makeCredentials()
    let application = ApplicationRecord(
      id: id, realm: realm, name: name, secretHash: ApplicationAuthority.hash(of: secret),
      createdAt: sessions.clock(), takesPlainProofs: try Self.takesPlainProofs(in: body))
    try await store.createApplication(application)
    try await record(.applicationCreated, in: realm, ["name": .string(name)], by: session)
    var answer = application.representation
    answer["secret"] = .string(secret.reveal())
    return .json(answer, status: .created)
  }

  private func record(
    _ kind: SecurityEvent.Kind, in realm: String, _ detail: JSONObject, by session: AuthenticatedSession
  ) async throws {
    try await events.require(
      SecurityEvent(kind, realm: realm, actor: session.actorName, detail: detail))
  }

  private static func takesPlainProofs(in object: JSONObject) throws(ErrorResponse) -> Bool {
    guard let given = object["plainProofs"] else { return false }
    guard let flag = given.boolValue else { throw .badRequest("plainProofs must be true or false.") }
    return flag
  }

  private static func name(in object: JSONObject) throws(ErrorResponse) -> String {
    guard let given = try object.text("name") else { throw .badRequest("Send the application's name.") }
    let name = given.trimmingCharacters(in: .whitespacesAndNewlines)
    guard (1...longestName).contains(name.unicodeScalars.count),
      !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    else {
      throw .badRequest(
        "An application's name has 1 to \(longestName) characters and no control characters.")
    }
    return name
  }
}

extension ApplicationRecord {
  /// What administrators see of an application; the time is milliseconds since 1970.
  fileprivate var representation: JSONObject {
    let object: JSONObject = [
      "name": .string(name), "createdAt": .integer(createdAt.millisecondsSince1970),
      "plainProofs": .bool(takesPlainProofs),
    ]
    return object.identified(by: id)
  }
}
