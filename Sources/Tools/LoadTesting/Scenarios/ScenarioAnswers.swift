internal import BindingFormats
internal import JourneyDriving
internal import StrictJSON

/// The answers of one device in one journey, and their results.
struct ScenarioAnswers: JourneyAnswers, Sendable {
  let device: LoadDevice
  let driver: ScenarioDriver
  let steps: StepTimer

  /// The transaction of the run.
  var transactionID: String?

  /// The device's new enrolment, which is stored when the journey succeeds.
  var enrolment: Enrolment?

  /// Whether the device has performed the scenario's activity.
  var hasDone = false

  /// The time to wait before the page is posted.
  private var pause: Duration?
  private var hasGivenName = false

  /// The longest wait that a page may request.
  private static let longestPause = Duration.seconds(60)

  var settings: ScenarioDriver.Settings { driver.settings }

  init(device: LoadDevice, driver: ScenarioDriver, steps: StepTimer) {
    (self.device, self.driver, self.steps) = (device, driver, steps)
  }

  static func question(_ page: JourneyPage) -> JourneyPage? { page.isEnd ? nil : page }

  mutating func answer(_ page: JourneyPage) async throws -> JourneyPage? {
    var page = page
    let step = try await fill(&page)
    if let pause { try await steps.pause(min(pause, Self.longestPause)) }
    return try await driver.send(driver.target.authenticate, page.body, as: step, steps)
  }

  /// Fills in a page.
  ///
  /// - Returns: the step to count the request for.
  /// - Throws: ``LoadFailure`` for callbacks that the scenario cannot answer.
  private mutating func fill(_ page: inout JourneyPage) async throws -> LoadStep {
    pause = nil
    var step = LoadStep.other
    // A device that is asked for the name again waits for the answer to the push message.
    let asksAgain = page.has("PollingWaitCallback") || hasGivenName && page.has("NameCallback")
    if asksAgain {
      step = .wait
      try await approve(page)
    }
    for index in page.callbacks.indices {
      switch page.type(of: index) {
      case "NameCallback":
        try page.set(.string(device.username), of: index)
        if !hasGivenName { step = .password }
        hasGivenName = true
      case "PasswordCallback":
        guard let password = settings.password else {
          throw LoadFailure(
            .unanswerable, "journey \(settings.journey) asks for a password; add --password-stdin")
        }
        try page.set(.string(password), of: index)
        step = .password
      case BindingCallbackType.bind:
        guard settings.scenario == .bind else { throw refuse(BindingCallbackType.bind) }
        enrolment = .bound(
          try page.bind(index, as: "load test", by: settings.applicationID, at: driver.date()))
        hasDone = true
        step = .bind
      case BindingCallbackType.sign:
        guard [.signIn, .transaction].contains(settings.scenario), let bound = device.bound else {
          throw refuse(BindingCallbackType.sign)
        }
        try page.sign(
          index, with: bound, by: settings.applicationID, at: driver.date(), transactionID: transactionID)
        hasDone = true
        step = .sign
      case "MetadataCallback": step = try passkey(&page, index) ?? step
      case "HiddenValueCallback":
        if page.output("id", of: index)?.stringValue == "mfaDeviceRegistration" {
          try await registerForPush(page.output("value", of: index)?.stringValue ?? "")
          step = .wait
        }
      case "PollingWaitCallback":
        let milliseconds = page.output("waitTime", of: index).flatMap {
          $0.integerValue ?? $0.stringValue.flatMap { Int64($0) }
        }
        pause = .milliseconds(min(max(milliseconds ?? 1000, 0), 3_600_000))
      // These need no answer, or continue with their default.
      case "TextOutputCallback", "SuspendedTextOutputCallback", "ConfirmationCallback": break
      case let type: throw refuse(type)
      }
    }
    // The registration is already answered, so there is nothing to wait for.
    if case .push? = enrolment { pause = nil }
    return step
  }

  /// The failure for a callback that the scenario cannot answer.
  func refuse(_ callback: String) -> LoadFailure {
    LoadFailure(
      .unanswerable,
      "journey \(settings.journey) asks for \(callback), which the scenario \(settings.scenario.rawValue) cannot answer"
    )
  }
}
