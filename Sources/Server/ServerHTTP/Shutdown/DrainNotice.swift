internal import ServiceLifecycle

/// Begins the ``Drain`` when the server is to stop, and keeps it accepting connections for a while, so that load balancers
/// see that it is not ready and send no more.
///
/// Comes after the application in its group: services are stopped last to first, each when the one after it has ended.
package struct DrainNotice: Service, CustomStringConvertible {
  package let drain: Drain

  /// How long connections are still accepted.
  package let time: Duration

  package init(drain: Drain, time: Duration) {
    (self.drain, self.time) = (drain, time)
  }

  package func run() async throws {
    try await gracefulShutdown()
    drain.begin()
    if time > .zero { try await Task.sleep(for: time) }
  }

  package var description: String { "DrainNotice" }
}
