internal import Hummingbird
internal import JourneyStore
internal import StrictJSON

/// `/health`: whether the server can do its work, for load balancers and monitors.
struct HealthEndpoint: Sendable {
  let store: any ServerStore

  /// Reads from the store; the answer is 503 when that fails.
  func respond(to request: Request) async throws -> Response {
    guard request.method == .get else { throw ErrorResponse.methodNotAllowed([.get]) }
    _ = try await store.user(named: Administrator.username, realm: "root")
    return .json(["status": "ok"])
  }
}
