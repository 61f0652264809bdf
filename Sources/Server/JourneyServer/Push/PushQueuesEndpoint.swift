internal import Hummingbird
internal import JourneyStore
internal import PushTransports

/// `/push/delivery`: what this server has handed to push services, for administrators and auditors of the root realm.
///
/// Not part of `/health`, which anybody may read.
struct PushQueuesEndpoint: Endpoint {
  let queues: PushQueues
  let sessions: SessionAuthority

  var routes: [Route] { [Route(reading: "push/delivery", read)] }

  /// The queues serve all realms, whichever the path names.
  private func read(_ request: Request, in context: ResourceContext) async throws -> Response {
    let session = try await sessions.requireSession(request)
    try await sessions.require(.readConfiguration, session, of: "root")
    return .json(queues.report)
  }
}
