import Concurrency
import DeviceKeys
import Foundation
import PingBinding
import PingJourneyPlugin
import PingStorage
import ProofFixtures
import StrictJSON
import Testing
import CommonFixtures

@Suite struct TimeLimitTests {
  let clock = ManualClock()
  var device: BindingDevice { base }
  private let base: BindingDevice

  init() {
    var device = BindingDevice()
    device.clock = clock
    base = device
  }

  @Test func `a collector that never answers ends as timeout and the old key stays`() async throws {
    await device.bind()
    let old = try #require(try await device.keys.first)
    let collector = StallingPIN()
    let callback = bindingCallback(type: "APPLICATION_PIN", timeout: 30)
    async let outcome = device.bind(callback) { $0.pinCollector = collector }
    await collector.asked.wait()
    clock.advance(by: .seconds(30))
    #expect(await outcome.status == .timeout)
    #expect(inputs(of: callback.payload())["clientError"] == "Timeout")

    collector.answer("471108")  // Too late.
    #expect(try await device.keys == [old])
    try await device.expectNothingLeftOver(count: 1)
  }

  @Test func `an answer in time counts`() async throws {
    let collector = StallingPIN()
    async let outcome = device.bind(bindingCallback(type: "APPLICATION_PIN", timeout: 30)) {
      $0.pinCollector = collector
    }
    await collector.asked.wait()
    clock.advance(by: .seconds(29))
    collector.answer("471108")
    #expect(await outcome.status == nil)
  }

  @Test func `the first of two answers counts`() async throws {
    let collector = StallingPIN()
    async let outcome = device.bind(bindingCallback(type: "APPLICATION_PIN")) { $0.pinCollector = collector }
    await collector.asked.wait()
    collector.answer("471108")
    collector.answer("930274")
    collector.answer(nil)
    #expect(await outcome.status == nil)
    let key = try #require(try await device.keys.first)
    _ = try await device.keyStore.openKey(tag: key.keyTag, unlock: .pin(PIN("471108")))
  }

  @Test func `a selector that never answers ends as timeout`() async throws {
    await device.bind()
    await device.bind(bindingCallback(user: "id=babs"))
    let selector = StallingSelector()
    async let outcome = device.sign(signingCallback(timeout: 30)) { $0.userKeySelector = selector }
    await selector.asked.wait()
    clock.advance(by: .seconds(30))
    #expect(await outcome.status == .timeout)
  }

  @Test(arguments: [
    (60, 10, 10), (10, 60, 60), (60, nil, 60), (0, nil, 60), (-5, 20, 20), (Int.max, nil, 86_400),
    (60, Int.max, 86_400), (60, 0, 60),
  ])
  func `a longer limit of the app was cut to the server's`(server: Int, app: Int?, expected: Int) async throws
  {
    let outcome = await device.bind(bindingCallback(timeout: server)) { if let app { $0.timeout = app } }
    let claims = try outcome.token().claims
    #expect(claims["exp"]?.integerValue == 1_767_225_600 + Int64(expected))
  }

  @Test func `a retry with a longer limit has it`() async {
    let collector = StallingPIN()
    async let outcome = device.bind(bindingCallback(type: "APPLICATION_PIN", timeout: 30)) {
      $0.pinCollector = collector
      $0.timeout *= 3
    }
    await collector.asked.wait()
    clock.advance(by: .seconds(89))
    collector.answer("471108")
    #expect(await outcome.status == nil)
  }

  @Test func `the shorter limit is enforced`() async {
    let collector = StallingPIN()
    async let outcome = device.bind(bindingCallback(type: "APPLICATION_PIN", timeout: 60)) {
      $0.pinCollector = collector
      $0.timeout = 5
    }
    await collector.asked.wait()
    clock.advance(by: .seconds(5))
    #expect(await outcome.status == .timeout)
  }

  @Test func `the limit counts for all tries together`() async throws {
    let device = device
    await device.bind(bindingCallback(type: "APPLICATION_PIN")) { $0.pinCollector = ScriptedPIN("471108") }
    let collector = SlowPIN(clock: clock, answers: ["1", "2", "471108"])
    let outcome = await device.sign(signingCallback(timeout: 25)) { $0.pinCollector = collector }
    #expect(outcome.status == .timeout)
  }

  @Test func `a cancelled task is an abort and leaves the old key`() async throws {
    await device.bind()
    let old = try #require(try await device.keys.first)
    let collector = StallingPIN()
    let callback = bindingCallback(type: "APPLICATION_PIN")
    let task = Task { [device] in await device.bind(callback) { $0.pinCollector = collector } }
    await collector.asked.wait()
    task.cancel()
    #expect(await task.value.status == .abort)
    #expect(inputs(of: callback.payload())["clientError"] == "Abort")
    #expect(try await device.keys == [old])
    try await device.expectNothingLeftOver(count: 1)
  }

  @Test func `a collector that can be cancelled is told to take its prompt away`() async throws {
    let collector = CancellablePIN()
    async let outcome = device.bind(bindingCallback(type: "APPLICATION_PIN", timeout: 30)) {
      $0.pinCollector = collector
    }
    await collector.asked.wait()
    clock.advance(by: .seconds(30))
    #expect(await outcome.status == .timeout)
    await collector.takenAway.wait()
  }

  @Test func `a key that an app's authenticator makes too late is removed`() async throws {
    let authenticator = LateAuthenticator()
    let (started, goOn, ended) = (authenticator.started, authenticator.goOn, authenticator.ended)
    let store = DeletionObserver(keyStore: device.keyStore, deleted: ended)
    var device = device
    device.keyStore = store
    let handed = Transferred(authenticator)
    async let outcome = device.bind { $0.deviceAuthenticator = handed.value }
    await started.wait()
    clock.advance(by: .seconds(60))
    #expect(await outcome.status == .timeout)
    goOn.fire()
    await ended.wait()
    try await device.expectNothingLeftOver(count: 0)
  }
}

/// Every answer takes ten seconds.
private final class SlowPIN: PinCollector, Sendable {
  private let clock: ManualClock
  private let answers: Locked<[String]>

  init(clock: ManualClock, answers: [String]) {
    self.clock = clock
    self.answers = Locked(answers)
  }

  func collectPin(prompt: Prompt, completion: @escaping @Sendable (String?) -> Void) {
    clock.advance(by: .seconds(10))
    completion(answers.withLock { $0.removeFirst() })
  }
}

private final class CancellablePIN: CancellablePinCollector, Sendable {
  let asked = Signal()
  let takenAway = Signal()

  func collectPin(prompt: Prompt, completion: @escaping @Sendable (String?) -> Void) {
    Issue.record("the form that can be cancelled comes first")
  }

  func collectPin(prompt: Prompt) async -> String? {
    let cancelled = Signal()
    await withTaskCancellationHandler {
      asked.fire()
      await cancelled.wait()
    } onCancel: {
      cancelled.fire()
    }
    takenAway.fire()
    return nil
  }
}

/// Makes its key when the time is up, deaf to cancellation.
private final class LateAuthenticator: DefaultDeviceAuthenticator {
  let started = Signal()
  let goOn = Signal()
  let ended = Signal()

  override func isSupported(attestation: Attestation) -> Bool { true }

  override func register() async throws -> KeyPair {
    started.fire()
    await goOn.wait()
    return KeyPair(try await keyStore().createKey(tag: "late", protection: .none, unlock: .nothing))
  }
}

/// Tells when the key `late` is deleted.
private struct DeletionObserver: DeviceKeyStore {
  let keyStore: any DeviceKeyStore
  let deleted: Signal

  var kind: KeyStoreKind { keyStore.kind }
  func supports(_ protection: KeyProtection) -> Bool { keyStore.supports(protection) }
  func createKey(tag: String, protection: KeyProtection, unlock: KeyUnlock) async throws -> any DeviceKey {
    try await keyStore.createKey(tag: tag, protection: protection, unlock: unlock)
  }
  func openKey(tag: String, unlock: KeyUnlock) async throws -> any DeviceKey {
    try await keyStore.openKey(tag: tag, unlock: unlock)
  }
  func deleteKey(tag: String) async throws {
    try await keyStore.deleteKey(tag: tag)
    if tag == "late" { deleted.fire() }
  }
  func keys() async throws -> [StoredKey] { try await keyStore.keys() }
}
