import Concurrency
import DeviceKeys
import Foundation
import PingBinding
import PingLogger
import PingStorage
import ProofFixtures
import Testing
import CommonFixtures

@Suite struct MigrationTests {
  private let folder = TemporaryFolder()
  private var device: LegacyDevice { LegacyDevice(folder: folder.url) }

  @Test func `every field is taken over`() async throws {
    try device.add(mira, kid: "9B2C", type: "BIOMETRIC_ONLY") {
      $0["biometricDomainState"] = Data([1, 2, 3]).base64EncodedString()
    }
    #expect(await BindingMigration.isMigrationNeeded(legacyStore: device.legacy))
    try await device.migrate()

    let key = try #require(try await device.keys.first)
    #expect(key.keyTag == LegacyDevice.tag(of: mira))
    #expect(key.userId == mira && key.username == "name of \(mira)" && key.kid == "9B2C")
    #expect(key.authType == .biometricOnly)
    #expect(abs(key.createdAt.timeIntervalSince1970 - 1763384307.7923698) < 0.001)
    #expect(key.biometricDomainState == Data([1, 2, 3]))
    #expect(try device.legacy.entries().isEmpty)
    #expect(try await device.legacy.migrated().isEmpty)
    #expect(await !BindingMigration.isMigrationNeeded(legacyStore: device.legacy))
  }

  @Test func `the guide's example entry is read`() async throws {
    let entry = """
      { "id": "key-identifier", "userId": "user-id", "userName": "username", "kid": "key-id",
        "authType": "BIOMETRIC_ONLY", "createdAt": 1763384307.7923698 }
      """
    try device.legacy.add(Data(entry.utf8), id: "key-identifier")
    try await device.migrate()
    #expect(try await device.keys.map(\.keyTag) == ["key-identifier"])
  }

  @Test func `migrated keys sign because the private keys stay under their legacy tags`() async throws {
    let keyStore = try device.keyStore()
    for (user, type) in [(mira, "NONE"), ("id=babs", "APPLICATION_PIN")] {
      _ = try await keyStore.createKey(
        tag: LegacyDevice.tag(of: user), protection: type == "NONE" ? .none : .applicationPIN,
        unlock: type == "NONE" ? .nothing : .pin(PIN("4711")))
      try device.add(user, kid: "kid of \(user)", type: type)
    }
    try await device.migrate()
    var client = BindingDevice()
    client.keyStore = keyStore
    client.storage = device.storage
    for user in [mira, "id=babs"] {
      let signed = await client.sign(signingCallback(user: user)) { $0.pinCollector = ScriptedPIN("4711") }
      let jws = try signed.token()
      #expect(jws.keyID == "kid of \(user)")
    }
    // A new binding takes the legacy key's place, private part and description.
    await client.bind(bindingCallback(user: mira))
    try await client.expectNothingLeftOver(count: 2)
  }

  @Test func `a bind or sign migrates to the storage that it uses`() async throws {
    let keyStore = try device.keyStore()
    _ = try await keyStore.createKey(
      tag: LegacyDevice.tag(of: mira), protection: .none, unlock: .nothing)
    try device.add(mira, kid: "legacy")
    // What the flows call, with the store of this test in place of the process's.
    #expect(
      await BindingMigration.migrateIfNeeded(storageConfig: device.target, legacyStore: device.legacy))
    #expect(
      await !BindingMigration.migrateIfNeeded(storageConfig: device.target, legacyStore: device.legacy))
    #expect(try await device.keys.map(\.kid) == ["legacy"])
  }

  @Test func `without legacy data there is nothing to do`() async throws {
    #expect(await !BindingMigration.isMigrationNeeded(legacyStore: device.legacy))
    await #expect { try await device.migrate() } throws: { isNoLegacyData($0) }
    #expect(
      await !BindingMigration.migrateIfNeeded(storageConfig: device.target, legacyStore: device.legacy))
    #expect(!FileManager.default.fileExists(atPath: folder.url.path), "looking leaves no trace")
  }

  @Test func `kept legacy data are migrated once also after the key was removed`() async throws {
    try device.add(mira, kid: "a")
    try await device.migrate(cleanup: false)
    #expect(try device.legacy.entries().count == 1)
    #expect(await !BindingMigration.isMigrationNeeded(legacyStore: device.legacy))
    for key in try await device.keys {
      try await BindingModule.deleteKey(key, userKeyStorage: device.target, keyStore: try device.keyStore())
    }
    await #expect { try await device.migrate(cleanup: false) } throws: { isAlreadyMigrated($0) }
    #expect(try await device.keys.isEmpty)

    // An app that went back to the earlier SDK and bound again has a new key to migrate.
    try device.add(mira, kid: "b")
    #expect(await BindingMigration.isMigrationNeeded(legacyStore: device.legacy))
    try await device.migrate()
    #expect(try await device.keys.map(\.kid) == ["b"])
  }

  @Test func `after a reset the same entries add nothing`() async throws {
    try device.add(mira, kid: "a")
    try await device.migrate(cleanup: false)
    await BindingMigration.resetMigrationState(legacyStore: device.legacy)
    #expect(await BindingMigration.isMigrationNeeded(legacyStore: device.legacy))
    try await device.migrate(cleanup: false)
    #expect(try await device.keys.map(\.kid) == ["a"])
  }

  @Test func `concurrent callers wait for the same run`() async throws {
    for user in 0..<5 { try device.add("id=\(user)", kid: "\(user)") }
    let store = StallingLegacyStore(store: device.legacy)
    let target = device.target
    let results = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 {
        group.addTask {
          await BindingMigration.migrateIfNeeded(storageConfig: target, legacyStore: store)
        }
      }
      await store.asked.wait()
      await Task.yield()
      store.goOn.fire()
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.contains(true))
    #expect(try await device.keys.count == 5)
    #expect(store.mostAtOnce == 1, "runs do not overlap")
  }

  @Test func `the log has the guide's lines and no personal data`() async throws {
    for user in ["id=mira,ou=user", "id=babs,ou=user", "id=olaf,ou=user"] {
      try device.add(user, kid: "kid-\(user.count)-\(user.hashValue)")
    }
    let logger = LineLogger()
    try await device.migrate(logger: logger)
    #expect(logger.lines.contains("[INFO] Found 3 legacy keychain entries"))
    #expect(logger.lines.contains { $0.hasPrefix("[DEBUG] Decoding legacy key from JSON: {\"id\":…") })
    #expect(logger.lines.contains { $0.hasPrefix("[INFO] Successfully decoded legacy key for user: ") })
    #expect(
      logger.lines.contains("[INFO] Successfully decoded 3 user keys from legacy storage (failed: 0)"))
    #expect(logger.lines.contains("[INFO] Successfully deleted all legacy keychain entries"))
    for name in ["mira", "babs", "olaf"] { #expect(!logger.lines.contains { $0.contains(name) }) }
  }

  @Test func `registering callbacks migrates where the app says`() async throws {
    try device.add(mira, kid: "legacy kid")
    let store = StallingLegacyStore(store: device.legacy)
    store.goOn.fire()
    BindingMigration.configureAutomatic(storageConfig: device.target, legacyStore: store)
    defer { BindingMigration.configureAutomatic() }
    BindingModule.registerCallbacks()
    await store.noted.wait()
    #expect(try await BindingModule.getAllKeys(userKeyStorage: device.target).map(\.kid) == ["legacy kid"])
  }
}

func isNoLegacyData(_ error: any Error) -> Bool {
  if case MigrationError.noLegacyDataFound = error { true } else { false }
}

func isInvalid(_ error: any Error) -> Bool {
  if case MigrationError.invalidLegacyData = error { true } else { false }
}

func isAlreadyMigrated(_ error: any Error) -> Bool {
  if case MigrationError.alreadyMigrated = error { true } else { false }
}

/// Waits before it lists the entries, and counts how many ask at once.
private final class StallingLegacyStore: LegacyStore, Sendable {
  let store: FileLegacyStore
  let asked = Signal()
  let goOn = Signal()
  /// The keys are where the app wants them.
  let noted = Signal()
  private let counts = Locked<(now: Int, most: Int)>((0, 0))

  init(store: FileLegacyStore) { self.store = store }

  var mostAtOnce: Int { counts.withLock { $0.most } }
  var name: String { store.name }

  func entries() async throws -> [String] {
    counts.withLock { counts in
      counts.now += 1
      counts.most = max(counts.most, counts.now)
    }
    defer { counts.withLock { $0.now -= 1 } }
    asked.fire()
    await goOn.wait()
    return try store.entries()
  }

  func read(_ name: String) throws -> Data? { try store.read(name) }
  func delete(_ name: String, content: Data) throws { try store.delete(name, content: content) }
  func migrated() async throws -> Set<String> { try await store.migrated() }
  func noteMigrated(_ kids: Set<String>) async throws {
    try await store.noteMigrated(kids)
    noted.fire()
  }
}
