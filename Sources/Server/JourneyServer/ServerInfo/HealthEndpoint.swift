internal import Concurrency
internal import Foundation
internal import Hummingbird
internal import JourneyStore
internal import StrictJSON

/// `/health`: whether the server can do its work, for load balancers and monitors.
struct HealthEndpoint: Endpoint {
  let store: any UserStore
  let requests: RequestLimits
  let clock: @Sendable () -> Date
  private let lastSuccess = Locked<Date?>(nil)

  /// Seconds for which a successful read from the store counts: anybody may ask, and asking must cost nothing.
  static let memory: TimeInterval = 1

  init(store: any UserStore, requests: RequestLimits, clock: @escaping @Sendable () -> Date) {
    self.store = store
    self.requests = requests
    self.clock = clock
  }

  var routes: [Route] {
    ["/health", "/am/health"].map { path in
      Route(reading: path, admission: .own { try requests.charge(healthCheckFrom: $0) }, check)
    }
  }

  /// Reads from the store, unless that went well a moment ago; the answer is 503 when it fails.
  private func check(_ request: Request, in context: ResourceContext) async throws -> Response {
    let now = clock()
    let age = lastSuccess.withLock { $0 }.map { now.timeIntervalSince($0) }
    if age.map({ (0..<Self.memory).contains($0) }) != true {
      _ = try await store.user(named: Administrator.username, realm: "root")
      lastSuccess.withLock { $0 = now }
    }
    return .json(["status": "ok"])
  }
}
