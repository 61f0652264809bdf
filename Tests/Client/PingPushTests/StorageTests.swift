import Foundation
import GRDB
import PrivateFiles
import SealedRecords
import Testing

@testable import PingPush

/// The default storage off Apple platforms: a sealed SQLite file (reference push §6.4, §6.5).
@Suite(.timeLimit(.minutes(3))) struct StorageTests {
  private func credential(_ id: String, issuer: String = "Bank", account: String = "bjensen")
    -> PushCredential
  {
    PushCredential(
      id: id, userId: "u", issuer: issuer, accountName: account, serverEndpoint: "https://am.example/push",
      sharedSecret: "VerySecretVerySecretVerySecretVerySecretVer=",
      createdAt: Date(timeIntervalSince1970: 1.25),
      policies: "{}")
  }

  private func notification(
    _ id: String, message: String? = nil, credential: String = "c", age: TimeInterval = 0, ttl: Int = 120,
    pending: Bool = true
  ) -> PushNotification {
    PushNotification(
      id: id, credentialId: credential, ttl: ttl, messageId: message ?? "AUTHENTICATE:\(id)",
      messageText: "Sign in at Example Bank?", challenge: "Y2hhbGxlbmdl", pushType: .default,
      createdAt: Date().addingTimeInterval(-age), pending: pending)
  }

  @Test func `records come back as they were, also to another process`() async throws {
    try await withHome { home in
      let storage = PushKeychainStorage(home: home)
      var stored = credential("c")
      stored.answerEndpoint = "https://b.example"
      stored.confirmedDeviceToken = "t"
      stored.lockCredential(policyName: "p")
      try await storage.storePushCredential(stored)
      var question = notification("n")
      question.codeLength = 6
      question.handlerKey = "OWN"
      question.isSentAtSigned = false
      try await storage.storePushNotification(question)
      try await storage.storePushDeviceToken(PushDeviceToken(token: "token"))
      let other = PushKeychainStorage(home: home)
      let read = try #require(try await other.retrievePushCredential(credentialId: "c"))
      #expect(try RecordCoder.encode(read).sorted() == RecordCoder.encode(stored).sorted())
      #expect(read.createdAt == stored.createdAt && read.sharedSecret == stored.sharedSecret)
      let again = try #require(try await other.retrievePushNotification(notificationId: "n"))
      #expect(again.codeLength == 6 && again.handlerKey == "OWN" && again.challenge == question.challenge)
      #expect(again.isSentAtSigned == false)
      #expect(abs(again.createdAt.timeIntervalSince(question.createdAt)) < 0.000_01)
      #expect(try await other.getCurrentPushDeviceToken()?.token == "token")
      #expect(try await other.getNotificationByMessageId(messageId: "AUTHENTICATE:n")?.id == "n")
      #expect(
        try await other.getCredentialByIssuerAndAccount(issuer: "Bank", accountName: "bjensen")?.id == "c")
      #expect(try await other.getCredentialByIssuerAndAccount(issuer: "bank", accountName: "bjensen") == nil)
    }
  }

  @Test func `storing again replaces, and what is not there is not removed`() async throws {
    try await withHome { home in
      let storage = PushKeychainStorage(home: home)
      var stored = credential("c")
      try await storage.storePushCredential(stored)
      stored.displayIssuer = "Mine"
      try await storage.storePushCredential(stored)
      #expect(try await storage.getAllPushCredentials().map(\.displayIssuer) == ["Mine"])
      #expect(try await storage.removePushCredential(credentialId: "x") == false)
      #expect(try await storage.removePushCredential(credentialId: "c"))
      #expect(try await storage.removePushNotification(notificationId: "x") == false)
      #expect(try await storage.removePushNotificationsForCredential(credentialId: "x") == 0)
      try await storage.clearPushDeviceTokens()
      try await storage.clearPushCredentials()
      try await storage.clearPushNotifications()
      await #expect(throws: PushStorageError.self) {
        try await storage.updatePushNotification(notification("gone"))
      }
    }
  }

  @Test func `a message is stored once`() async throws {
    try await withHome { home in
      let storage = PushKeychainStorage(home: home)
      try await storage.storePushNotification(notification("a", message: "m"))
      await #expect {
        try await storage.storePushNotification(notification("b", message: "m"))
      } throws: {
        if case PushStorageError.duplicateNotification("m") = $0 { true } else { false }
      }
      // Those without an id are not duplicates of each other.
      try await storage.storePushNotification(notification("c", message: ""))
      try await storage.storePushNotification(notification("d", message: ""))
      #expect(try await storage.countPushNotifications(credentialId: nil) == 3)
    }
  }

  @Test func `lists are in order, and the pending one is what waits`() async throws {
    try await withHome { home in
      let storage = PushKeychainStorage(home: home)
      for (index, age) in [30.0, 10, 20].enumerated() {
        try await storage.storePushNotification(notification("\(index)", age: age))
      }
      try await storage.storePushNotification(notification("over", age: 500))
      try await storage.storePushNotification(notification("answered", pending: false))
      #expect(try await storage.getAllPushNotifications().map(\.id) == ["answered", "1", "2", "0", "over"])
      #expect(try await storage.getPendingPushNotifications().map(\.id) == ["1", "2", "0"])
      #expect(
        try await storage.getOldestPushNotifications(limit: 2, credentialId: nil).map(\.id) == ["over", "0"])
      #expect(try await storage.getOldestPushNotifications(limit: 2, credentialId: "x").isEmpty)
      var one = try #require(try await storage.retrievePushNotification(notificationId: "1"))
      one.markApproved()
      try await storage.updatePushNotification(one)
      #expect(try await storage.getPendingPushNotifications().map(\.id) == ["2", "0"])
    }
  }

  @Test func `purges count, and take the oldest whether it waits or not`() async throws {
    try await withHome { home in
      let storage = PushKeychainStorage(home: home)
      let day: TimeInterval = 86400
      let month = 30 * 86400
      try await storage.storePushNotification(notification("waiting", age: 15 * day, ttl: month))
      try await storage.storePushNotification(notification("waiting longer", age: 28 * day, ttl: month))
      for index in 0..<4 {
        try await storage.storePushNotification(
          notification(
            "\(index)", credential: index < 2 ? "a" : "b", age: Double(index) * 10 * day, pending: false))
      }
      #expect(try await storage.purgePushNotificationsByAge(maxAgeDays: 12, credentialId: "a") == 0)
      #expect(try await storage.purgePushNotificationsByAge(maxAgeDays: 25, credentialId: nil) == 2)
      #expect(try await storage.getAllPushNotifications().map(\.id) == ["0", "1", "waiting", "2"])
      #expect(try await storage.purgePushNotificationsByCount(maxCount: 1, credentialId: "a") == 1)
      #expect(try await storage.purgePushNotificationsByCount(maxCount: 1, credentialId: nil) == 2)
      #expect(try await storage.getAllPushNotifications().map(\.id) == ["0"])
    }
  }

  @Test func `services and groups do not see each other`() async throws {
    try await withHome { home in
      let one = PushKeychainStorage(home: home)
      let two = PushKeychainStorage(
        home: home, credentialService: "x", notificationService: "y", tokenService: "z")
      let group = PushKeychainStorage(home: home, accessGroup: "group.myapp")
      try await one.storePushCredential(credential("c"))
      try await one.storePushNotification(notification("n"))
      try await one.storePushDeviceToken(PushDeviceToken(token: "t"))
      for other in [two, group] {
        #expect(try await other.getAllPushCredentials().isEmpty)
        #expect(try await other.getAllPushNotifications().isEmpty)
        #expect(try await other.getCurrentPushDeviceToken() == nil)
        try await other.clearPushCredentials()
        try await other.clearPushNotifications()
      }
      #expect(try await one.getAllPushCredentials().count == 1)
    }
  }

  // MARK: What is on the disk

  @Test func `nothing of a record can be read from the files, which are their owner's`() async throws {
    try await withHome { home in
      let storage = PushKeychainStorage(home: home)
      try await storage.storePushCredential(credential("c"))
      try await storage.storePushNotification(notification("n"))
      try await storage.storePushDeviceToken(PushDeviceToken(token: "TheDeviceToken"))
      let folder = home.directory.appending(path: "push")
      var seen = 0
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
        let path = folder.appending(path: name).path
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600, "\(name)")
        let data = try Data(contentsOf: URL(filePath: path))
        for text in ["VerySecret", "bjensen", "Bank", "AUTHENTICATE", "Y2hhbGxlbmdl", "TheDeviceToken"] {
          #expect(data.range(of: Data(text.utf8)) == nil, "\(text) in \(name)")
        }
        seen += 1
      }
      #expect(seen >= 2)
      let mode = try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int
      #expect(mode == 0o700)
    }
  }

  private func queue(_ home: ClientHome) throws -> DatabaseQueue {
    try DatabaseQueue(path: home.directory.appending(path: "push/push.sqlite").path)
  }

  @Test func `a damaged record hides no other, and says so when asked for`() async throws {
    try await withHome { home in
      let log = KeptLog()
      let storage = PushKeychainStorage(home: home, logger: log)
      try await storage.storePushCredential(credential("good"))
      try await storage.storePushCredential(credential("bad", account: "other"))
      // A record in the place of another one does not open either.
      try await queue(home).write {
        try $0.execute(
          sql: """
            UPDATE push_credentials SET box = (SELECT box FROM push_credentials WHERE id = 'good')
            WHERE id = 'bad'
            """)
      }
      #expect(try await storage.getAllPushCredentials().map(\.id) == ["good"])
      #expect(log.lines.contains { $0.contains("bad") })
      await #expect(throws: PushStorageError.self) {
        try await storage.retrievePushCredential(credentialId: "bad")
      }
    }
  }

  @Test func `without its key the file is an error, not an empty storage`() async throws {
    try await withHome { home in
      try await PushKeychainStorage(home: home).storePushCredential(credential("c"))
      try FileManager.default.removeItem(at: home.directory.appending(path: "secured-keys"))
      let storage = PushKeychainStorage(home: home)
      await #expect(throws: PushStorageError.self) { try await storage.getAllPushCredentials() }
      await expect("initializationFailed") { try await makeClient(storage) }
    }
  }

  @Test func `a file that is no database is an error and stays`() async throws {
    try await withHome { home in
      let folder = try home.folder("push")
      let file = folder.appending(path: "push.sqlite")
      let bytes = Data(repeating: 7, count: 8192)
      try bytes.write(to: file)
      let storage = PushKeychainStorage(home: home)
      await #expect(throws: PushStorageError.self) { try await storage.getAllPushCredentials() }
      #expect(try Data(contentsOf: file) == bytes)
    }
  }

  @Test func `a newer file is left alone`() async throws {
    try await withHome { home in
      try await PushKeychainStorage(home: home).storePushCredential(credential("c"))
      try await queue(home).write { try $0.execute(sql: "PRAGMA user_version = 99") }
      await #expect(throws: PushStorageError.self) {
        try await PushKeychainStorage(home: home).getAllPushCredentials()
      }
    }
  }

  @Test func `several openers of a new file agree`() async throws {
    try await withHome { home in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<8 {
          group.addTask {
            let storage = PushKeychainStorage(home: home)
            for number in 0..<5 {
              try await storage.storePushNotification(notification("\(index)-\(number)"))
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await PushKeychainStorage(home: home).countPushNotifications(credentialId: nil) == 40)
    }
  }

  // MARK: Many

  @Test func `ten thousand notifications stay about as quick as one`() async throws {
    var few = Duration.zero
    try await withHome { home in
      let storage = PushKeychainStorage(home: home)
      try await storage.storePushNotification(notification("first"))
      few = try await Self.rounds(on: storage)
    }
    try await withHome { home in
      let storage = PushKeychainStorage(home: home)
      try await storage.storePushNotification(notification("first"))
      let (sealer, service) = (try RecordSealer("push", home: home), "com.pingidentity.push.notifications")
      let question = notification("x", age: 1000, pending: false)
      let json = try RecordCoder.encode(question)
      try await queue(home).write { db in
        for index in 0..<10_000 {
          let id = "n\(index)"
          try db.execute(
            sql: "INSERT INTO push_notifications VALUES (?, ?, ?, 'c', ?, 0, 0, ?)",
            arguments: [
              service, id, sealer.hash(["message", id, "c"]), index,
              try sealer.seal(json, for: RecordSealer.place("notification", service, id)),
            ])
        }
      }
      let many = try await Self.rounds(on: storage)
      #expect(try await storage.getNotification(messageId: "n5000", credentialId: "c") != nil)
      // Within one run. Loading all of them in each round takes several hundred times as long as with one.
      #expect(many < few * 100, "\(many), \(few) with one")
      #expect(try await storage.purgePushNotificationsByCount(maxCount: 100, credentialId: nil) == 9921)
    }
  }

  /// Nobody signs a message's id: the server of one credential could have another's request swallowed.
  @Test func `a message is not taken for one of the same id of another credential`() async throws {
    try await withHome { home in
      let storage = PushKeychainStorage(home: home)
      let other = notification("other")
      try await storage.storePushNotification(other)
      let device = try await RegisteredDevice(storage)
      let data = try await device.server.message(to: device.credential.id, id: other.messageId)
      let received = try #require(try await device.client.processNotification(messageData: data))
      #expect(received.credentialId == device.credential.id && received.id != other.id && received.pending)
      #expect(try await device.client.processNotification(messageData: data)?.id == received.id)
      #expect(try await device.client.getAllNotifications().count == 2)
      try await device.client.denyNotification(received.id)
      #expect(
        try await storage.retrievePushNotification(notificationId: other.id)?.approved == other.approved)
    }
  }

  /// How long twenty rounds of receiving, listing and approving take.
  private static func rounds(on storage: PushKeychainStorage) async throws -> Duration {
    let device = try await RegisteredDevice(storage)
    return try await ContinuousClock().measure {
      for _ in 0..<20 {
        let data = try await device.server.message(to: device.credential.id)
        let new = try #require(try await device.client.processNotification(messageData: data))
        #expect(try await device.client.getPendingNotifications().count == 2)
        #expect(try await device.client.approveNotification(new.id))
      }
    }
  }
}
