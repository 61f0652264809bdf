import CommonFixtures
import DeviceKeys
import Foundation
import Testing

/// Wrong PINs delay the next try, over restarts and for all processes together, and ten of them disable the key.
@Suite struct PINAttemptsTests {
  let folder = TemporaryFolder()
  let time = ManualDate()

  var file: URL { folder.url.appendingPathComponent("k.key.tries") }

  /// - Parameter patience: By default a try goes ahead beside one that stands still, as after ten seconds.
  func attempts(_ policy: PINAttemptPolicy = .standard, patience: Int = 1) throws -> PINAttempts {
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    return PINAttempts(file: file, policy: policy, patience: patience, clock: { [time] in time.now })
  }

  func failures() throws -> Int? {
    guard let data = FileManager.default.contents(atPath: file.path) else { return nil }
    return (try JSONSerialization.jsonObject(with: data) as? [String: Any])?["failures"] as? Int
  }

  func fail(_ attempts: PINAttempts) async -> DeviceKeyError? {
    await #expect(throws: DeviceKeyError.self) {
      try await attempts.evaluate(tag: "k") { throw DeviceKeyError.wrongPIN(tag: "k") }
    }
  }

  /// Fails `count` times, each after the delay of the one before.
  func fail(times count: Int) async throws {
    for _ in 0..<count {
      _ = await fail(try attempts())
      time.advance(by: 3600)
    }
  }

  static let schedule: [(Int, TimeInterval)] = [
    (0, 0), (1, 0), (2, 0), (3, 0), (4, 15), (5, 30), (6, 60), (7, 120), (8, 300), (9, 900),
  ]

  @Test(arguments: schedule)
  func `the delay grows with the number of failures`(failures: Int, delay: TimeInterval) {
    let policy = PINAttemptPolicy.standard
    let last = time.now
    let record = PINAttemptRecord(failures: failures, lastFailure: last)
    if delay > 0 {
      #expect(policy.decision(after: record, now: last) == .wait(delay))
      #expect(policy.decision(after: record, now: last + (delay - 1)) == .wait(1))
      #expect(policy.decision(after: record, now: last - 1000) == .wait(delay))
    }
    #expect(policy.decision(after: record, now: last + delay) == .allowed)
  }

  @Test func `the tenth failure disables`() {
    let policy = PINAttemptPolicy.standard
    let now = time.now
    #expect(
      policy.decision(after: PINAttemptRecord(failures: 10, lastFailure: now, isDisabled: true), now: now)
        == .disabled)
    // Counted, and its outcome may still come.
    let pending = PINAttemptRecord(failures: 10, lastFailure: now)
    #expect(policy.decision(after: pending, now: now + 1) == .wait(59))
    #expect(policy.decision(after: pending, now: now + 60) == .disabled)
    #expect(policy.decision(after: nil, now: now) == .allowed)
  }

  @Test func `a policy is never laxer than ten failures`() {
    #expect(PINAttemptPolicy(failuresUntilDisabled: 100).failuresUntilDisabled == 10)
    #expect(PINAttemptPolicy(failuresUntilDisabled: 0).failuresUntilDisabled == 1)
    #expect(PINAttemptPolicy(delays: [-1, .nan, .infinity]).delays == [0, 0, 86400])
    let now = time.now
    let flat = PINAttemptPolicy(delays: [5])
    #expect(flat.decision(after: PINAttemptRecord(failures: 9, lastFailure: now), now: now) == .wait(5))
    let none = PINAttemptPolicy(delays: [])
    #expect(none.decision(after: PINAttemptRecord(failures: 9, lastFailure: now), now: now) == .allowed)
  }

  @Test func `a try is on disk before it is evaluated`() async throws {
    let attempts = try attempts()
    let counted = try await attempts.evaluate(tag: "k") { try failures() }
    #expect(counted == 1)
    #expect(try failures() == nil)
    #expect(try mode(of: folder.url.appendingPathComponent(".keys.lock")) == 0o600)
  }

  @Test func `a process that is killed while it tries has used up the try`() async throws {
    let (evaluating, started) = AsyncStream.makeStream(of: Void.self)
    let gate = AsyncStream.makeStream(of: Void.self)
    let attempts = try attempts()
    let killed = Task {
      try await attempts.evaluate(tag: "k") {
        started.finish()
        for await _ in gate.stream {}
      }
    }
    for await _ in evaluating {}
    // What a process finds that starts after the kill.
    let left = try Data(contentsOf: file)
    gate.continuation.finish()
    try await killed.value
    try left.write(to: file)
    _ = await fail(try self.attempts())
    #expect(try failures() == 2)
  }

  @Test func `the delay refuses the right PIN tells the seconds and ends`() async throws {
    for _ in 0..<4 { #expect(await fail(try attempts()) == .wrongPIN(tag: "k")) }
    time.advance(by: 5.5)
    var evaluated = false
    await #expect(throws: DeviceKeyError.lockedOut(tag: "k", retryAfter: 9.5)) {
      try await attempts().evaluate(tag: "k") { evaluated = true }
    }
    #expect(!evaluated)
    #expect(try failures() == 4)
    time.advance(by: 9.5)
    #expect(try await attempts().evaluate(tag: "k") { "open" } == "open")
    #expect(try failures() == nil)
  }

  @Test func `ten wrong PINs disable for good`() async throws {
    try await fail(times: 9)
    #expect(await fail(try attempts()) == .disabled(tag: "k"))
    for _ in 0..<2 {
      await #expect(throws: DeviceKeyError.disabled(tag: "k")) {
        try await attempts().evaluate(tag: "k") { Issue.record("tried") }
      }
      time.advance(by: 365 * 86400)
    }
  }

  @Test func `the tenth try may be right`() async throws {
    try await fail(times: 9)
    try await attempts().evaluate(tag: "k") {}
    #expect(try failures() == nil)
  }

  @Test func `a tenth try that never ended disables after a minute`() async throws {
    try await fail(times: 9)
    try await attempts().evaluate(tag: "k") {
      await #expect(throws: DeviceKeyError.lockedOut(tag: "k", retryAfter: 60)) {
        try await attempts().evaluate(tag: "k") {}
      }
      time.advance(by: 60)
      await #expect(throws: DeviceKeyError.disabled(tag: "k")) { try await attempts().evaluate(tag: "k") {} }
    }
  }

  @Test func `success after disabling does not revive`() async throws {
    await #expect(throws: DeviceKeyError.disabled(tag: "k")) {
      try await attempts().evaluate(tag: "k") { try await fail(times: 9) }
    }
    await #expect(throws: DeviceKeyError.disabled(tag: "k")) { try await attempts().evaluate(tag: "k") {} }
  }

  @Test func `giving back after disabling does not revive`() async throws {
    await #expect(throws: CancellationError.self) {
      try await attempts().evaluate(tag: "k") {
        try await fail(times: 9)
        throw CancellationError()
      }
    }
    await #expect(throws: DeviceKeyError.disabled(tag: "k")) { try await attempts().evaluate(tag: "k") {} }
  }

  @Test(arguments: [
    DeviceKeyError.busy("all sessions are in use"), .unreadable(path: "/x", reason: "y"),
    .lost(tag: "k", reason: "the chip was cleared"),
  ])
  func `what says nothing about the PIN is given back`(error: DeviceKeyError) async throws {
    try await fail(times: 4)
    let before = try Data(contentsOf: file)
    for _ in 0..<20 {
      await #expect(throws: error) { try await attempts().evaluate(tag: "k") { throw error } }
    }
    #expect(try Data(contentsOf: file) == before)
  }

  @Test func `giving back keeps what others counted meanwhile`() async throws {
    await #expect(throws: DeviceKeyError.busy("x")) {
      try await attempts().evaluate(tag: "k") {
        _ = await fail(try attempts())
        throw DeviceKeyError.busy("x")
      }
    }
    #expect(try failures() == 1)
  }

  @Test func `a cancelled task tries nothing`() async throws {
    let attempts = try attempts()
    let gate = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      for await _ in gate.stream {}
      _ = try await attempts.evaluate(tag: "k") { Issue.record("tried") }
    }
    task.cancel()
    gate.continuation.finish()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try failures() == nil)
  }

  @Test func `right PINs at the same time do not lock one another out`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<12 {
        group.addTask {
          let counted = try await attempts(patience: 1000).evaluate(tag: "k") {
            for _ in 0..<20 { await Task.yield() }
            return try failures()
          }
          // Those that wait are not counted yet.
          #expect(counted == 1)
        }
      }
      try await group.waitForAll()
    }
    #expect(try failures() == nil)
  }

  @Test(arguments: [1, 1000])
  func `tries at the same time are all counted`(patience: Int) async throws {
    let evaluated = TestCounter()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<30 {
        group.addTask {
          do {
            _ = try await attempts(patience: patience).evaluate(tag: "k") {
              evaluated.increment()
              throw DeviceKeyError.wrongPIN(tag: "k")
            }
          } catch {}
        }
      }
    }
    // The fourth failure has a delay.
    #expect(evaluated.value == 4)
    #expect(try failures() == 4)
  }

  @Test(arguments: [1, 1000])
  func `no more than ten are evaluated however many try at once`(patience: Int) async throws {
    let evaluated = TestCounter()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<30 {
        group.addTask {
          do {
            _ = try await attempts(PINAttemptPolicy(delays: []), patience: patience).evaluate(tag: "k") {
              evaluated.increment()
              throw DeviceKeyError.wrongPIN(tag: "k")
            }
          } catch {}
        }
      }
    }
    #expect(evaluated.value == 10)
    #expect(await fail(try attempts()) == .disabled(tag: "k"))
  }

  @Test func `a clock that is set back frees nobody and locks nobody for ever`() async throws {
    for _ in 0..<4 { _ = await fail(try attempts()) }
    time.advance(by: -1_000_000)
    #expect(await fail(try attempts()) == .lockedOut(tag: "k", retryAfter: 15))
    time.advance(by: 14)
    #expect(await fail(try attempts()) == .lockedOut(tag: "k", retryAfter: 1))
    time.advance(by: 1)
    try await attempts().evaluate(tag: "k") {}
  }

  @Test(arguments: [
    "", "{}", "0", "{\"version\":1,\"failures\":-1,\"lastFailure\":0,\"disabled\":false}",
    "{\"version\":2,\"failures\":1,\"lastFailure\":0,\"disabled\":false}",
    "{\"version\":1,\"failures\":0,\"lastFailure\":0,\"disabled\":false}",
    "{\"version\":1,\"failures\":1,\"lastFailure\":0}", String(repeating: " ", count: 513),
  ])
  func `a damaged count is reported and nothing is tried`(content: String) async throws {
    let attempts = try attempts()
    try Data(content.utf8).write(to: file)
    let error = await #expect(throws: DeviceKeyError.self) {
      try await attempts.evaluate(tag: "k") { Issue.record("tried") }
    }
    guard case .unreadable(file.path, _) = error else { Issue.record("\(String(describing: error))"); return }
    #expect(try Data(contentsOf: file) == Data(content.utf8))
  }

  @Test func `in memory it is the same`() async throws {
    let attempts = PINAttempts(policy: .standard, clock: { [time] in time.now })
    for _ in 0..<4 { #expect(await fail(attempts) == .wrongPIN(tag: "k")) }
    #expect(await fail(attempts) == .lockedOut(tag: "k", retryAfter: 15))
    time.advance(by: 15)
    try await attempts.evaluate(tag: "k") {}
    for _ in 0..<4 { #expect(await fail(attempts) == .wrongPIN(tag: "k")) }
  }

  @Test func `in memory, right PINs at the same time keep no other waiting`() async throws {
    let (store, pin) = (MemoryKeyStore(clock: { [time] in time.now }), KeyUnlock.pin(PIN("4711")))
    _ = try await store.createKey(tag: "k", protection: .applicationPIN, unlock: pin)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<200 { group.addTask { _ = try await store.openKey(tag: "k", unlock: pin) } }
      try await group.waitForAll()
    }
    #expect(try await store.pinTries(tag: "k")?.wrong == 0)
  }
}

/// Both stores count, and for the software store so does every other process.
@Suite struct StoresCountWrongPINsTests {
  enum Kind: CaseIterable {
    case software, memory
  }

  let folder = TemporaryFolder()
  let time = ManualDate()
  let right = KeyUnlock.pin(PIN("4711"))
  let wrong = KeyUnlock.pin(PIN("4712"))

  func softwareStore() throws -> SoftwareKeyStore {
    try SoftwareKeyStore(directory: folder.url, scrypt: ScryptCost(rounds: 16), clock: { [time] in time.now })
  }

  func store(_ kind: Kind) throws -> any DeviceKeyStore {
    switch kind {
    case .software: try softwareStore()
    case .memory: MemoryKeyStore(clock: { [time] in time.now })
    }
  }

  func fail(_ store: any DeviceKeyStore, _ tag: String = "k") async -> DeviceKeyError? {
    await #expect(throws: DeviceKeyError.self) { try await store.openKey(tag: tag, unlock: wrong) }
  }

  @Test(arguments: Kind.allCases)
  func `the delay holds for one key only and the right PIN ends it`(kind: Kind) async throws {
    let store = try store(kind)
    for tag in ["k", "other"] {
      _ = try await store.createKey(tag: tag, protection: .applicationPIN, unlock: right)
    }
    for _ in 0..<4 { #expect(await fail(store) == .wrongPIN(tag: "k")) }
    await #expect(throws: DeviceKeyError.lockedOut(tag: "k", retryAfter: 15)) {
      try await store.openKey(tag: "k", unlock: right)
    }
    _ = try await store.openKey(tag: "other", unlock: right)
    time.advance(by: 15)
    _ = try await store.openKey(tag: "k", unlock: right)
    #expect(await fail(store) == .wrongPIN(tag: "k"))
    #expect(await fail(store) == .wrongPIN(tag: "k"))
  }

  @Test(arguments: Kind.allCases)
  func `ten failures disable the key until it is deleted`(kind: Kind) async throws {
    let store = try store(kind)
    _ = try await store.createKey(tag: "k", protection: .applicationPIN, unlock: right)
    for _ in 0..<9 {
      #expect(await fail(store) == .wrongPIN(tag: "k"))
      time.advance(by: 3600)
    }
    #expect(await fail(store) == .disabled(tag: "k"))
    time.advance(by: 86400)
    await #expect(throws: DeviceKeyError.disabled(tag: "k")) {
      try await store.openKey(tag: "k", unlock: right)
    }
    #expect(try await store.keys().map(\.tag) == ["k"])

    try await store.deleteKey(tag: "k")
    _ = try await store.createKey(tag: "k", protection: .applicationPIN, unlock: right)
    _ = try await store.openKey(tag: "k", unlock: right)
  }

  @Test func `another process goes on counting`() async throws {
    _ = try await softwareStore().createKey(tag: "k", protection: .applicationPIN, unlock: right)
    for _ in 0..<4 { #expect(await fail(try softwareStore()) == .wrongPIN(tag: "k")) }
    #expect(await fail(try softwareStore()) == .lockedOut(tag: "k", retryAfter: 15))
    #expect(try await softwareStore().keys().count == 1)
  }

  @Test func `several programs open one key at the same time`() async throws {
    _ = try await softwareStore().createKey(tag: "k", protection: .applicationPIN, unlock: right)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<12 {
        group.addTask { _ = try await softwareStore().openKey(tag: "k", unlock: right) }
      }
      try await group.waitForAll()
    }
    #expect(try await softwareStore().pinTries(tag: "k")?.wrong == 0)
  }

  @Test func `a damaged key file costs no tries`() async throws {
    _ = try await softwareStore().createKey(tag: "k", protection: .applicationPIN, unlock: right)
    let file = try #require(try folder.keyFiles().first)
    let sound = try Data(contentsOf: file)
    try Data("{}".utf8).write(to: file)
    for _ in 0..<12 { _ = await fail(try softwareStore()) }
    try sound.write(to: file)
    _ = try await softwareStore().openKey(tag: "k", unlock: right)
  }

  @Test func `deleting a key leaves no count`() async throws {
    let store = try softwareStore()
    _ = try await store.createKey(tag: "k", protection: .applicationPIN, unlock: right)
    _ = await fail(store)
    #expect(try folder.names().contains { $0.hasSuffix(".key.tries") })
    try await store.deleteKey(tag: "k")
    #expect(try folder.names() == [".keys.lock", "device.secret"])
  }

  @Test func `a count that a crashed deletion left is cleaned up`() async throws {
    let store = try softwareStore()
    for tag in ["gone", "kept"] {
      _ = try await store.createKey(tag: tag, protection: .applicationPIN, unlock: right)
    }
    let kept = try folder.keyFiles()
    _ = await fail(store, "kept")
    for _ in 0..<4 { _ = await fail(store, "gone") }
    let counts = Set(try folder.names().filter { $0.hasSuffix(".tries") })
    #expect(counts.count == 2)
    try await store.deleteKey(tag: "gone")
    let left = Set(try folder.keyFiles())
    let gone = try #require(kept.first { !left.contains($0) }).lastPathComponent
    for ending in [".tries", ".tries.lock"] {
      try Data("anything".utf8).write(to: folder.url.appendingPathComponent(gone + ending))
    }

    _ = try await store.createKey(tag: "gone", protection: .applicationPIN, unlock: right)
    #expect(try folder.names().filter { $0.contains(".tries") }.count == 2)
    _ = try await store.openKey(tag: "gone", unlock: right)
  }
}
