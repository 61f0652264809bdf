internal import ServerHTTP
internal import ServiceLifecycle

/// Begins the ``Drain`` when the server is to stop, and keeps it accepting connections for a while, so that load balancers
/// see that it is not ready and send no more.
///
/// Comes after the application in its group: services are stopped last to first, each when the one after it has ended.
struct DrainNotice: Service, CustomStringConvertible {
  let drain: Drain

  /// How long connections are still accepted.
  let time: Duration

  func run() async throws {
    try await gracefulShutdown()
    drain.begin()
    if time > .zero { try await Task.sleep(for: time) }
  }

  var description: String { "DrainNotice" }
}
