internal import Concurrency
internal import Foundation
internal import Hummingbird
internal import JourneyStore
internal import StrictJSON

/// `/health`: whether the server can do its work, for load balancers and monitors.
struct HealthEndpoint: Sendable {
  let store: any ServerStore
  let clock: @Sendable () -> Date
  private let lastSuccess = Locked<Date?>(nil)

  /// Seconds that a successful look into the store counts: anybody may ask, and asking must cost nothing.
  static let memory: TimeInterval = 1

  init(store: any ServerStore, clock: @escaping @Sendable () -> Date) {
    self.store = store
    self.clock = clock
  }

  /// Reads from the store, unless that went well a moment ago; the answer is 503 when it fails.
  func respond(to request: Request) async throws -> Response {
    guard request.method == .get else { throw ErrorResponse.methodNotAllowed([.get]) }
    let now = clock()
    let age = lastSuccess.withLock { $0 }.map { now.timeIntervalSince($0) }
    if age.map({ (0..<Self.memory).contains($0) }) != true {
      _ = try await store.user(named: Administrator.username, realm: "root")
      lastSuccess.withLock { $0 = now }
    }
    return .json(["status": "ok"])
  }
}
