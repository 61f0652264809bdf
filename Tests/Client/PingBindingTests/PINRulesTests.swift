import Concurrency
import DeviceKeys
import Foundation
import PingBinding
import PingJourneyPlugin
import Testing

/// What a PIN has to be like, and what wrong ones lead to.
@Suite struct PINRulesTests {
  let now = Locked(Date(timeIntervalSince1970: 1_767_225_600))
  let device: BindingDevice

  init() {
    let now = now
    device = BindingDevice(keyStore: MemoryKeyStore(clock: { now.withLock { $0 } }))
  }

  private func bind(_ pins: [String?], _ change: (AppPinConfig) -> Void = { _ in }) async -> (
    Outcome, [Prompt]
  ) {
    let collector = QueuedPIN(pins)
    let config = AppPinConfig(pinCollector: collector)
    change(config)
    let outcome = await device.bind(bindingCallback(type: "APPLICATION_PIN")) {
      $0.authenticatorConfig = config
    }
    return (outcome, collector.prompts)
  }

  private func sign(_ pin: String) async -> DeviceSigningVerifierCallback {
    let callback = signingCallback()
    _ = await device.sign(callback) {
      $0.authenticatorConfig = AppPinConfig(pinRetry: 1, pinCollector: QueuedPIN([pin]))
    }
    return callback
  }

  @Test(arguments: ["7359", "47110", "8305"])
  func `a four digit PIN that the guide's screen submits was refused`(pin: String) async throws {
    let (outcome, prompts) = await bind([pin])
    _ = try outcome.token()
    #expect(prompts.count == 1)
  }

  @Test(arguments: ["471", "1234", "0000", "123456", "000000", "121212", "password"])
  func `a PIN that the policy refuses is asked for again with the reason`(refused: String) async throws {
    let (outcome, prompts) = await bind([refused, "471108"])
    _ = try outcome.token()
    #expect(prompts.map(\.isNewPIN) == [true, true])
    #expect(prompts.first?.problem == nil)
    #expect(try #require(prompts.last?.problem).isEmpty == false)
  }

  @Test func `after the last refused PIN binding fails with the reason`() async throws {
    let (outcome, prompts) = await bind(["1", "2", "3", "471108"])
    #expect(prompts.count == 3)
    #expect(outcome.status?.clientError == "Unsupported")
    #expect(try #require(outcome.status?.errorMessage).contains("4"))
    try await device.expectNothingLeftOver(count: 0)
  }

  @Test func `an app may ask for more`() async throws {
    let (outcome, prompts) = await bind(["8305", "471108"]) { $0.pinPolicy = PINPolicy(minimumLength: 6) }
    _ = try outcome.token()
    #expect(prompts.count == 2)
  }

  @Test func `a collector may be asked twice`() async throws {
    let (outcome, prompts) = await bind(["471108", "471109", "471108", "471108"]) {
      $0.asksForNewPINTwice = true
    }
    _ = try outcome.token()
    #expect(prompts.count == 4)
    #expect(prompts.map { $0.problem == nil } == [true, true, false, true])
  }

  @Test func `wrong PINs are counted over operations and then the key is disabled and removed`() async throws
  {
    _ = try await bind(["471108"]).0.token()
    for _ in 1..<PINAttemptPolicy.standard.failuresUntilDisabled {
      _ = await sign("930274")
      now.withLock { $0 += 86_400 }
    }
    let last = await sign("930274")
    #expect(last.failure as? DeviceKeyError == .disabled(tag: try #require(try? await lastTag(last))))
    #expect(inputs(of: last.payload())["clientError"] == "ClientNotRegistered")
    try await device.expectNothingLeftOver(count: 0)
  }

  private func lastTag(_ callback: DeviceSigningVerifierCallback) async throws -> String? {
    if case DeviceKeyError.disabled(let tag)? = callback.failure { tag } else { nil }
  }

  @Test func `while a delay lasts the right PIN is refused and the time left is told`() async throws {
    _ = try await bind(["471108"]).0.token()
    for _ in 1...4 { _ = await sign("930274") }
    let refused = await sign("471108")
    guard case DeviceKeyError.lockedOut(_, let seconds)? = refused.failure else {
      Issue.record("\(String(describing: refused.failure)) is not a lockout")
      return
    }
    #expect(seconds == 15)
    now.withLock { $0 += 15 }
    let accepted = await sign("471108")
    #expect(accepted.failure == nil)
    #expect(inputs(of: accepted.payload())["clientError"] == "")
  }

  // MARK: Changing

  @Test func `the new PIN unlocks the same key and the old one does not`() async throws {
    _ = try await bind(["471108"]).0.token()
    let key = try #require(try await device.keys.first)
    try await BindingModule.changePin(
      of: key, from: PIN("471108"), to: PIN("602214"), keyStore: device.keyStore)
    #expect(await sign("471108").failure as? DeviceBindingError == .authenticationFailed)
    #expect(await sign("602214").failure == nil)
    #expect(try await device.keys == [key])
  }

  @Test func `a refused new PIN changes nothing and costs no try`() async throws {
    _ = try await bind(["471108"]).0.token()
    let key = try #require(try await device.keys.first)
    await #expect(throws: PINPolicyViolation.self) {
      try await BindingModule.changePin(
        of: key, from: PIN("wrong!"), to: PIN("111111"), keyStore: device.keyStore)
    }
    await #expect(throws: DeviceKeyError.wrongPIN(tag: key.keyTag)) {
      try await BindingModule.changePin(
        of: key, from: PIN("wrong!"), to: PIN("602214"), keyStore: device.keyStore)
    }
    #expect(await sign("471108").failure == nil)
  }
}

/// Answers with one PIN after the other.
private final class QueuedPIN: PinCollector, Sendable {
  private let state: Locked<(answers: [String?], prompts: [Prompt])>

  init(_ answers: [String?]) { state = Locked((answers, [])) }

  var prompts: [Prompt] { state.withLock { $0.prompts } }

  func collectPin(prompt: Prompt, completion: @escaping @Sendable (String?) -> Void) {
    completion(
      state.withLock { state in
        state.prompts.append(prompt)
        return state.answers.isEmpty ? nil : state.answers.removeFirst()
      })
  }
}
