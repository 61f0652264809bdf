internal import JourneyNodes
internal import Logging
internal import PushService
internal import ServerHTTP

/// The connections: how many there may be, what protects them, and how they end.
struct ServerConnections: Sendable {
  let gate: ConnectionGate

  /// The requests that are still to be answered, and whether the server is about to stop.
  let drain: Drain

  /// `nil` for plain HTTP.
  let certificate: ServerCertificate?

  init(_ foundation: ServerFoundation, direct: PollWaiters) throws {
    let configuration = foundation.configuration
    certificate = try configuration.tls.map {
      try ServerCertificate($0, clock: configuration.clock, logger: configuration.logger)
    }
    gate = ConnectionGate(
      configuration.limits, behind: configuration.trustedProxies, clock: configuration.clock,
      metrics: foundation.metrics)
    drain = Drain(
      direct: direct, gate: gate, randomBytes: configuration.randomBytes, logger: configuration.logger)
  }
}
