internal import Hummingbird
internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON

/// `/realm-config/authentication/authenticationtrees/trees`: the realm's journeys, for administrators and auditors. Journeys come from files, so
/// that they are read here and never written.
struct JourneysEndpoint: Endpoint {
  let sessions: SessionAuthority
  let realms: RealmDirectory

  var routes: [Route] { [Route(reading: "realm-config/authentication/authenticationtrees/trees", list)] }

  private func list(_ request: Request, in context: ResourceContext) async throws -> Response {
    let realm = context.realm
    try await sessions.require(.readConfiguration, try await sessions.requireSession(request), of: realm)
    guard try QueryParameters(request.uri.query)["_queryFilter"] == "true" else {
      throw ErrorResponse.badRequest("Use _queryFilter=true.")
    }
    return .json(.queryResult(realms.catalog.summaries(realm: realm).map(\.representation)))
  }
}

extension JourneySummary {
  /// PingAM's members, and ours: where it was loaded from and which authentication levels it reaches.
  fileprivate var representation: JSONObject {
    let object: JSONObject = [
      "description": .string(description), "enabled": .bool(canStart), "source": .string(source),
      "guaranteedLevel": .integer(Int64(guaranteedLevel)), "reachableLevel": .integer(Int64(reachableLevel)),
    ]
    return object.identified(by: name)
  }
}
