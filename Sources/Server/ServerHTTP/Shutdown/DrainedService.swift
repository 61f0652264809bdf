package import ServiceLifecycle

/// A service whose unfinished requests are cut some time after it was told to stop.
package struct DrainedService<Served: Service>: Service, CustomStringConvertible {
  package let served: Served
  package let drain: Drain

  /// How long requests may take from then on.
  package let time: Duration

  package init(served: Served, drain: Drain, time: Duration) {
    (self.served, self.drain, self.time) = (served, drain, time)
  }

  package func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      // Nothing is left to cut.
      defer { tasks.cancelAll() }
      tasks.addTask {
        try await gracefulShutdown()
        try await Task.sleep(for: time)
        drain.cut()
      }
      try await served.run()
    }
  }

  package var description: String { "\(served)" }
}
