internal import BindingFormats
internal import Hummingbird
internal import JourneyStore

/// Kinds of devices of an account of which no journey here can make one: every list is empty, and every record unknown.
/// Clients that list all kinds so get an answer that they can read.
struct UnsupportedDevicesEndpoint: Sendable {
  let store: any ServerStore
  let sessions: SessionAuthority

  /// The kinds, as paths below the user's.
  static let paths: Set<[String]> = [
    ["devices", "profile"]
  ]

  func respondForCollection(to request: Request, user: String, realm: String) async throws -> Response {
    guard request.method == .get else { throw ErrorResponse.methodNotAllowed([.get]) }
    try await require(.readFactors, request, user: user, realm: realm)
    try QueryParameters(request.uri.query).requireAllRecords()
    return .json(.queryResult([]))
  }

  func respond(to request: Request, user: String, realm: String) async throws -> Response {
    guard [.put, .delete].contains(request.method) else {
      throw ErrorResponse.methodNotAllowed([.put, .delete])
    }
    try await require(
      request.method == .delete ? .support : .administrate, request, user: user, realm: realm)
    throw ErrorResponse.notFound("There is no such device.")
  }

  private func require(
    _ capability: Capability, _ request: Request, user: String, realm: String
  ) async throws {
    let account = try await sessions.require(capability, request, user: user, realm: realm)
    guard try await store.user(named: account.username, realm: account.realm) != nil else {
      throw ErrorResponse.notFound("There is no such user in this realm.")
    }
  }
}
