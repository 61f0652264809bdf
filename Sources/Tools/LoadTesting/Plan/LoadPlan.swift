/// The amount and duration of a load.
package struct LoadPlan: Sendable, Equatable {
  /// The rule that starts the next run.
  package enum Pacing: Sendable, Equatable {
    /// Open loop: this many runs begin each second, whatever the server does. The latency of a run that has to wait for a free device
    /// counts from its intended start.
    case rate(Double)
    /// Closed loop: this many devices are busy at a time; each begins its next run when the previous one ends.
    case concurrency(Int)
  }

  package var scenario: LoadScenario
  package var journey: String
  package var devices: Int
  package var pacing: Pacing
  /// The duration of the full load; `nil` until every device is enrolled.
  package var duration: Duration?
  /// The duration of the rise before that. Its runs are plotted and counted separately, and are not in the percentiles.
  package var ramp: Duration
  /// The time without any answer after which the server counts as gone.
  package var patience: Duration
  /// The time that started runs may continue after the end.
  package var drain: Duration

  package static let longest = Duration.seconds(7 * 86_400)
  package static let rates = 0.01...100_000.0
  package static let mostDevices = 100_000

  package init(
    scenario: LoadScenario, journey: String? = nil, devices: Int, pacing: Pacing, duration: Duration?,
    ramp: Duration = .zero, patience: Duration = .seconds(10), drain: Duration = .seconds(30)
  ) {
    self.scenario = scenario
    self.journey = journey ?? scenario.standardJourney
    self.devices = devices
    self.pacing = pacing
    self.duration = duration
    self.ramp = ramp
    self.patience = patience
    self.drain = drain
  }

  /// The end of new runs, relative to the start of the load.
  var end: Duration? { duration.map { ramp + $0 } }
}
