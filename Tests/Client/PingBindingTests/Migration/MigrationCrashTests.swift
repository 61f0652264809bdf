import CommonFixtures
import Concurrency
import Foundation
import PingStorage
import PrivateFiles
import Testing

@testable import PingBinding

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Migrations that end in the middle: by a kill, a full disk, or a storage that lies.
@Suite struct MigrationCrashTests {
  private let folder = TemporaryFolder()
  private var device: LegacyDevice { LegacyDevice(folder: folder.url) }

  /// A process migrates a random legacy store and is killed at a random moment; another one resumes.
  @Test(.timeLimit(.minutes(5)), arguments: 0..<20 as Range<UInt64>)
  func `a killed migration is resumed and every key is there exactly once`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let store = RandomStore(using: &random)
    try store.write(to: device)
    let path = folder.url.path
    let cleanup = Bool.random(using: &random)

    for _ in 0..<Int.random(in: 1...2, using: &random) {
      // Either at an operation of the run, or at any instruction after a random time.
      let operation = Int.random(in: 0..<30, using: &random)
      let spins = Bool.random(using: &random) ? Int.random(in: 0..<3_000_000, using: &random) : -1
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [
          path = path as String, operation = operation as Int, spins = spins as Int, cleanup = cleanup as Bool
        ] in
        let device = LegacyDevice(folder: URL(fileURLWithPath: path, isDirectory: true))
        let reaper = Reaper(after: spins < 0 ? operation : .max)
        if spins >= 0 { Reaper.spinThenKill(spins) }
        try? await BindingMigration.migrate(
          cleanupLegacyData: cleanup,
          storageConfig: UserKeyStorageConfig(
            storage: MortalStorage(storage: device.storage, reaper: reaper)),
          legacyStore: MortalLegacyStore(store: device.legacy, reaper: reaper))
        Reaper.kill()
      }
      // Whatever the moment, a key is in at least one of the two places.
      try await store.expectNothingLost(on: device)
    }

    do { try await device.migrate(cleanup: cleanup) } catch {
      // The killed process had finished; what is left, if anything, is not a key.
      #expect(
        isNoLegacyData(error) || isAlreadyMigrated(error) || isInvalid(error) && store.bad > 0, "\(error)")
    }
    try await store.expectMigrated(on: device, cleanup: cleanup)
    // And again: nothing is added.
    try? await device.migrate(cleanup: cleanup)
    try await store.expectMigrated(on: device, cleanup: cleanup)
  }

  /// The disk is full from the n-th write on, or for the n-th write alone; then there is room again.
  @Test(arguments: 0..<12, [true, false])
  func `a failing write is reported and nothing is lost`(number: Int, lasts: Bool) async throws {
    var random = SeededGenerator(seed: UInt64(number))
    let store = RandomStore(using: &random)
    try store.write(to: device)
    let disk = Disk(failingAt: number, lasts: lasts)
    do {
      try await BindingMigration.migrate(
        storageConfig: UserKeyStorageConfig(storage: FullStorage(storage: device.storage, disk: disk)),
        legacyStore: FullLegacyStore(store: device.legacy, disk: disk))
      #expect(!disk.hasFailed)
    } catch {
      #expect(disk.hasFailed)
      switch error as? MigrationError {
      case .failedToSaveKeys:
        #expect(try device.legacy.entries().count == store.entries.count, "nothing is deleted")
      case .failedToDeleteLegacyData:
        #expect(Set(try await device.keys.map(\.kid)) == store.kids, "the keys are migrated")
      default: Issue.record(error)
      }
    }
    try await store.expectNothingLost(on: device)
    try? await device.migrate()
    try await store.expectMigrated(on: device, cleanup: true)
  }

  @Test func `a storage that forgets what it saved costs nothing`() async throws {
    try device.add(mira, kid: "a")
    await #expect {
      try await BindingMigration.migrate(
        storageConfig: UserKeyStorageConfig(storage: ForgetfulStorage()), legacyStore: device.legacy)
    } throws: {
      if case MigrationError.failedToSaveKeys = $0 { true } else { false }
    }
    #expect(try device.legacy.entries().count == 1)
  }

  @Test func `an entry that changed while it was migrated is kept`() async throws {
    try device.add(mira, kid: "a")
    let legacy = device.legacy
    let name = try #require(try legacy.entries().first)
    let before = try #require(try legacy.read(name))
    try device.add(mira, kid: "b")
    try legacy.delete(name, content: before)
    #expect(try legacy.entries() == [name])
  }
}

/// A legacy store with random keys, and some entries that are none.
private struct RandomStore {
  let entries: [(id: String, content: Data)]
  let kids: Set<String>
  let bad: Int

  init(using random: inout SeededGenerator) {
    var entries: [(String, Data)] = []
    var kids: Set<String> = []
    var bad = 0
    let types = ["NONE", "APPLICATION_PIN", "BIOMETRIC_ONLY", "BIOMETRIC_ALLOW_FALLBACK"]
    for user in 0..<Int.random(in: 1...6, using: &random) {
      let kid = "kid \(user)"
      let content = try? LegacyDevice.entry(
        user: "id=\(user)", kid: kid, type: types.randomElement(using: &random) ?? "NONE",
        created: Double.random(in: 0...2e9, using: &random))
      entries.append((LegacyDevice.tag(of: "id=\(user)"), content ?? Data()))
      kids.insert(kid)
    }
    if Bool.random(using: &random) {
      entries.append(("bad", Data("{".utf8)))
      bad = 1
    }
    (self.entries, self.kids, self.bad) = (entries, kids, bad)
  }

  func write(to device: LegacyDevice) throws {
    for (id, content) in entries { try device.legacy.add(content, id: id) }
  }

  func expectNothingLost(on device: LegacyDevice) async throws {
    let migrated = try await device.keys.map(\.kid)
    #expect(Set(migrated).count == migrated.count)
    let legacy = try device.legacy.entries().compactMap { name in
      try device.legacy.read(name).flatMap { try? LegacyKey.userKey($0, now: Date()).kid }
    }
    #expect(Set(migrated).union(legacy) == kids)
  }

  func expectMigrated(on device: LegacyDevice, cleanup: Bool) async throws {
    #expect(try await device.keys.map(\.kid).sorted() == kids.sorted())
    #expect(try device.legacy.entries().count == (cleanup ? bad : entries.count))
  }
}

// MARK: A process that is killed

/// Kills the process before or after one of its operations.
private final class Reaper: Sendable {
  private let remaining: Locked<Int>

  init(after operations: Int) { remaining = Locked(operations) }

  static func kill() {
    raise(SIGKILL)
  }

  /// Kills the process from another thread, which counts to `spins` first: at whatever instruction the others are then.
  static func spinThenKill(_ spins: Int) {
    Thread.detachNewThread {
      var sum = 0
      for spin in 0..<spins { sum = sum &* 31 &+ spin }
      if sum != .min { kill() }
    }
  }

  private func step() {
    let isDue = remaining.withLock { remaining in
      remaining -= 1
      return remaining < 0
    }
    if isDue { Self.kill() }
  }

  func around<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    step()
    defer { step() }
    return try await body()
  }
}

private struct MortalStorage: UpdatableStorage {
  let storage: FileStorage<[UserKey]>
  let reaper: Reaper

  func save(item: [UserKey]) async throws { try await reaper.around { try await storage.save(item: item) } }
  func get() async throws -> [UserKey]? { try await reaper.around { try await storage.get() } }
  func delete() async throws { try await reaper.around { try await storage.delete() } }
  func update<Result: Sendable>(
    _ change: @Sendable (inout [UserKey]?) throws -> Result
  ) async throws -> Result {
    try await reaper.around { try await storage.update(change) }
  }
}

private struct MortalLegacyStore: LegacyStore {
  let store: FileLegacyStore
  let reaper: Reaper

  var name: String { store.name }
  func entries() async throws -> [String] { try await reaper.around { try store.entries() } }
  func read(_ name: String) async throws -> Data? { try store.read(name) }
  func delete(_ name: String, content: Data) async throws {
    try await reaper.around { try store.delete(name, content: content) }
  }
  func migrated() async throws -> Set<String> { try await store.migrated() }
  func noteMigrated(_ kids: Set<String>) async throws {
    try await reaper.around { try await store.noteMigrated(kids) }
  }
}

// MARK: A full disk

private final class Disk: Sendable {
  private let remaining: Locked<Int>
  private let failed = Locked(false)
  private let lasts: Bool

  init(failingAt number: Int, lasts: Bool) {
    remaining = Locked(number)
    self.lasts = lasts
  }

  var hasFailed: Bool { failed.withLock { $0 } }

  func write<Result>(_ body: () async throws -> Result) async throws -> Result {
    let left = remaining.withLock { remaining in
      remaining -= 1
      return remaining
    }
    guard lasts ? left < 0 : left == -1 else { return try await body() }
    failed.withLock { $0 = true }
    throw FileStorageError.unwritable(path: "/full", reason: "No space left on device")
  }
}

private struct FullStorage: UpdatableStorage {
  let storage: FileStorage<[UserKey]>
  let disk: Disk

  func save(item: [UserKey]) async throws { try await disk.write { try await storage.save(item: item) } }
  func get() async throws -> [UserKey]? { try await storage.get() }
  func delete() async throws { try await disk.write { try await storage.delete() } }
  func update<Result: Sendable>(
    _ change: @Sendable (inout [UserKey]?) throws -> Result
  ) async throws -> Result {
    try await disk.write { try await storage.update(change) }
  }
}

private struct FullLegacyStore: LegacyStore {
  let store: FileLegacyStore
  let disk: Disk

  var name: String { store.name }
  func entries() async throws -> [String] { try store.entries() }
  func read(_ name: String) async throws -> Data? { try store.read(name) }
  func delete(_ name: String, content: Data) async throws {
    try await disk.write { try store.delete(name, content: content) }
  }
  func migrated() async throws -> Set<String> { try await store.migrated() }
  func noteMigrated(_ kids: Set<String>) async throws {
    try await disk.write { try await store.noteMigrated(kids) }
  }
}

/// Says that it has saved, and has not.
private struct ForgetfulStorage: Storage {
  func save(item: [UserKey]) async throws {}
  func get() async throws -> [UserKey]? { nil }
  func delete() async throws {}
}
