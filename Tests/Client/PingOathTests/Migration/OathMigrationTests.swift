import CommonFixtures
import Foundation
import PrivateFiles
import Testing

@testable import PingOath

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One-time codes of the earlier SDK's authenticator (issue: they were lost when an app changed over).
@Suite struct OathMigrationTests {
  @Test func `an account moves with all that it has, and its entry goes after that`() async throws {
    try await withHome { home in
      let legacy = LegacyCodes(home: home)
      try legacy.add("ada")
      let storage = OathKeychainStorage(home: home)
      try await OathMigration.migrate(from: legacy.source, to: storage)
      let credential = try #require(try await storage.retrieveOathCredential(credentialId: "uid-ada"))
      #expect(credential.issuer == "Acme" && credential.accountName == "ada")
      #expect(credential.displayIssuer == "My Acme" && credential.displayAccountName == "me")
      #expect(credential.oathType == .totp && credential.oathAlgorithm == .sha256)
      #expect(
        credential.digits == 8 && credential.period == 60 && credential.secretKey.base32 == LegacyCodes.secret
      )
      #expect(credential.userId == "user-ada" && credential.resourceId == "device-ada")
      #expect(
        credential.imageURL == "https://acme.example/logo.png" && credential.backgroundColor == "#032b75")
      #expect(credential.policies == #"{"deviceTampering":{"score":0.8}}"# && !credential.isLocked)
      #expect(abs(credential.createdAt.timeIntervalSince1970 - 1_700_000_000.5) < 0.01)
      #expect(try legacy.mechanisms.entries().isEmpty)
      // The account has no secret, and may belong to a push mechanism, too.
      #expect(try legacy.accounts.entries() == ["Acme-ada.json"])
      let same = try await OathCredential.fromUri(
        "otpauth://totp/Acme:ada?secret=\(LegacyCodes.secret)&algorithm=SHA256&digits=8&period=60")
      #expect(try credential.password() == same.password())
    }
  }

  @Test(arguments: ["totp", "TOTP", "hotp", "HOTP"])
  func `the types of archives and of JSON`(type: String) async throws {
    try await withHome { home in
      let legacy = LegacyCodes(home: home)
      try legacy.add("ada", ["type": "otpauth", "oathType": type, "counter": 3])
      try legacy.add("bob", ["type": type, "oathType": gone, "counter": 3])
      let storage = MemoryOathStorage()
      try await OathMigration.migrate(from: legacy.source, to: storage)
      let moved = await storage.getAllOathCredentials()
      #expect(moved.count == 2 && moved.allSatisfy { $0.type == type.lowercased() })
      #expect(moved.allSatisfy { $0.counter == (type.lowercased() == "hotp" ? 3 : 0) })
    }
  }

  @Test(arguments: [true, false]) func `running twice adds nothing`(cleanup: Bool) async throws {
    try await withHome { home in
      let legacy = LegacyCodes(home: home)
      try legacy.add("ada")
      try legacy.addCounter("bob", 5)
      var source = legacy.source
      source.cleanupLegacyData = cleanup
      let storage = MemoryOathStorage()
      try await OathMigration.migrate(from: source, to: storage)
      let expected = cleanup ? "noLegacyDataFound" : "alreadyMigrated"
      for _ in 0..<2 {
        let error = await #expect(throws: LegacyMigrationError.self) {
          try await OathMigration.migrate(from: source, to: storage)
        }
        #expect(name(of: error) == expected)
      }
      #expect(await storage.getAllOathCredentials().count == 2)
      #expect(try legacy.mechanisms.entries().count == (cleanup ? 0 : 2))
      // Removed by the person: it does not come back from an entry that was kept.
      _ = await storage.removeOathCredential(credentialId: "uid-ada")
      try? await OathMigration.migrate(from: source, to: storage)
      #expect(await storage.getAllOathCredentials().map(\.id) == ["uid-bob"])
    }
  }

  @Test func `a run that ended before it was noted goes on, and a counter is never set back`() async throws {
    try await withHome { home in
      let legacy = LegacyCodes(home: home)
      try legacy.addCounter("bob", 5)
      let storage = OathKeychainStorage(home: home)
      var source = legacy.source
      source.cleanupLegacyData = false
      try await OathMigration.migrate(from: source, to: storage)
      let client = try await makeClient(storage)
      for _ in 0..<3 { _ = try await client.generateCode("uid-bob") }
      var shown = try #require(try await client.getCredential("uid-bob"))
      shown.displayIssuer = "Renamed"
      try await client.saveCredential(shown)

      // As if the process had died before the note: the entry still says 5.
      try await legacy.source(for: home).noteMigrated([])
      try await OathMigration.migrate(from: source, to: storage)
      let kept = try #require(try await storage.retrieveOathCredential(credentialId: "uid-bob"))
      #expect(kept.counter == 8 && kept.displayIssuer == "Renamed")

      // The earlier SDK has used some since: those are not used again either, noted or not.
      try legacy.addCounter("bob", 20)
      try await OathMigration.migrate(from: legacy.source, to: storage)
      #expect(try await storage.retrieveOathCredential(credentialId: "uid-bob")?.counter == 20)
      #expect(try legacy.mechanisms.entries().isEmpty)
      #expect(try await storage.getAllOathCredentials().count == 1)
    }
  }

  @Test func `what an account has already is not overwritten, and the entry stays`() async throws {
    try await withHome { home in
      let legacy = LegacyCodes(home: home)
      try legacy.add("ada")
      try legacy.add("bob", ["mechanismUID": "uid-new"])
      let storage = MemoryOathStorage()
      let other = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
      // The same id with another secret, and the same account with another id.
      await storage.storeNow(
        OathCredential(
          id: "uid-ada", issuer: "Acme", accountName: "ada", oathType: .totp, oathAlgorithm: .sha256,
          digits: 8, period: 60, secretKey: other))
      await storage.storeNow(
        OathCredential(
          id: "uid-mine", issuer: "Acme", accountName: "bob", oathType: .totp, secretKey: other))
      let logger = LineLogger()
      try await OathMigration.migrate(from: legacy.source, to: storage, logger: logger)
      let stored = await storage.getAllOathCredentials()
      #expect(
        Set(stored.map(\.id)) == ["uid-ada", "uid-mine"] && stored.allSatisfy { $0.secretKey.base32 == other }
      )
      #expect(try legacy.mechanisms.entries().count == 2)
      #expect(logger.lines.filter { $0.contains("left alone") }.count >= 2)
    }
  }

  @Test func `a locked account stays locked`() async throws {
    try await withHome { home in
      let legacy = LegacyCodes(home: home)
      try legacy.add("ada", account: ["lock": true, "lockingPolicy": "deviceTampering"])
      let storage = MemoryOathStorage()
      try await OathMigration.migrate(from: legacy.source, to: storage)
      let credential = try #require(await storage.getAllOathCredentials().first)
      #expect(credential.isLocked && credential.lockingPolicy == "deviceTampering")
    }
  }

  /// Written by Python's `plistlib`, as `NSKeyedArchiver` lays an object out.
  private static let archive =
    "YnBsaXN0MDDUAQIDBAUGBwpYJHZlcnNpb25ZJGFyY2hpdmVyVCR0b3BYJG9iamVjdHMSAAGGoF8QD05TS2V5ZWRBcm"
    + "NoaXZlctEICVRyb290gAGpCwwjJCUmJy8wVSRudWxs2w0ODxAREhMUFRYXGBkaGxwdHh8gISJWJGNsYXNzXW1lY2hh"
    + "bmlzbVVVSURUdHlwZVZpc3N1ZXJbYWNjb3VudE5hbWVWc2VjcmV0WWFsZ29yaXRobVZkaWdpdHNXY291bnRlcld2ZX"
    + "JzaW9uWXRpbWVBZGRlZIAGgAKAA4AEgAWAB4AIEAYRASwQASNB2VT8QCAAAFd1aWQtYWRhVGhvdHBUQWNtZVNhZGHS"
    + "KCkqK1okY2xhc3NuYW1lWCRjbGFzc2VzXxAdRlJBdXRoZW50aWNhdG9yLkhPVFBNZWNoYW5pc22kKiwtLl8QHUZSQX"
    + "V0aGVudGljYXRvci5PYXRoTWVjaGFuaXNtXxAZRlJBdXRoZW50aWNhdG9yLk1lY2hhbmlzbVhOU09iamVjdF8QIEpC"
    + "U1dZM0RQRUhQSzNQWFBKQlNXWTNEUEVIUEszUFhQVHNoYTEACAARABoAJAApADIANwBJAEwAUQBTAF0AYwB6AIEAjw"
    + "CUAJsApwCuALgAvwDHAM8A2QDbAN0A3wDhAOMA5QDnAOkA7ADuAPcA/wEEAQkBDQESAR0BJgFGAUsBawGHAZABswAA"
    + "AAAAAAIBAAAAAAAAADEAAAAAAAAAAAAAAAAAAAG4"

  static let bad: [(String, Change)] = [
    ("no id", ["mechanismUID": gone]), ("an empty id", ["mechanismUID": ""]),
    ("an id with a line break", ["mechanismUID": "a\nb"]),
    ("a long id", ["mechanismUID": String(repeating: "i", count: 257)]),
    ("no secret", ["secret": gone]), ("a short secret", ["secret": "JBSWY3DP"]),
    ("a secret that is not Base32", ["secret": "!!!"]), ("no account name", ["accountName": ""]),
    ("another account", ["accountName": "eve"]), ("another issuer", ["issuer": "Bank"]),
    ("no type", ["type": gone]), ("an unknown type", ["type": "webauthn"]),
    ("no OATH type", ["oathType": gone]), ("an unknown OATH type", ["oathType": "MOTP"]),
    ("no digits", ["digits": gone]), ("three digits", ["digits": 3]), ("digits as text", ["digits": "8"]),
    ("no period", ["period": gone]), ("a period of zero", ["period": 0]), ("half a period", ["period": 0.5]),
    ("no algorithm", ["algorithm": gone]), ("an unknown algorithm", ["algorithm": "md5"]),
    ("a counter without its value", ["oathType": "HOTP"]),
    ("a negative counter", ["oathType": "HOTP", "counter": -1]),
    ("a newer version", ["version": 2]), ("a version that is not a number", ["version": "1"]),
  ]

  @Test(arguments: bad.indices)
  func `an entry that is half there, newer or not ours is left alone, and the others move`(index: Int)
    async throws
  {
    let (what, change) = Self.bad[index]
    try await withHome { home in
      let legacy = LegacyCodes(home: home)
      try legacy.add("good")
      try legacy.add("bad", change)
      let before = try legacy.mechanisms.read("Acme-bad-otpauth.json")
      let storage = MemoryOathStorage()
      let logger = LineLogger()
      try await OathMigration.migrate(from: legacy.source, to: storage, logger: logger)
      #expect(await storage.getAllOathCredentials().map(\.id) == ["uid-good"], "\(what)")
      #expect(try legacy.mechanisms.entries() == ["Acme-bad-otpauth.json"])
      #expect(try legacy.mechanisms.read("Acme-bad-otpauth.json") == before)
      #expect(
        logger.lines.contains("Successfully decoded 1 one-time codes from legacy storage (failed: 1)"))
      let error = await #expect(throws: LegacyMigrationError.self) {
        try await OathMigration.migrate(from: legacy.source, to: storage)
      }
      #expect(name(of: error) == "invalidLegacyData", "\(what)")
    }
  }

  @Test func `an archive, as the earlier SDK's Keychain has it, moves like JSON`() async throws {
    try await withHome { home in
      let legacy = LegacyCodes(home: home)
      try legacy.accounts.add(LegacyCodes.account("ada"), id: "Acme-ada")
      try legacy.mechanisms.add(#require(Data(base64Encoded: Self.archive)), id: "Acme-ada-hotp")
      let storage = MemoryOathStorage()
      try await OathMigration.migrate(from: legacy.source, to: storage)
      let moved = try #require(await storage.getAllOathCredentials().first)
      #expect(moved.id == "uid-ada" && moved.oathType == .hotp && moved.counter == 300 && moved.digits == 6)
      #expect(moved.secretKey.base32 == LegacyCodes.secret)
    }
  }

  @Test(arguments: ["", "{\"id\": half", "[1]", "bplist00\u{1}", String(repeating: "[", count: 5000)])
  func `what is not an entry is left alone`(content: String) async throws {
    try await withHome { home in
      let legacy = LegacyCodes(home: home)
      try legacy.add("good")
      try legacy.mechanisms.add(Data(content.utf8), id: "bad")
      let storage = MemoryOathStorage()
      try await OathMigration.migrate(from: legacy.source, to: storage)
      #expect(await storage.getAllOathCredentials().map(\.id) == ["uid-good"])
      #expect(try legacy.mechanisms.read("bad.json") == Data(content.utf8))
    }
  }

  @Test(
    arguments: [
      ["policies": 7], ["policies": String(repeating: "a", count: 9000)], ["lock": "no"], ["version": 9],
      ["accountName": gone], ["displayIssuer": 1],
    ] as [Change])
  func `without its account's policies a mechanism does not move`(change: Change) async throws {
    try await withHome { home in
      let legacy = LegacyCodes(home: home)
      try legacy.add("ada", account: change)
      let storage = MemoryOathStorage()
      await #expect(throws: LegacyMigrationError.self) {
        try await OathMigration.migrate(from: legacy.source, to: storage)
      }
      #expect(await storage.getAllOathCredentials().isEmpty)
      #expect(try legacy.mechanisms.entries().count == 1)
    }
  }

  @Test func `of two accounts with one name and different policies neither is guessed`() async throws {
    try await withHome { home in
      let legacy = LegacyCodes(home: home)
      try legacy.add("ada")
      try legacy.accounts.add(LegacyCodes.account("ada", ["policies": gone]), id: "copy")
      let storage = MemoryOathStorage()
      await #expect(throws: LegacyMigrationError.self) {
        try await OathMigration.migrate(from: legacy.source, to: storage)
      }
      #expect(await storage.getAllOathCredentials().isEmpty)
    }
  }

  @Test func `push mechanisms and other groups are for others, and are not counted`() async throws {
    try await withHome { home in
      let legacy = LegacyCodes(home: home)
      try legacy.add("ada", ["type": "pushauth"])
      let storage = MemoryOathStorage()
      let error = await #expect(throws: LegacyMigrationError.self) {
        try await OathMigration.migrate(from: legacy.source, to: storage)
      }
      #expect(name(of: error) == "noLegacyDataFound")
      try legacy.add("bob")
      try? await OathMigration.migrate(from: LegacyAuthenticator(home: home, accessGroup: "g"), to: storage)
      #expect(await storage.getAllOathCredentials().isEmpty)
      #expect(try legacy.mechanisms.entries().count == 2)
    }
  }

  @Test(arguments: [true, false])
  func `a storage that fails or forgets costs nothing`(fails: Bool) async throws {
    try await withHome { home in
      let legacy = LegacyCodes(home: home)
      try legacy.add("ada")
      let storage = MemoryOathStorage()
      if fails { await storage.fail() } else { await storage.forget() }
      let error = await #expect(throws: LegacyMigrationError.self) {
        try await OathMigration.migrate(from: legacy.source, to: storage)
      }
      #expect(name(of: error) == "failedToSave")
      #expect(try legacy.mechanisms.entries().count == 1)
      #expect(try await legacy.source(for: home).migrated().isEmpty)
    }
  }

  @Test func `nothing that is logged or thrown has a secret or a name`() async throws {
    try await withHome { home in
      let legacy = LegacyCodes(home: home)
      try legacy.add("ada")
      try legacy.add("eve", ["digits": 99])
      try legacy.add("zoe", ["secret": LegacyCodes.secret + "!"])
      let logger = LineLogger()
      try await OathMigration.migrate(from: legacy.source, to: MemoryOathStorage(), logger: logger)
      let error = await #expect(throws: LegacyMigrationError.self) {
        try await OathMigration.migrate(from: legacy.source, to: MemoryOathStorage(), logger: logger)
      }
      let said = (logger.lines + [error?.localizedDescription ?? ""]).joined(separator: "\n")
      #expect(said.contains("digits"))
      for value in [LegacyCodes.secret, "ada", "eve", "zoe", "Acme"] {
        #expect(!said.contains(value), "\(value)")
      }
    }
  }

  @Test func `runs at once add each account once`() async throws {
    try await withHome { home in
      let legacy = LegacyCodes(home: home)
      for name in ["a", "b", "c"] { try legacy.add(name) }
      let storage = MemoryOathStorage()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask {
            try? await OathMigration.migrate(from: LegacyCodes(home: home).source, to: storage)
          }
        }
      }
      #expect(await storage.getAllOathCredentials().count == 3)
    }
  }

  @Test func `a client with the default storage migrates when it is created`() async throws {
    let folder = TemporaryFolder()
    let path = folder.url.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      setenv("SEALRING_HOME", path, 1)
      let legacy = LegacyCodes(home: ClientHome.standard)
      try legacy.add("ada")
      // Not into a storage that may forget, nor when the app says no.
      _ = try await OathClient.createClient { $0.storage = MemoryOathStorage() }
      _ = try await OathClient.createClient { $0.legacyAccounts = nil }
      #expect(try legacy.mechanisms.entries().count == 1)
      let client = try await OathClient.createClient()
      #expect(try await client.getCredentials().map(\.id) == ["uid-ada"])
      #expect(try legacy.mechanisms.entries().isEmpty)
      #expect(try await OathClient.createClient().getCredentials().count == 1)
    }
    withExtendedLifetime(folder) {}
  }
}

extension LegacyCodes {
  /// The store with the note of what was migrated.
  fileprivate func source(for home: ClientHome) -> FileLegacyStore {
    FileLegacyStore(service: LegacyService.authenticatorMechanisms, home: home, record: "migrated-oath")
  }
}
