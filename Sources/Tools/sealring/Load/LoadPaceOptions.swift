import ArgumentParser
import Foundation
import LoadTesting

/// The pace and duration of a load.
struct LoadPaceOptions: ParsableArguments {
  @Option(help: "Runs that begin each second (open loop).")
  var rate: Double?

  @Option(help: "Devices that are busy at a time (closed loop). Default for what enrols: 4.")
  var concurrency: Int?

  @Option(
    help:
      "How long, without the ramp: \(LoadSpan.help). Default: 30s; what enrols ends when all devices are enrolled."
  )
  var duration: LoadSpan?

  @Option(help: "How long the load rises before that; these runs are not in the percentiles.")
  var ramp: LoadSpan?

  @Option(help: "Begin at this time, such as 2026-11-23T10:30:00Z, so that several machines begin together.")
  var startAt: StartTime?

  @Option(help: "Connections that all devices share.")
  var connections = 64

  @Option(help: "How long to wait for an answer.")
  var timeout = LoadSpan(seconds: 30)

  @Option(help: "End the load when the server has given no answer for so long.")
  var giveUpAfter = LoadSpan(seconds: 10)

  /// A time in the future (ISO 8601).
  struct StartTime: ExpressibleByArgument {
    let date: Date

    init?(argument: String) {
      guard argument.utf8.count <= 40, let date = try? Date(argument, strategy: .iso8601) else { return nil }
      self.date = date
    }
  }

  func validate(for scenario: LoadScenario, devices: Int) throws {
    guard rate == nil || concurrency == nil else {
      throw ValidationError("Give either --rate or --concurrency.")
    }
    guard rate != nil || concurrency != nil || scenario.isEnrolment else {
      throw ValidationError(
        "Give --rate, the runs that begin each second, or --concurrency, the devices that are busy at a time."
      )
    }
    if let rate, !LoadPlan.rates.contains(rate) {
      throw ValidationError("--rate is a number from 0.01 to 100000.")
    }
    if let concurrency { try (1...devices).require(concurrency, for: "--concurrency") }
    try (1...10_000).require(connections, for: "--connections")
    guard duration?.duration != .zero else { throw ValidationError("--duration is more than 0.") }
    guard timeout.duration > .zero, giveUpAfter.duration > .zero else {
      throw ValidationError("--timeout and --give-up-after are more than 0.")
    }
  }

  func plan(of scenario: LoadScenario, journey: String?, devices: Int) throws -> LoadPlan {
    let standard: Duration? = scenario.isEnrolment ? nil : .seconds(30)
    return LoadPlan(
      scenario: scenario, journey: journey, devices: devices,
      pacing: rate.map { .rate($0) } ?? .concurrency(concurrency ?? min(4, devices)),
      duration: duration?.duration ?? standard, ramp: ramp?.duration ?? .zero,
      patience: giveUpAfter.duration, drain: timeout.duration)
  }

  /// Waits until ``startAt``.
  func waitForStart() async throws {
    guard let date = startAt?.date else { return }
    let seconds = date.timeIntervalSinceNow
    guard seconds > 0 else {
      throw CommandFailure.expired(
        "The time of --start-at is over. Choose one that all machines have before them.")
    }
    guard seconds < 86_400 else {
      throw CommandFailure.invalid("--start-at is more than a day ahead.")
    }
    Output.remark("Waiting until \(Times.text(date)).")
    try await Task.sleep(for: .seconds(seconds))
  }
}

extension LoadSpan {
  init(seconds: Int) { duration = .seconds(seconds) }

  var defaultValueDescription: String { "\(Int(duration / .seconds(1)))s" }
}
