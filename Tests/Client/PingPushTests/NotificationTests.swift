import CommonFixtures
import Bytes
import Concurrency
import Foundation
import PingCommons
import PingStorage
import PushFormats
import StrictJSON
import Testing

@testable import PingPush

/// Receiving and answering (reference push §3, §4, §6.7).
struct NotificationTests {
  // MARK: Receiving

  @Test func `the system's payload is unpacked, and outer keys win`() async throws {
    let data = PushClient.messageData(of: [
      "aps": ["alert": "x", "data": "jwt", "messageId": "inner", "sound": "default"], "messageId": "outer",
      "own": 1, 7: "no text",
    ])
    #expect(data.keys.sorted() == ["message", "messageId", "own"])
    #expect(data["message"] as? String == "jwt" && data["messageId"] as? String == "outer")
    let plain = PushClient.messageData(of: ["message": "m", "messageId": "i"])
    #expect(plain.keys.sorted() == ["message", "messageId"])
  }

  @Test func `payloads of others are not processed`() async throws {
    let device = try await RegisteredDevice()
    let good = try await device.server.message(to: device.credential.id)
    for data: [String: Any] in [
      [:], ["message": "x"], ["messageId": "x", "message": "a.b.c"],
      ["messageId": " ", "message": good["message"] ?? ""],
      ["messageId": "x", "message": 7],
    ] {
      #expect(try await device.client.processNotification(messageData: data) == nil)
    }
    #expect(try await device.client.processNotification(message: "hello") == nil)
    #expect(try await device.client.processNotification(userInfo: ["aps": ["alert": "x"]]) == nil)
    #expect(try await device.client.getAllNotifications().isEmpty)
  }

  @Test func `a message that its server has not signed is neither stored nor shown`() async throws {
    let device = try await RegisteredDevice()
    var generator = SystemRandomNumberGenerator()
    let data = try await device.server.message(
      to: device.credential.id, signedWith: try PushSecret.random(using: &generator))
    await expect("messageParsingFailed") { try await device.client.processNotification(messageData: data) }
    let message = try #require(
      try await device.server.message(to: device.credential.id)["message"] as? String)
    let unsigned = "eyJhbGciOiJub25lIn0.\(message.split(separator: ".")[1])."
    #expect(
      try await device.client.processNotification(messageData: ["messageId": "x", "message": unsigned]) == nil
    )
    #expect(try await device.client.getAllNotifications().isEmpty)
  }

  /// Who knows the id of a stored message must not get it handed out as if it had come again.
  @Test func `a forged message with the id of a stored one is refused`() async throws {
    let device = try await RegisteredDevice()
    let id = try await device.receive().messageId
    var generator = SystemRandomNumberGenerator()
    let forged = try await device.server.message(
      to: device.credential.id, id: id, signedWith: try PushSecret.random(using: &generator))
    await expect("messageParsingFailed") { try await device.client.processNotification(messageData: forged) }
  }

  /// The id is outside of what is signed: whoever carries messages can change it.
  @Test func `a captured message is the stored one also under another id`() async throws {
    let device = try await RegisteredDevice()
    let data = try await device.server.message(to: device.credential.id, id: "AUTHENTICATE:1")
    let first = try #require(try await device.client.processNotification(messageData: data))
    try await device.client.denyNotification(first.id)
    var again = data
    again["messageId"] = "AUTHENTICATE:2"
    let second = try #require(try await device.client.processNotification(messageData: again))
    #expect(second.id == first.id && !second.pending)
    #expect(try await device.client.getAllNotifications().count == 1)
  }

  @Test func `a server that sends without end does not fill the memory`() {
    let limit = PushClient.announcedLimit
    let announced = RecentValues<Void>(limit: limit)
    for number in 0..<(limit + 100) { #expect(announced.note("\(number)", ())) }
    #expect(announced.count == limit)
    #expect(!announced.note("\(limit + 99)", ()))
    // The oldest is forgotten.
    #expect(announced.note("99", ()))
  }

  @Test func `a message for an unknown credential is refused`() async throws {
    let device = try await RegisteredDevice()
    let data = try await device.server.message(to: "somebody else")
    await expect("credentialNotFound") { try await device.client.processNotification(messageData: data) }
    #expect(try await device.client.getAllNotifications().isEmpty)
  }

  @Test func `a message that comes again is the stored one, whatever blanks its id has`() async throws {
    let device = try await RegisteredDevice()
    let data = try await device.server.message(to: device.credential.id, id: "AUTHENTICATE:1")
    let first = try #require(try await device.client.processNotification(messageData: data))
    try await device.client.approveNotification(first.id)
    var again = data
    again["messageId"] = " AUTHENTICATE:1\n"
    let second = try #require(try await device.client.processNotification(messageData: again))
    #expect(second.id == first.id && second.approved && second.messageId == "AUTHENTICATE:1")
    #expect(try await device.client.getAllNotifications().count == 1)
  }

  @Test(arguments: [false, true]) func `deliveries at the same time store one notification`(
    inFile: Bool
  ) async throws {
    try await withHome { home in
      let storage: any PushStorage = inFile ? PushKeychainStorage(home: home) : MemoryPushStorage()
      let device = try await RegisteredDevice(storage)
      let data = try await device.server.message(to: device.credential.id)
      let (id, message) = (data["messageId"] as? String ?? "", data["message"] as? String ?? "")
      let ids = try await withThrowingTaskGroup(of: String?.self) { group in
        for _ in 0..<20 {
          group.addTask {
            try await device.client.processNotification(messageData: ["messageId": id, "message": message])?
              .id
          }
        }
        return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
      }
      #expect(ids.count == 1)
      #expect(try await device.client.getAllNotifications().count == 1)
    }
  }

  @Test func `two clients of one file store one notification and send one answer`() async throws {
    try await withHome { home in
      let device = try await RegisteredDevice(PushKeychainStorage(home: home))
      let other = try await makeClient(PushKeychainStorage(home: home), clock: device.clock) {
        $0.httpClient = device.server
      }
      let data = try await device.server.message(to: device.credential.id)
      let (id, message) = (data["messageId"] as? String ?? "", data["message"] as? String ?? "")
      let ids = try await withThrowingTaskGroup(of: String?.self) { group in
        for client in [device.client, other, device.client, other] {
          group.addTask {
            try await client.processNotification(messageData: ["messageId": id, "message": message])?.id
          }
        }
        return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
      }
      let notification = try #require(ids.first ?? nil)
      #expect(ids.count == 1)
      #expect(try await other.approveNotification(notification))
      #expect(try await device.client.approveNotification(notification) == false)
      #expect(device.answers.count == 1)
    }
  }

  @Test func `a bare message has no id, and nobody can answer it`() async throws {
    let device = try await RegisteredDevice()
    let message = try await device.server.message(to: device.credential.id)["message"] as? String ?? ""
    let notification = try #require(try await device.client.processNotification(message: message))
    #expect(notification.messageId.isEmpty && !notification.pending)
    #expect(try await device.client.approveNotification(notification.id) == false)
    #expect(device.answers.isEmpty)
  }

  @Test func `the user's name is never overwritten`() async throws {
    let device = try await RegisteredDevice()
    let data = try await device.server.message(to: device.credential.id, username: "somebody")
    _ = try await device.client.processNotification(messageData: data)
    #expect(try await device.client.getCredential(device.credential.id)?.userId == "bjensen")
  }

  @Test func `a storage that cannot keep it is an error`() async throws {
    let storage = MemoryPushStorage()
    let device = try await RegisteredDevice(storage)
    await storage.fail("storePushNotification")
    await expect("storageFailure") { try await device.receive() }
  }

  // MARK: Time

  @Test func `a notification ends with its time, by either clock`() throws {
    let now = Date()
    func ends(_ ttl: Int, sent: TimeInterval?) -> TimeInterval {
      PushNotification(
        credentialId: "c", ttl: ttl, messageId: "m", pushType: .default, createdAt: now,
        sentAt: sent.map { now.addingTimeInterval($0) }
      ).expiresAt.timeIntervalSince(now)
    }
    #expect(abs(ends(120, sent: nil) - 120) < 0.001)
    #expect(abs(ends(120, sent: -5) - 120) < 0.001)
    // It came late: a minute is granted for clocks that differ.
    #expect(abs(ends(120, sent: -100) - 80) < 0.001)
    #expect(ends(120, sent: -300) < 0)
    // A time of sending that lies ahead says nothing.
    #expect(abs(ends(120, sent: 3600) - 120) < 0.001)
    let notification = PushNotification(
      credentialId: "c", ttl: 120, messageId: "m", pushType: .default, createdAt: now)
    #expect(!notification.isExpired(at: now.addingTimeInterval(120)))
    #expect(notification.isExpired(at: now.addingTimeInterval(120.001)))
  }

  @Test func `what is over is not pending and is not answered`() async throws {
    let device = try await RegisteredDevice()
    let notification = try await device.receive(ttl: 60)
    device.clock.advance(by: 60.5)
    #expect(try await device.client.getPendingNotifications().isEmpty)
    #expect(try await device.client.approveNotification(notification.id) == false)
    #expect(try await device.client.denyNotification(notification.id) == false)
    #expect(device.answers.isEmpty)
    #expect(try await device.client.getNotification(notificationId: notification.id)?.approved == false)
    // Late by the server's clock when it came.
    let late = try await device.receive(sentAt: device.clock.now.addingTimeInterval(-600))
    #expect(try await device.client.approveNotification(late.id) == false)
  }

  // MARK: Answering

  @Test func `an approval has no deny, and a denial has`() async throws {
    let device = try await RegisteredDevice()
    try await device.client.approveNotification(try await device.receive().id)
    try await device.client.denyNotification(
      try await device.receive().id, reason: String(repeating: "x", count: 500))
    let claims = try device.answers.map { asked in
      try JSONValue(
        parsing: LenientBase64.decode(asked.body["jwt"]?.stringValue?.split(separator: ".")[1] ?? "") ?? [])
    }
    #expect(claims[0].objectValue?.names == ["response"])
    #expect(claims[1]["deny"] == true && claims[1]["reason"]?.stringValue?.count == 200)
    for asked in device.answers {
      #expect(asked.headers["Cookie"] == "amlbcookie=01")
      #expect(asked.body.objectValue?.names.sorted() == ["jwt", "messageId"])
      let answer = try PushAnswer(
        verifying: asked.body["jwt"]?.stringValue ?? "", secret: device.server.secret)
      let challenge = try #require(device.server.challenge(of: asked.body["messageId"]?.stringValue))
      #expect(device.server.secret.isResponse(answer.response, to: challenge))
    }
  }

  @Test func `an answer to a server has to have what it asks for`() async throws {
    let device = try await RegisteredDevice()
    let tap = try await device.receive()
    let number = try await device.receive(.challenge, numbers: [17, 42, 80])
    let finger = try await device.receive(.biometric)
    let client = device.client
    await expect("invalidParameterValue") { try await client.approveNotification(number.id) }
    await expect("invalidParameterValue") {
      try await client.approveBiometricNotification(number.id, authenticationMethod: "face")
    }
    await expect("invalidParameterValue") {
      try await client.approveChallengeNotification(finger.id, challengeResponse: "42")
    }
    // Blank arguments are refused before anything is looked up.
    await expect("invalidParameterValue") {
      try await client.approveChallengeNotification("none", challengeResponse: " \n")
    }
    await expect("invalidParameterValue") {
      try await client.approveBiometricNotification("none", authenticationMethod: "")
    }
    #expect(device.answers.isEmpty)
    #expect(try await client.getPendingNotifications().count == 3)
    #expect(try await client.approveChallengeNotification(number.id, challengeResponse: "42"))
    #expect(try await client.approveBiometricNotification(finger.id, authenticationMethod: "fingerprint"))
    #expect(try await client.approveNotification(tap.id))
    let sent = try device.answers.map {
      try PushAnswer(verifying: $0.body["jwt"]?.stringValue ?? "", secret: device.server.secret)
    }
    #expect(sent.map(\.challengeResponse) == ["42", nil, nil])
  }

  @Test func `an app with one button that has recognised the person could not approve a biometric one`()
    async throws
  {
    let device = try await RegisteredDevice()
    #expect(try await device.client.approveNotification(try await device.receive(.biometric).id))
    // More than was asked for is enough.
    #expect(
      try await device.client.approveBiometricNotification(
        try await device.receive().id, authenticationMethod: "face"))
    #expect(
      try await device.client.approveChallengeNotification(
        try await device.receive().id, challengeResponse: "42"))
    let sent = try device.answers.map {
      try PushAnswer(verifying: $0.body["jwt"]?.stringValue ?? "", secret: device.server.secret)
    }
    #expect(sent.count == 3 && sent.allSatisfy { !$0.isDenied && $0.challengeResponse == nil })
  }

  @Test func `what is not there is named`() async throws {
    let device = try await RegisteredDevice()
    await expect("notificationNotFound") { try await device.client.approveNotification("none") }
    await expect("notificationNotFound") { try await device.client.denyNotification("none") }
    let notification = try await device.receive()
    _ = try await device.storage.removePushCredential(credentialId: device.credential.id)
    await expect("credentialNotFound") { try await device.client.approveNotification(notification.id) }
  }

  @Test func `a locked credential cannot approve, and can deny`() async throws {
    let policy = SwitchedPolicy()
    let device = try await RegisteredDevice(policies: #"{"deviceTampering":{}}"#) {
      $0.policyEvaluator = .create { $0.policies = [policy] }
    }
    let (first, second) = (try await device.receive(), try await device.receive())
    policy.set(false)
    await expect("credentialLocked") { try await device.client.approveNotification(first.id) }
    #expect(device.answers.isEmpty)
    #expect(try await device.client.denyNotification(second.id))
    policy.set(true)
    #expect(try await device.client.approveNotification(first.id))
  }

  @Test func `a failure leaves the question open`() async throws {
    let device = try await RegisteredDevice()
    let notification = try await device.receive()
    for status in [400, 500, 0] {
      device.server.answer(status)
      await expect("networkFailure") { try await device.client.approveNotification(notification.id) }
      #expect(try await device.client.getPendingNotifications().map(\.id) == [notification.id])
    }
    #expect(try await device.client.approveNotification(notification.id))
  }

  @Test func `a refused number is an error of its own, another refusal is not`() async throws {
    let device = try await RegisteredDevice()
    let notification = try await device.receive(.challenge, codeLength: 6)
    func approve() async throws -> Bool {
      try await device.client.approveChallengeNotification(notification.id, challengeResponse: "123456")
    }
    device.server.answer(400)
    await expect("pushNumberChallengeError") { try await approve() }
    device.server.answer(400, body: #"{"code":400,"message":"no","detail":{"errorCode":"wrongAnswer"}}"#)
    await expect("pushNumberChallengeError") { try await approve() }
    device.server.answer(400, body: #"{"code":400,"message":"over","detail":{"errorCode":"notOpen"}}"#)
    await expect("networkFailure") { try await approve() }
    device.server.answer(500)
    await expect("networkFailure") { try await approve() }
    device.server.answer(400)
    await expect("networkFailure") { try await device.client.denyNotification(notification.id) }
  }

  @Test(arguments: 0..<5) func `answers at the same time send one`(round: Int) async throws {
    let device = try await RegisteredDevice()
    let notification = try await device.receive()
    let asked = device.server.hold()
    let sent = try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<10 {
        group.addTask {
          index % 2 == 0
            ? try await device.client.approveNotification(notification.id)
            : try await device.client.denyNotification(notification.id)
        }
      }
      // Also when the wait fails: the group waits for its tasks.
      defer { device.server.release() }
      try await asked.wait(until: "an answer is sent")
      device.server.release()
      return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(sent == 1 && device.answers.count == 1)
    let answer = try PushAnswer(
      verifying: device.answers[0].body["jwt"]?.stringValue ?? "", secret: device.server.secret)
    #expect(try await device.client.getNotification(notification.id)?.approved == !answer.isDenied)
  }

  /// The server refuses the second answer; that the first one was another process's is not an error.
  @Test func `an answer that another process was faster with is no failure`() async throws {
    let device = try await RegisteredDevice()
    let notification = try await device.receive()
    let asked = device.server.hold()
    defer { device.server.release() }
    device.server.answer(400)
    let approving = Task { try await device.client.approveNotification(notification.id) }
    try await asked.wait(until: "the answer is sent")
    var answered = notification
    answered.markDenied()
    try await device.storage.updatePushNotification(answered)
    device.server.release()
    #expect(try await approving.value == false)
    #expect(try await device.client.getNotification(notification.id)?.approved == false)
  }

  @Test func `an answer that the server has counts, though it could not be stored`() async throws {
    let storage = MemoryPushStorage()
    let device = try await RegisteredDevice(storage)
    let notification = try await device.receive()
    await storage.fail("updatePushNotification")
    #expect(try await device.client.approveNotification(notification.id))
    #expect(try await device.client.approveNotification(notification.id) == false)
    #expect(try await device.client.getPendingNotifications().isEmpty)
    #expect(try await device.client.getNotification(notification.id)?.approved == true)
    await storage.fail()
    _ = try await device.client.getPendingNotifications()
    #expect(await storage.retrievePushNotification(notificationId: notification.id)?.approved == true)
    #expect(device.answers.count == 1)
  }

  // MARK: Cleaning up and closing

  @Test func `an old question that waits was kept, and a newer one that was answered removed`() async throws {
    try await withHome { home in
      let device = try await RegisteredDevice(PushKeychainStorage(home: home)) {
        $0.notificationCleanupConfig = .countBased(maxNotifications: 3)
      }
      var ids = [try await device.receive(ttl: 3600).id]
      for _ in 0..<4 {
        device.clock.advance(by: 1)
        let next = try await device.receive()
        try await device.client.denyNotification(next.id)
        ids.append(next.id)
      }
      #expect(try await device.client.getAllNotifications().map(\.id) == ids.suffix(3).reversed())
      #expect(try await device.client.getPendingNotifications().isEmpty)
    }
  }

  @Test func `each mode removes what it says`() async throws {
    let old = Date().addingTimeInterval(-20 * 86400)
    func removed(_ config: NotificationCleanupConfig, credentialId: String? = nil) async throws -> Int {
      let storage = MemoryPushStorage()
      for index in 0..<10 {
        try await storage.storePushNotification(
          PushNotification(
            credentialId: index % 2 == 0 ? "a" : "b", ttl: 1, messageId: "\(index)", pushType: .default,
            createdAt: index < 4 ? old : Date(), pending: false))
      }
      let client = try await makeClient(storage) { $0.notificationCleanupConfig = config }
      return try await client.cleanupNotifications(credentialId: credentialId)
    }
    #expect(try await removed(.none()) == 0)
    #expect(try await removed(.countBased(maxNotifications: 7)) == 3)
    #expect(try await removed(.countBased(maxNotifications: 2), credentialId: "a") == 3)
    #expect(try await removed(.ageBased(maxAgeDays: 14)) == 4)
    #expect(try await removed(.ageBased(maxAgeDays: 14), credentialId: "b") == 2)
    #expect(try await removed(.hybrid(maxNotifications: 8, maxAgeDays: 14)) == 4)
    #expect(try await removed(.hybrid(maxNotifications: 5, maxAgeDays: 14)) == 5)
  }

  @Test func `limits are at least one`() {
    let config = NotificationCleanupConfig(maxStoredNotifications: 0, maxNotificationAgeDays: -3)
    #expect(config.maxStoredNotifications == 1 && config.maxNotificationAgeDays == 1)
    let standard = NotificationCleanupConfig.default()
    #expect(standard.cleanupMode == .countBased && standard.maxStoredNotifications == 100)
    #expect(standard.maxNotificationAgeDays == 30)
  }

  @Test func `a closed client says so to every call`() async throws {
    let device = try await RegisteredDevice()
    let notification = try await device.receive()
    let client = device.client
    await client.close()
    await client.close()
    await expect("notInitialized") { try await client.getCredentials() }
    await expect("notInitialized") { try await client.getCredential("x") }
    await expect("notInitialized") { try await client.addCredentialFromUri("") }
    await expect("notInitialized") { try await client.saveCredential(device.credential) }
    await expect("notInitialized") { try await client.deleteCredential("x") }
    await expect("notInitialized") { try await client.setDeviceToken("") }
    await expect("notInitialized") { try await client.getDeviceToken() }
    await expect("notInitialized") { try await client.processNotification(message: "x") }
    await expect("notInitialized") { try await device.receive() }
    await expect("notInitialized") { try await client.approveNotification(notification.id) }
    await expect("notInitialized") {
      try await client.approveChallengeNotification("x", challengeResponse: "")
    }
    await expect("notInitialized") {
      try await client.approveBiometricNotification("x", authenticationMethod: "")
    }
    await expect("notInitialized") { try await client.denyNotification(notification.id) }
    await expect("notInitialized") { try await client.getPendingNotifications() }
    await expect("notInitialized") { try await client.getAllNotifications() }
    await expect("notInitialized") { try await client.getNotification("x") }
    await expect("notInitialized") { try await client.cleanupNotifications() }
    await expect("notInitialized") { try await client.fetchNotifications() }
    for await _ in client.notifications() { Issue.record("a closed client has no notifications") }
  }

  @Test func `closing waits for an answer that is on its way`() async throws {
    let device = try await RegisteredDevice()
    let notification = try await device.receive()
    let asked = device.server.hold()
    defer { device.server.release() }
    let approving = Task { try await device.client.approveNotification(notification.id) }
    try await asked.wait(until: "the answer is sent")
    let closing = Task { await device.client.close() }
    try await eventually("the client lets nothing begin") { device.client.gate.isClosed }
    device.server.release()
    #expect(try await approving.value)
    await closing.value
    #expect(
      try await device.storage.retrievePushNotification(notificationId: notification.id)?.approved == true)
  }
}
