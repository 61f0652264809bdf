import CommonFixtures
import Foundation
import PingBinding
import PingStorage
import PrivateFiles
import Testing

/// Entries that are not keys are left alone, and keep no other from being migrated.
@Suite struct MigrationBadInputTests {
  private let folder = TemporaryFolder()
  private var device: LegacyDevice { LegacyDevice(folder: folder.url) }

  static let bad: [(String, Data)] = [
    ("not JSON", Data("{\"id\": half".utf8)),
    ("empty", Data()),
    ("not UTF-8", Data([0xFF, 0xFE, 0x00])),
    ("another JSON value", Data("[1]".utf8)),
    ("nested beyond all limits", Data((String(repeating: "[", count: 5000)).utf8)),
    ("no id", without("id")), ("no userId", without("userId")), ("no kid", without("kid")),
    ("no authType", without("authType")),
    ("an empty id", with("id", "")),
    ("an id too long for a tag", with("id", String(repeating: "i", count: 257))),
    ("a numeric userId", with("userId", 7)), ("a null kid", with("kid", NSNull())),
    ("an unknown authType", with("authType", "RETINA")),
    ("a biometric state that is not valid Base64", with("biometricDomainState", "…")),
  ]

  private static func with(_ member: String, _ value: Any) -> Data {
    (try? LegacyDevice.entry(user: "id=bad", kid: "bad") { $0[member] = value }) ?? Data()
  }

  private static func without(_ member: String) -> Data {
    (try? LegacyDevice.entry(user: "id=bad", kid: "bad") { $0[member] = nil }) ?? Data()
  }

  @Test(arguments: bad)
  func `a bad entry is left alone and the others are migrated`(what: String, content: Data) async throws {
    try device.legacy.add(content, id: "bad")
    try device.add(mira, kid: "good")
    let logger = LineLogger()
    try await device.migrate(logger: logger)
    #expect(try await device.keys.map(\.kid) == ["good"])
    #expect(try device.legacy.entries() == ["bad.json"])
    #expect(try device.legacy.read("bad.json") == content)
    #expect(logger.lines.contains("[INFO] Successfully decoded 1 user keys from legacy storage (failed: 1)"))
    #expect(logger.lines.contains { $0.hasPrefix("[WARN] Failed to decode legacy entry") })
  }

  @Test(arguments: bad)
  func `only bad entries are invalid legacy data`(what: String, content: Data) async throws {
    try device.legacy.add(content, id: "bad")
    await #expect {
      try await device.migrate()
    } throws: {
      if case MigrationError.invalidLegacyData = $0 { true } else { false }
    }
    #expect(try device.legacy.read("bad.json") == content)
    #expect(
      await !BindingMigration.migrateIfNeeded(storageConfig: device.target, legacyStore: device.legacy))
  }

  @Test func `an entry without name or time is still a key`() async throws {
    try device.add("id=1", kid: "1") { $0["createdAt"] = nil }
    try device.add("id=2", kid: "2") { $0["createdAt"] = 1e300 }
    try device.add("id=3", kid: "3") { $0["userName"] = nil }
    try device.add("id=4", kid: "4") { $0["addedLater"] = ["x": 1] }
    let before = Date()
    try await device.migrate()
    let keys = try await device.keys
    #expect(Set(keys.map(\.kid)) == ["1", "2", "3", "4"])
    for kid in ["1", "2"] {
      let created = try #require(keys.first { $0.kid == kid }).createdAt
      #expect(created >= before.addingTimeInterval(-1) && created <= Date())
    }
    #expect(keys.first { $0.kid == "3" }?.username == "")
  }

  @Test func `of two entries with one key ID the first counts and the other is left alone`() async throws {
    let entry = try LegacyDevice.entry(user: mira, kid: "one")
    try device.legacy.add(entry, id: "a")
    try device.legacy.add(entry, id: "b")
    try device.legacy.add(try LegacyDevice.entry(user: "id=other", kid: "one"), id: "c")
    try await device.migrate()
    #expect(try await device.keys.map(\.userId) == [mira])
    #expect(try device.legacy.entries() == ["b.json", "c.json"])
  }

  @Test func `several keys of one user are all migrated`() async throws {
    try device.legacy.add(try LegacyDevice.entry(user: mira, kid: "1") { $0["id"] = "t1" }, id: "t1")
    try device.legacy.add(try LegacyDevice.entry(user: mira, kid: "2") { $0["id"] = "t2" }, id: "t2")
    try await device.migrate()
    #expect(Set(try await device.keys.map(\.kid)) == ["1", "2"])
  }

  @Test func `a key ID that is another's in the new storage is left alone`() async throws {
    let other = UserKey(keyTag: "t", userId: "id=other", username: "", kid: "one", authType: .none)
    try await device.storage.save(item: [other])
    try device.add(mira, kid: "one")
    try device.add("id=babs", kid: "two")
    try await device.migrate()
    #expect(Set(try await device.keys.map(\.userId)) == ["id=other", "id=babs"])
    #expect(try device.legacy.entries().count == 1)
  }

  @Test func `another app's entries are neither read nor touched`() async throws {
    let home = ClientHome(directory: folder.url)
    let ours = FileLegacyStore(accessGroup: "com.acme.wallet", home: home)
    let others = FileLegacyStore(accessGroup: "com.other.app", home: home)
    let ungrouped = FileLegacyStore(home: home)
    try others.add(try LegacyDevice.entry(user: "id=other", kid: "other"), id: "other")
    try ungrouped.add(try LegacyDevice.entry(user: "id=plain", kid: "plain"), id: "plain")
    let foreign = folder.url.appendingPathComponent(
      "com.forgerock.ios.devicebinding.keychainservice/notes.txt")
    try Data("not ours".utf8).write(to: foreign)
    try ours.add(try LegacyDevice.entry(user: mira, kid: "ours"), id: "ours")
    try await BindingMigration.migrate(storageConfig: device.target, legacyStore: ours)
    #expect(try await device.keys.map(\.kid) == ["ours"])
    #expect(try others.entries() == ["other.json"] && ungrouped.entries() == ["plain.json"])
    #expect(FileManager.default.fileExists(atPath: foreign.path))
  }

  @Test func `an entry that cannot be read is left for the next time`() async throws {
    try device.add(mira, kid: "good")
    let tooLong = Data(repeating: UInt8(ascii: " "), count: 65 << 10)
    try device.legacy.add(tooLong, id: "long")
    try await device.migrate()
    #expect(try await device.keys.map(\.kid) == ["good"])
    #expect(try device.legacy.entries() == ["long.json"])
    await #expect {
      try await device.migrate()
    } throws: {
      if case MigrationError.failedToReadLegacyKeys = $0 { true } else { false }
    }
  }

  @Test func `an unreadable new storage is not overwritten`() async throws {
    try device.add(mira, kid: "good")
    let file = folder.url.appendingPathComponent("userkeys")
    try Data("damaged".utf8).write(to: file)
    await #expect {
      try await device.migrate()
    } throws: {
      if case MigrationError.failedToSaveKeys = $0 { true } else { false }
    }
    #expect(try Data(contentsOf: file) == Data("damaged".utf8))
    #expect(try device.legacy.entries().count == 1)
  }

  @Test func `an unreadable legacy folder is reported as such`() async throws {
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    // A file where the folder should be.
    try Data().write(to: folder.url.appendingPathComponent("legacy"))
    await #expect {
      try await device.migrate()
    } throws: {
      if case MigrationError.failedToReadLegacyKeys = $0 { true } else { false }
    }
    #expect(await BindingMigration.isMigrationNeeded(legacyStore: device.legacy))
  }
}
