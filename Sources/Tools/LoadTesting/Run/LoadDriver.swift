/// What one device does in one run.
package protocol LoadDriver: Sendable {
  /// Plays one run.
  ///
  /// - Parameters:
  ///   - device: which of the plan's devices, from 0. It is not in another run meanwhile.
  ///   - steps: measures each request.
  /// - Throws: ``LoadFailure``, or `CancellationError`.
  func run(device: Int, steps: StepTimer) async throws
}

/// A part of a run that has percentiles of its own.
package enum LoadStep: String, Sendable, CaseIterable {
  case create, start, password, bind, sign, register, attest, assert, message, approve, wait, other

  /// What the device did or sent.
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

  /// Is told when the server has answered.
  let heard: @Sendable (Duration) -> Void

  /// The result of `body`; its time counts for `step` when it succeeds.
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

  /// Waits, as a page asks for.
  package func pause(_ duration: Duration) async throws { try await clock.sleep(clock.now() + duration) }
}
