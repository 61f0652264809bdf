internal import Hummingbird
internal import JourneyEngine
internal import JourneyFiles
internal import JourneyGraphs
internal import JourneyStore
internal import ServerHTTP
internal import StrictJSON

/// `/realm-config/authentication/authenticationtrees/trees`: the realm's journeys, for administrators and auditors. Journeys come from files, so
/// they are read-only here.
struct JourneysEndpoint: Endpoint {
  let sessions: SessionAuthority
  let realms: RealmDirectory

  var routes: [Route] { [Route(reading: "realm-config/authentication/authenticationtrees/trees", list)] }

  private func list(_ request: Request, in context: ResourceContext) async throws -> Response {
    let realm = context.realm
    try await sessions.require(.readConfiguration, request, of: realm)
    try QueryParameters(request.uri.query).requireAllRecords()
    let contents = realms.contents(realm: realm)
    return .json(
      .queryResult(
        realms.catalog.summaries(realm: realm).map { journey in
          var object = journey.representation
          object["hash"] = contents[journey.name].map { .string($0.hash) }
          return object
        }))
  }
}

extension JourneySummary {
  /// PingAM's members, and Sealring's own: the journey's source and the authentication levels that it reaches.
  fileprivate var representation: JSONObject {
    let object: JSONObject = [
      "description": .string(description), "enabled": .bool(canStart), "source": .string(source),
      "guaranteedLevel": .integer(Int64(guaranteedLevel)), "reachableLevel": .integer(Int64(reachableLevel)),
    ]
    return object.identified(by: name)
  }
}
