internal import Bytes
internal import Foundation
internal import Hummingbird
internal import JourneyStore
internal import StrictJSON

/// `/applications`: the relying parties' programs, for administrators.
struct ApplicationsEndpoint: Sendable {
  let store: any ServerStore
  let sessions: SessionAuthority
  let applications: ApplicationAuthority

  private static let longestName = 120

  func respondForCollection(to request: Request, realm: String) async throws -> Response {
    let query = try QueryParameters(request.uri.query)
    switch request.method {
    case .post where query["_action"] == "create": return try await create(request, realm: realm)
    case .post: throw ErrorResponse.badRequest("The parameter _action names no action of applications.")
    case .get:
      try await require(.readConfiguration, request, realm: realm)
      guard query["_queryFilter"] == "true" else { throw ErrorResponse.badRequest("Use _queryFilter=true.") }
      return .json(.queryResult(try await store.applications(realm: realm).map(\.representation)))
    default: throw ErrorResponse.methodNotAllowed([.get, .post])
    }
  }

  func respond(to request: Request, id: String, realm: String) async throws -> Response {
    guard [.get, .delete].contains(request.method) else {
      throw ErrorResponse.methodNotAllowed([.get, .delete])
    }
    try await require(request.method == .get ? .readConfiguration : .administrate, request, realm: realm)
    let application =
      request.method == .get
      ? try await store.application(id: id, realm: realm)
      : try await store.deleteApplication(id: id, realm: realm)
    guard let application else { throw ErrorResponse.notFound("There is no such application in this realm.") }
    return .json(application.representation)
  }

  /// Registers an application; the answer is the only one that ever has the secret.
  private func create(_ request: Request, realm: String) async throws -> Response {
    let body = try await RequestBodyReader.object(of: request)
    try await require(.administrate, request, realm: realm)
    let name = try Self.name(in: body)
    let (id, secret) = applications.makeCredentials()
    let application = ApplicationRecord(
      id: id, realm: realm, name: name, secretHash: ApplicationAuthority.hash(of: secret),
      createdAt: sessions.clock(), takesPlainProofs: try Self.takesPlainProofs(in: body))
    try await store.createApplication(application)
    var answer = application.representation
    answer["secret"] = .string(secret.reveal())
    return .json(answer, status: .created)
  }

  private func require(_ capability: Capability, _ request: Request, realm: String) async throws {
    try await sessions.require(capability, try await sessions.requireSession(request), of: realm)
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
