import CommonFixtures
import Foundation
import PrivateFiles
import PushFormats
import Testing

@testable import PingPush

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Push accounts of the earlier SDK's authenticator (issue: they were lost when an app changed over).
@Suite struct PushMigrationTests {
  @Test func `an account moves with all that it has, and its entry goes after that`() async throws {
    try await withHome { home in
      let legacy = LegacyPush(home: home)
      try legacy.add("ada")
      let storage = PushKeychainStorage(home: home)
      try await PushMigration.migrate(from: legacy.source, to: storage)
      let credential = try #require(try await storage.retrievePushCredential(credentialId: "uid-ada"))
      #expect(credential.issuer == "Acme" && credential.accountName == "ada")
      #expect(credential.displayIssuer == "My Acme" && credential.displayAccountName == "me")
      #expect(credential.userId == "user-ada" && credential.resourceId == "device-ada")
      #expect(credential.policies == #"{"deviceTampering":{"score":0.8}}"# && !credential.isLocked)
      #expect(credential.serverEndpoint == "https://am.example/am/json/alpha/push/sns/message")
      #expect(credential.registrationEndpoint == LegacyPush.registration)
      #expect(credential.authenticationEndpoint == LegacyPush.answers)
      #expect(try credential.secret() == PushSecret(base64: LegacyPush.secret))
      #expect(abs(credential.createdAt.timeIntervalSince1970 - 1_700_000_000.5) < 0.01)
      // The server is told the device token at the next occasion.
      #expect(credential.confirmedDeviceToken == nil && credential.platform == .pingAM)
      #expect(try legacy.mechanisms.entries().isEmpty)
      #expect(try legacy.accounts.entries() == ["Acme-ada.json"])
    }
  }

  @Test func `a secret in the other Base64 alphabet, and answers that go elsewhere`() async throws {
    try await withHome { home in
      let legacy = LegacyPush(home: home)
      let other = "https://am2.example/push?_action=authenticate"
      try legacy.add(
        "ada",
        [
          "secret": LegacyPush.secret.replacing("+", with: "-").replacing("/", with: "_").replacing(
            "=", with: ""),
          "type": "push", "authenticationEndpoint": other,
        ])
      let storage = MemoryPushStorage()
      try await PushMigration.migrate(from: legacy.source, to: storage)
      let credential = try #require(await storage.getAllPushCredentials().first)
      #expect(credential.sharedSecret == LegacyPush.secret && credential.authenticationEndpoint == other)
    }
  }

  @Test(arguments: [true, false]) func `running twice adds nothing`(cleanup: Bool) async throws {
    try await withHome { home in
      let legacy = LegacyPush(home: home)
      try legacy.add("ada")
      try legacy.add("bob")
      var source = legacy.source
      source.cleanupLegacyData = cleanup
      let storage = MemoryPushStorage()
      try await PushMigration.migrate(from: source, to: storage)
      let expected = cleanup ? "noLegacyDataFound" : "alreadyMigrated"
      #expect(await failure { try await PushMigration.migrate(from: source, to: storage) } == expected)
      #expect(await storage.getAllPushCredentials().count == 2)
      // Removed by the person: it does not come back from an entry that was kept.
      _ = await storage.removePushCredential(credentialId: "uid-ada")
      #expect(await failure { try await PushMigration.migrate(from: source, to: storage) } == expected)
      #expect(await storage.getAllPushCredentials().map(\.id) == ["uid-bob"])
    }
  }

  @Test func `a run that ended before it was noted goes on, and keeps what has changed since`() async throws {
    try await withHome { home in
      let legacy = LegacyPush(home: home)
      try legacy.add("ada")
      var source = legacy.source
      source.cleanupLegacyData = false
      let storage = MemoryPushStorage()
      try await PushMigration.migrate(from: source, to: storage)
      var credential = try #require(await storage.getAllPushCredentials().first)
      credential.displayIssuer = "Renamed"
      credential.confirmedDeviceToken = "token"
      try await storage.storePushCredential(credential)
      try await FileLegacyStore(
        service: LegacyService.authenticatorMechanisms, home: home, record: "migrated-push"
      ).noteMigrated([])
      try await PushMigration.migrate(from: legacy.source, to: storage)
      let kept = await storage.getAllPushCredentials()
      #expect(kept.map(\.displayIssuer) == ["Renamed"] && kept.first?.confirmedDeviceToken == "token")
      #expect(try legacy.mechanisms.entries().isEmpty)
    }
  }

  @Test func `what an account has already is not overwritten, and the entry stays`() async throws {
    try await withHome { home in
      let legacy = LegacyPush(home: home)
      try legacy.add("ada")
      try legacy.add("bob", ["mechanismUID": "uid-new"])
      let storage = MemoryPushStorage()
      let other = String(repeating: "AAAA", count: 8)
      for (id, name) in [("uid-ada", "ada"), ("uid-mine", "bob")] {
        try await storage.storePushCredential(
          PushCredential(
            id: id, issuer: "Acme", accountName: name,
            serverEndpoint: "https://am.example/am/json/alpha/push/sns/message",
            sharedSecret: other))
      }
      let log = KeptLog()
      try await PushMigration.migrate(from: legacy.source, to: storage, logger: log)
      let stored = await storage.getAllPushCredentials()
      #expect(
        Set(stored.map(\.id)) == ["uid-ada", "uid-mine"] && stored.allSatisfy { $0.sharedSecret == other })
      #expect(try legacy.mechanisms.entries().count == 2)
      #expect(log.lines.filter { $0.contains("left alone") }.count >= 2)
    }
  }

  static let bad: [(String, Change)] = [
    ("no id", ["mechanismUID": gone]), ("an id with a line break", ["mechanismUID": "a\nb"]),
    ("no secret", ["secret": gone]), ("a short secret", ["secret": "AAAA"]), ("no Base64", ["secret": "!!!"]),
    ("no registration address", ["registrationEndpoint": gone]),
    ("no address for answers", ["authenticationEndpoint": gone]),
    ("an address that is none", ["registrationEndpoint": "javascript:alert(1)"]),
    ("an address with a user", ["authenticationEndpoint": "https://u@am.example/"]),
    ("another account", ["accountName": "eve"]), ("another issuer", ["issuer": "Bank"]),
    ("an unknown type", ["type": "webauthn"]), ("no type", ["type": gone]),
    ("a newer version", ["version": 2]),
    ("a secret that is not text", ["secret": 7]),
  ]

  @Test(arguments: bad.indices)
  func `an entry that is half there, newer or not ours is left alone, and the others move`(index: Int)
    async throws
  {
    let (what, change) = Self.bad[index]
    try await withHome { home in
      let legacy = LegacyPush(home: home)
      try legacy.add("good")
      try legacy.add("bad", change)
      let before = try legacy.mechanisms.read("Acme-bad-pushauth.json")
      let storage = MemoryPushStorage()
      let log = KeptLog()
      try await PushMigration.migrate(from: legacy.source, to: storage, logger: log)
      #expect(await storage.getAllPushCredentials().map(\.id) == ["uid-good"], "\(what)")
      #expect(try legacy.mechanisms.read("Acme-bad-pushauth.json") == before)
      #expect(log.lines.contains("Successfully decoded 1 push accounts from legacy storage (failed: 1)"))
      #expect(
        await failure { try await PushMigration.migrate(from: legacy.source, to: storage) }
          == "invalidLegacyData")
    }
  }

  @Test(
    arguments: [
      ["policies": 7], ["lock": "no"], ["version": 9], ["displayIssuer": "a\u{202E}b"], ["accountName": gone],
    ] as [Change])
  func `with half an account a mechanism does not move`(change: Change) async throws {
    try await withHome { home in
      let legacy = LegacyPush(home: home)
      try legacy.add("ada", account: change)
      let storage = MemoryPushStorage()
      #expect(
        await failure { try await PushMigration.migrate(from: legacy.source, to: storage) }
          == "invalidLegacyData")
      #expect(await storage.getAllPushCredentials().isEmpty)
      #expect(try legacy.mechanisms.entries().count == 1)
    }
  }

  @Test func `a locked account stays locked, and a one-time code beside it is for others`() async throws {
    try await withHome { home in
      let legacy = LegacyPush(home: home)
      try legacy.add("ada", account: ["lock": true, "lockingPolicy": "deviceTampering"])
      try legacy.mechanisms.add(
        LegacyPush.mechanism("ada", ["type": "otpauth", "oathType": "TOTP", "mechanismUID": "oath"]),
        id: "oath")
      let storage = MemoryPushStorage()
      let log = KeptLog()
      try await PushMigration.migrate(from: legacy.source, to: storage, logger: log)
      let moved = await storage.getAllPushCredentials()
      #expect(moved.map(\.id) == ["uid-ada"] && moved.first?.isLocked == true)
      #expect(moved.first?.lockingPolicy == "deviceTampering")
      #expect(log.lines.contains("Successfully decoded 1 push accounts from legacy storage (failed: 0)"))
      #expect(try legacy.mechanisms.entries() == ["oath.json"])
      #expect(
        await failure { try await PushMigration.migrate(from: legacy.source, to: storage) }
          == "noLegacyDataFound")
    }
  }

  @Test func `a storage that fails costs nothing, and nothing that is said has a secret or a name`()
    async throws
  {
    try await withHome { home in
      let legacy = LegacyPush(home: home)
      try legacy.add("ada")
      try legacy.add("eve", ["secret": LegacyPush.secret + "!"])
      let storage = MemoryPushStorage()
      await storage.fail("storePushCredential")
      let log = KeptLog()
      #expect(
        await failure { try await PushMigration.migrate(from: legacy.source, to: storage, logger: log) }
          == "failedToSave")
      #expect(try legacy.mechanisms.entries().count == 2)
      await storage.fail()
      try await PushMigration.migrate(from: legacy.source, to: storage, logger: log)
      #expect(await storage.getAllPushCredentials().count == 1)
      let said = log.lines.joined(separator: "\n")
      for value in [LegacyPush.secret, "ada", "eve", "Acme", "am.example"] {
        #expect(!said.contains(value), "\(value)")
      }
    }
  }

  @Test func `a client with the default storage migrates when it is created`() async throws {
    let folder = TemporaryFolder()
    let path = folder.url.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      setenv("SEALRING_HOME", path, 1)
      let legacy = LegacyPush(home: ClientHome.standard)
      try legacy.add("ada")
      // Not into a storage that may forget, nor when the app says no.
      try await PushClient.createClient { $0.storage = MemoryPushStorage() }.close()
      try await PushClient.createClient { $0.legacyAccounts = nil }.close()
      #expect(try legacy.mechanisms.entries().count == 1)
      let client = try await PushClient.createClient()
      #expect(try await client.getCredentials().map(\.id) == ["uid-ada"])
      #expect(try legacy.mechanisms.entries().isEmpty)
      await client.close()
    }
    withExtendedLifetime(folder) {}
  }
}

/// The case of the error that `body` throws.
private func failure(_ body: () async throws -> Void) async -> String {
  do {
    try await body()
    return "none"
  } catch { return Mirror(reflecting: error).children.first?.label ?? "\(error)" }
}

/// Members of an entry, and what becomes of them.
typealias Change = [String: (any Sendable)?]

/// Takes a member out.
private let gone: (any Sendable)? = nil

/// A device with the earlier SDK's authenticator, its entries in files.
private struct LegacyPush {
  static let secret = "YXVWWhHvL9OHEcUZKgduLmiaN/QKyJklHhyuSp+yvlQ="
  static let registration = "https://am.example/am/json/alpha/push/sns/message?_action=register"
  static let answers = "https://am.example/am/json/alpha/push/sns/message?_action=authenticate"

  let home: ClientHome

  var source: LegacyAuthenticator { LegacyAuthenticator(home: home) }
  var accounts: FileLegacyStore { FileLegacyStore(service: LegacyService.authenticatorAccounts, home: home) }
  var mechanisms: FileLegacyStore {
    FileLegacyStore(service: LegacyService.authenticatorMechanisms, home: home)
  }

  private static func json(_ members: [String: Any], _ change: Change) throws -> Data {
    var members = members
    for (name, value) in change { members[name] = value }
    return try JSONSerialization.data(withJSONObject: members)
  }

  /// The JSON that the earlier SDK makes of a push mechanism.
  static func mechanism(_ name: String, _ change: Change = [:]) throws -> Data {
    try json(
      [
        "id": "Acme-\(name)-pushauth", "issuer": "Acme", "accountName": name, "mechanismUID": "uid-\(name)",
        "secret": secret, "type": "pushauth", "registrationEndpoint": registration,
        "authenticationEndpoint": answers, "uid": "user-\(name)", "resourceId": "device-\(name)",
        "timeAdded": 1_700_000_000_500,
      ], change)
  }

  func add(_ name: String, account: Change = [:], _ mechanism: Change = [:]) throws {
    let account = try Self.json(
      [
        "id": "Acme-\(name)", "issuer": "Acme", "displayIssuer": "My Acme", "accountName": name,
        "displayAccountName": "me", "policies": #"{"deviceTampering":{"score":0.8}}"#, "lock": false,
      ], account)
    try accounts.add(account, id: "Acme-\(name)")
    try mechanisms.add(Self.mechanism(name, mechanism), id: "Acme-\(name)-pushauth")
  }
}
