import CommonFixtures
import Concurrency
import Foundation
import PingCommons
import PingLogger
import PingPush
import PingStorage
import PrivateFiles
import StrictJSON
import Testing

// What the guide's text promises, section by section, against a server of another make, with the public API alone.

@Suite(.timeLimit(.minutes(3))) struct GuideFlowTests {
  /// A server, and a client of it with one credential, whose storage is a file.
  private func withDevice(
    _ configure: (PushConfiguration) -> Void = { _ in },
    _ body: (StandIn, PushClient, PushCredential, PushKeychainStorage) async throws -> Void
  ) async throws {
    try await withHome { home in
      try await StandIn.with { server in
        let storage = PushKeychainStorage(home: home)
        let client = try await PushClient.createClient { config in
          config.storage = storage
          config.logger = LogManager.logger
          config.enableCredentialCache = false
          configure(config)
        }
        let credential = try await client.addCredentialFromUri(try await server.enrol())
        try await body(server, client, credential, storage)
        await client.close()
      }
    }
  }

  private func receive(
    _ client: PushClient, _ server: StandIn, _ credential: PushCredential, _ type: String = "default"
  ) async throws -> (notification: PushNotification, pushed: StandIn.Pushed) {
    let pushed = try await server.push(to: credential.id, type: type)
    return (try #require(try await client.processNotification(userInfo: pushed.userInfo)), pushed)
  }

  @Test func `Managing Push credentials: create, get, update, delete`() async throws {
    try await withDevice { server, client, first, storage in
      #expect(try await server.device(first.id)["deviceId"]?.stringValue?.isEmpty == false)
      let second = try await client.addCredentialFromUri(try await server.enrol("ada"))
      #expect(try await Set(client.getCredentials().map(\.id)) == [first.id, second.id])
      #expect(try await client.getCredential(credentialId: second.id)?.accountName == "ada")
      #expect(try await client.getCredential("nobody's") == nil)
      for credential in try await client.getCredentials() {
        var updated = credential
        updated.displayIssuer = "Example.com Checking Account"
        updated.displayAccountName = "Babs Jensen"
        _ = try await client.saveCredential(updated)
      }
      // Also for the app's next start.
      let next = try await PushClient.createClient { $0.storage = storage }
      for credential in try await next.getCredentials() {
        #expect(credential.displayIssuer == "Example.com Checking Account")
        #expect(credential.displayAccountName == "Babs Jensen" && credential.issuer == "Example Bank")
      }
      _ = try await receive(client, server, first)
      #expect(try await client.deleteCredential(first.id))
      #expect(try await next.getCredential(first.id) == nil)
      #expect(try await next.getPendingNotifications().isEmpty)
      #expect(try await client.getCredentials().map(\.id) == [second.id])
      #expect(try await client.deleteCredential(first.id) == false)
    }
  }

  @Test func `Updating device tokens: the server's copy is updated, too`() async throws {
    try await withDevice { server, client, first, _ in
      let second = try await client.addCredentialFromUri(try await server.enrol("ada"))
      func token(_ credential: PushCredential) async throws -> String? {
        try await server.device(credential.id)["deviceId"]?.stringValue
      }
      // As an app delegate calls it, without try and await; it is done in the background.
      client.setDeviceToken(Data([0xAB, 0xCD]))
      try await eventually("the server has the second token") { try await token(second) == "abcd" }
      try await eventually("the server has the first token") { try await token(first) == "abcd" }
      #expect(try await client.getDeviceToken() == "abcd")
      #expect(try await client.setDeviceToken("one of them", credentialId: first.id))
      #expect(try await token(first) == "one of them")
      #expect(try await token(second) == "abcd")
    }
  }

  @Test(arguments: ["default", "challenge", "biometric"])
  func `Responding to push notifications: every type is approved, and denied`(type: String) async throws {
    try await withDevice { server, client, credential, _ in
      let (approved, pushed) = try await receive(client, server, credential, type)
      #expect(approved.pushType.rawValue == type && approved.pending)
      #expect(try await client.getPendingNotifications().map(\.id) == [approved.id])
      switch approved.pushType {
      case .default: try await client.approveNotification(approved.id)
      case .challenge:
        let shown = try #require(pushed.answer)
        #expect(approved.getNumbersChallenge().map(String.init).contains(shown))
        try await client.approveChallengeNotification(approved.id, challengeResponse: shown)
      case .biometric:
        try await client.approveBiometricNotification(approved.id, authenticationMethod: "fingerprint")
      }
      #expect(try await server.state(pushed)["state"]?.stringValue == "approved")
      let (denied, refused) = try await receive(client, server, credential, type)
      try await client.denyNotification(denied.id)
      #expect(try await server.state(refused)["state"]?.stringValue == "denied")
      #expect(try await client.getPendingNotifications().isEmpty)
      #expect(try await client.getNotification(approved.id)?.approved == true)
      #expect(try await client.getNotification(denied.id)?.approved == false)
    }
  }

  @Test func `Responding to push notifications: what is of another kind is not processed`() async throws {
    try await withDevice { _, client, _, _ in
      for userInfo in [["aps": ["alert": "News"]], ["kind": "chat"], [:]] as [[AnyHashable: Any]] {
        let notification = try await client.processNotification(userInfo: userInfo)
        #expect(notification == nil)
      }
      let stored = try await client.getAllNotifications()
      #expect(stored.isEmpty)
    }
  }

  @Test func `Managing stored notifications: all are stored, the pending ones are listed`() async throws {
    try await withDevice { server, client, credential, _ in
      #expect(try await client.getPendingNotifications().isEmpty)
      let (first, _) = try await receive(client, server, credential)
      let (second, _) = try await receive(client, server, credential, "challenge")
      #expect(try await client.getPendingNotifications().map(\.id) == [second.id, first.id])
      try await client.denyNotification(first.id)
      #expect(try await client.getPendingNotifications().map(\.id) == [second.id])
      #expect(try await client.getAllNotifications().count == 2)
      let one = try #require(try await client.getNotification(first.id))
      #expect(one.responded && one.messageText?.contains("bjensen") == true)
      #expect(try await client.getNotification("nothing") == nil)
    }
  }

  @Test func `Cleaning up: automatically the oldest go first when the limit is exceeded`() async throws {
    try await withDevice({ $0.notificationCleanupConfig = .countBased(maxNotifications: 2) }) {
      server, client, credential, _ in
      var ids: [String] = []
      for _ in 0..<4 { ids.append(try await receive(client, server, credential).notification.id) }
      #expect(try await client.getAllNotifications().map(\.id) == ids.suffix(2).reversed())
      #expect(try await client.cleanupNotifications() == 0)
    }
  }

  /// The modes, how many of one credential's four they remove, and how many of both credentials' then.
  private static let modes: [(NotificationCleanupConfig.CleanupMode, Int, Int)] = [
    (.none, 0, 0), (.countBased, 1, 4), (.ageBased, 2, 2), (.hybrid, 2, 3),
  ]

  @Test(arguments: modes)
  func `Cleaning up: on demand, for one credential and for all`(
    mode: NotificationCleanupConfig.CleanupMode, ofOne: Int, ofAll: Int
  ) async throws {
    try await withDevice({
      $0.notificationCleanupConfig = NotificationCleanupConfig(
        cleanupMode: mode, maxStoredNotifications: 3, maxNotificationAgeDays: 14)
    }) { _, client, _, storage in
      for (index, days) in [1, 2, 20, 30, 5, 6, 20, 40].enumerated() {
        try await storage.storePushNotification(
          PushNotification(
            credentialId: index < 4 ? "a" : "b", ttl: 60, messageId: "\(index)", pushType: .default,
            createdAt: Date().addingTimeInterval(Double(-days) * 86400)))
      }
      #expect(try await client.cleanupNotifications(credentialId: "a") == ofOne)
      #expect(try await client.cleanupNotifications() == ofAll)
    }
  }

  @Test func `Closing the client: nothing is done afterwards`() async throws {
    try await withDevice { server, client, credential, storage in
      let (notification, pushed) = try await receive(client, server, credential)
      await client.close()
      await #expect { try await client.approveNotification(notification.id) } throws: {
        if case PushError.notInitialized = $0 { true } else { false }
      }
      #expect(try await server.state(pushed)["state"]?.stringValue == "waiting")
      // What is stored stays, and a new client goes on with it.
      let next = try await PushClient.createClient { $0.storage = storage }
      #expect(try await next.approveNotification(notification.id))
      #expect(try await server.state(pushed)["state"]?.stringValue == "approved")
    }
  }

  @Test func `Handling errors: each case comes where the guide catches it`() async throws {
    let policy = SwitchedPolicy()
    let policies = #"{"deviceTampering":{}}"#
    try await withDevice({ $0.policyEvaluator = .create { $0.policies = [policy] } }) {
      server, client, credential, storage in
      await #expect { try await client.addCredentialFromUri("https://example.com") } throws: {
        if case PushError.invalidUri(let message) = $0 { !message.isEmpty } else { false }
      }
      let (notification, _) = try await receive(client, server, credential)
      _ = try await storage.removePushCredential(credentialId: credential.id)
      await #expect { try await client.approveNotification(notification.id) } throws: {
        if case PushError.credentialNotFound(credential.id) = $0 { true } else { false }
      }
      let locked = try await client.addCredentialFromUri(try await server.enrol("ada", policies: policies))
      let (question, _) = try await receive(client, server, locked)
      policy.set(false)
      await #expect { try await client.approveNotification(question.id) } throws: {
        if case PushError.credentialLocked(locked.id) = $0 { true } else { false }
      }
      try await withHome { home in
        // A file is where the folder should be.
        try Data().write(to: home.directory)
        let broken = PushKeychainStorage(home: home)
        await #expect { try await PushClient.createClient { $0.storage = broken } } throws: {
          if case PushError.initializationFailed(_, let cause) = $0 { cause != nil } else { false }
        }
        await #expect { try await broken.getAllPushCredentials() } throws: {
          if case PushStorageError.storageFailure(let message, _) = $0 { !message.isEmpty } else { false }
        }
      }
    }
  }

  @Test func `Customizing credential storage: the app's own keeps everything`() async throws {
    try await StandIn.with { server in
      let storage = MemoryPushStorage()
      let client = try await PushClient.createClient { config in
        config.storage = storage
        config.enableCredentialCache = false
      }
      let credential = try await client.addCredentialFromUri(try await server.enrol())
      let (notification, pushed) = try await receive(client, server, credential)
      #expect(await storage.retrievePushCredential(credentialId: credential.id) != nil)
      #expect(await storage.getAllPushNotifications().map(\.id) == [notification.id])
      #expect(try await storage.getCurrentPushDeviceToken() != nil)
      #expect(try await client.approveNotification(notification.id))
      #expect(try await server.state(pushed)["state"]?.stringValue == "approved")
      #expect(await storage.retrievePushNotification(notificationId: notification.id)?.approved == true)
      await client.close()
    }
  }

  enum Form: CaseIterable { case list, literal, dictionary, typed }

  @Test(arguments: Form.allCases)
  func `Customizing handlers: alongside the default one, however they are registered`(
    form: Form
  ) async throws {
    let handler = CustomPushHandler()
    let dictionary: [String: Any] = ["CUSTOM": handler]
    try await withDevice({ config in
      switch form {
      case .list: config.customPushHandlers = [handler]
      case .literal: config.customPushHandlers = ["CUSTOM": handler]
      case .dictionary: config.customPushHandlers = dictionary
      case .typed:
        let handlers = ["CUSTOM": handler]
        config.customPushHandlers = handlers
      }
    }) { server, client, credential, _ in
      let data: [String: Any] = ["own": "custom:\(credential.id)", "id": "m1"]
      let own = try #require(try await client.processNotification(messageData: data))
      let text = try #require(try await client.processNotification(message: "custom:\(credential.id)"))
      let userInfo: [AnyHashable: Any] = [
        "aps": ["alert": "x"], "own": "custom:\(credential.id)", "id": "m2",
      ]
      let pushed = try #require(try await client.processNotification(userInfo: userInfo))
      let (standard, message) = try await receive(client, server, credential)
      #expect(
        try await Set(client.getPendingNotifications().map(\.id))
          == Set([own, text, pushed, standard].map(\.id)))
      // What the handler did not send stays open.
      handler.answer(false)
      #expect(try await client.approveChallengeNotification(own.id, challengeResponse: "2") == false)
      #expect(try await client.getPendingNotifications().contains { $0.id == own.id })
      handler.answer(true)
      #expect(try await client.approveChallengeNotification(own.id, challengeResponse: "2"))
      #expect(try await client.approveBiometricNotification(text.id, authenticationMethod: "face"))
      #expect(try await client.denyNotification(pushed.id))
      #expect(try await client.approveNotification(standard.id))
      #expect(handler.sent == ["approve 2", "approve 2", "approve ", "deny "])
      #expect(try await server.requests("authenticate").count == 1)
      #expect(try await server.state(message)["state"]?.stringValue == "approved")
      #expect(try await client.getPendingNotifications().isEmpty)
    }
  }
}
