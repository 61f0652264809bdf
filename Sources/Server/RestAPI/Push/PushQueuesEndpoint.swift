internal import Hummingbird
internal import JourneyStore
internal import PushTransports
internal import ServerHTTP

/// `/push/delivery`: what this server has handed to push services, for administrators and auditors of the root realm.
///
/// Not part of `/health`, which anybody may read.
struct PushQueuesEndpoint: Endpoint {
  let queues: PushQueues
  let sessions: SessionAuthority

  var routes: [Route] { [Route(reading: "push/delivery", read)] }

  /// The queues serve all realms, so the path's realm does not matter.
  private func read(_ request: Request, in context: ResourceContext) async throws -> Response {
    try await sessions.require(.readConfiguration, request, of: "root")
    return .json(queues.report)
  }
}
