internal import Concurrency
internal import Foundation
internal import Hummingbird
internal import JourneyStore
internal import Logging
internal import ServerHTTP
internal import StrictJSON

/// `/health`, `/health/ready` and `/health/live`: for load balancers and monitors.
///
/// | Path | 200 while |
/// |---|---|
/// | `/health/live` | the process serves; the store is not asked |
/// | `/health/ready` | the store answers, the server has the key in use, and it is not stopping |
/// | `/health` | the store answers |
struct HealthEndpoint: SessionEndpoint {
  /// The account of the root realm that is read.
  package let account: String
  let sessions: SessionAuthority
  let drain: Drain

  /// Whether this server has the server key in use. Without it, it can neither read secrets nor seal anything.
  let hasKey: @Sendable () -> Bool

  /// Measures how long the store takes.
  var timer: any Clock<Duration> = ContinuousClock()
  private let lastSuccess = Locked<Date?>(nil)

  /// How long a successful read from the store counts. Anybody may ask, so asking must cost nothing. Seconds.
  static let memory: TimeInterval = 1

  /// A store that takes longer is not ready.
  static let patience = Duration.seconds(2)

  var routes: [Route] {
    ["", "/am"].flatMap { base in
      [
        route("\(base)/health", check), route("\(base)/health/ready", checkReadiness),
        route("\(base)/health/live") { _, _ in Self.ok },
      ]
    }
  }

  private func route(_ path: String, _ handler: @escaping Route.Handler) -> Route {
    Route(reading: path, admission: .own { try sessions.requests.charge(.healthCheck, $0) }, handler)
  }

  private static var ok: Response { .json(["status": "ok"]) }

  private func check(_ request: Request, in context: ResourceContext) async throws -> Response {
    await answer(in: context) { try await readStore() }
  }

  /// 503 names the reason by one word, because anybody may read it; the log has the cause.
  private func checkReadiness(_ request: Request, in context: ResourceContext) async throws -> Response {
    if drain.isUnderWay { return Self.unavailable("stopping") }
    guard hasKey() else { return Self.unavailable("key") }
    return await answer(in: context) {
      try await firstOf({ try await readStore() }, orAfter: Self.patience, on: timer, abandoning: true)
    }
  }

  private func answer(
    in context: ResourceContext, _ askStore: () async throws -> Void
  ) async -> Response {
    do {
      try await askStore()
      return Self.ok
    } catch {
      context.logger.error(
        "the server is not ready: the store does not answer", metadata: ["cause": "\(error)"])
      return Self.unavailable("store")
    }
  }

  private static func unavailable(_ reason: String) -> Response {
    .json(
      ["status": "unavailable", "reason": .string(reason)], status: .serviceUnavailable,
      headers: [.retryAfter: "1"])
  }

  /// Reads from the store, unless a read succeeded a moment ago.
  private func readStore() async throws {
    let now = clock()
    let age = lastSuccess.withLock { $0 }.map { now.timeIntervalSince($0) }
    if age.map({ (0..<Self.memory).contains($0) }) != true {
      _ = try await store.user(named: account, realm: "root")
      lastSuccess.withLock { $0 = now }
    }
  }
}
