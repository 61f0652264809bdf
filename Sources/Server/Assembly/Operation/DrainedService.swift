internal import ServerHTTP
internal import ServiceLifecycle

/// A service whose unfinished requests are cut some time after it was told to stop.
struct DrainedService<Served: Service>: Service, CustomStringConvertible {
  let served: Served
  let drain: Drain

  /// How long requests may take from then on.
  let time: Duration

  func run() async throws {
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

  var description: String { "\(served)" }
}
