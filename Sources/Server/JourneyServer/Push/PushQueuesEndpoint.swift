internal import Hummingbird
internal import JourneyStore
internal import PushTransports

/// `/push/delivery`: what this server has handed to push services, for administrators and auditors of the root realm.
///
/// Not part of `/health`, which anybody may read.
struct PushQueuesEndpoint: Sendable {
  let queues: PushQueues
  let sessions: SessionAuthority

  /// The queues serve all realms, whichever the path names.
  func respond(to request: Request) async throws -> Response {
    guard request.method == .get else { throw ErrorResponse.methodNotAllowed([.get]) }
    let session = try await sessions.requireSession(request)
    try await sessions.require(.readConfiguration, session, of: "root")
    return .json(queues.report)
  }
}
