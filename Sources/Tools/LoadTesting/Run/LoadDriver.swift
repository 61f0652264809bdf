/// Plays the runs of devices.
package protocol LoadDriver: Sendable {
  /// Plays one run.
  ///
  /// - Parameters:
  ///   - device: the index of the plan's device, from 0. No other run uses it meanwhile.
  ///   - steps: measures each request.
  /// - Throws: ``LoadFailure``, or `CancellationError`.
  func run(device: Int, steps: StepTimer) async throws
}

/// A part of a run with its own percentiles.
package enum LoadStep: String, Sendable, CaseIterable {
  case create, start, password, bind, sign, register, attest, assert, message, approve, wait, other

  /// The activity or message of the device.
  package var title: String {
    switch self {
    case .create: "create transaction"
    case .start: "start journey"
    case .password: "name or password"
    case .bind: "bind key"
    case .sign: "sign challenge"
    case .register: "register for push"
    case .attest: "register passkey"
    case .assert: "assert passkey"
    case .message: "fetch message"
    case .approve: "approve message"
    case .wait: "ask again"
    case .other: "other step"
    }
  }
}

/// Measures the steps of one run.
package struct StepTimer: Sendable {
  package let clock: LoadClock
  let recorder: LoadRecorder

  /// Whether the run began during the ramp.
  let isRamp: Bool

  /// Called when the server has answered.
  let heard: @Sendable (Duration) -> Void

  /// Runs `body`, and records its duration for `step` when it succeeds.
  package func measure<Value: Sendable>(
    _ step: LoadStep, _ body: () async throws -> Value
  ) async throws -> Value {
    let start = clock.now()
    let value = try await body()
    let end = clock.now()
    heard(end)
    if !isRamp { recorder.record(end - start, of: step) }
    return value
  }

  /// Waits, as requested by a page.
  package func pause(_ duration: Duration) async throws { try await clock.sleep(clock.now() + duration) }
}
