/// How much is asked of the server, and for how long.
package struct LoadPlan: Sendable, Equatable {
  /// What decides when the next run begins.
  package enum Pacing: Sendable, Equatable {
    /// Open loop: so many runs begin each second, whatever the server does. A run that has to wait for a free device
    /// counts its latency from the moment at which it should have begun.
    case rate(Double)
    /// Closed loop: so many devices are busy at a time; each begins its next run when the last one has ended.
    case concurrency(Int)
  }

  package var scenario: LoadScenario
  package var journey: String
  package var devices: Int
  package var pacing: Pacing
  /// How long load is offered at its full height; `nil` until every device is enrolled.
  package var duration: Duration?
  /// How long the load rises before that. These runs are drawn and counted apart: they are not in the percentiles.
  package var ramp: Duration
  /// After how long without any answer the server counts as gone.
  package var patience: Duration
  /// How long runs that have begun may continue after the end.
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

  /// When the last run begins, from the start of the load.
  var end: Duration? { duration.map { ramp + $0 } }
}
