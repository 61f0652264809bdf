import BindingFormats
import Bytes
import Foundation
import JourneyEngine
@testable import JourneyStore
import PushFormats
import PushService
import StrictJSON
import Testing

@testable import JourneyNodes

/// A sender that a test scripts.
private struct ScriptedSender: PushSender {
  var deliver: @Sendable () async throws -> Void = {}

  func address(forToken token: String) async throws -> String { token }
  func deliver(_ item: PushInboxItem, to device: PushDeviceRecord) async throws { try await deliver() }
}

@Suite("Push Sender") struct PushSenderTests {
  @Test func `sends what the reference says, and leaves id, time and device in state`() async throws {
    let world = try await World()
    try await world.pushDevice()
    var visit = try world.sender(["messageTimeout": 90000])
    #expect(try await visit.evaluate() == .outcome("SENT"))
    let message = try #require(try await world.messages().first)
    #expect(message.type == .default && message.timeToLive == 90 && message.username == "mira")
    #expect(message.text == "Login attempt from mira at Bank" && message.loadBalancer != nil)
    #expect(message.sentAtMilliseconds == world.now.millisecondsSince1970 && message.customPayload == "{}")
    #expect(message.numbers == [] && message.codeLength == nil && message.contextInfo == nil)
    #expect(message.challenge.bytes.count == 32)
    #expect(visit.state.shared["t"] == 90000 && visit.state.shared["pushMechanismUid"] == "m1")
    let id = try #require(visit.state.shared["pushMessageId"]?.stringValue)
    #expect(PushMessageID(id)?.kind == .authenticate)
    #expect(visit.state.shared["pushNumberChallengeKey"] == nil)
    let raw = try await world.store.pushInbox(mechanismUID: "m1", realm: "alpha", now: world.now)
    // Old apps pad the header before they recompute the signature.
    #expect((raw.first?.message.prefix { $0 != "." }.count ?? 1) % 4 == 0)
  }

  @Test func `uses the answered step up with the message, so that of two equal answers one sends`()
    async throws
  {
    let world = try await World()
    try await world.pushDevice()
    var visit = try world.sender()
    visit.step = AnsweredStep(key: [1], expiry: world.now + 300)
    var second = visit
    #expect(try await visit.evaluate() == .outcome("SENT"))
    #expect(visit.step == nil)
    await #expect(throws: StepWasUsed.self) { try await second.evaluate() }
    #expect(try await world.messages().count == 1)
    #expect(try await !world.store.consume([1], until: world.now + 300))
  }

  @Test func `leaves the step to the engine when it sends nothing`() async throws {
    let world = try await World()
    var visit = try world.sender()
    visit.step = AnsweredStep(key: [1], expiry: world.now + 300)
    #expect(try await visit.evaluate() == .outcome("NOT_REGISTERED"))
    #expect(visit.step != nil)
  }

  @Test(
    arguments: [
      ([:], ["SENT", "NOT_REGISTERED", "SKIPPED"]), (["mandatory": true], ["SENT", "NOT_REGISTERED"]),
      (["captureFailure": true], ["SENT", "NOT_REGISTERED", "SKIPPED", "FAILURE"]),
    ] as [(JSONObject, [String])])
  func `has outcomes as its properties say`(properties: JSONObject, expected: [String]) async throws {
    #expect(try await World().node("PushAuthenticationSenderNode", properties).outcomes == expected)
  }

  @Test(
    arguments: [
      (.notSet, false, false, "NOT_REGISTERED"), (.notSet, true, false, "SENT"),
      (.skippable, false, false, "SKIPPED"), (.skippable, true, false, "SKIPPED"),
      (.skippable, false, true, "NOT_REGISTERED"), (.skippable, true, true, "SENT"),
      (.notSkippable, false, false, "NOT_REGISTERED"), (.notSkippable, true, false, "SENT"),
    ] as [(SkipSetting, Bool, Bool, String)])
  func `is skipped, sent or led to registration by setting, device and property`(
    setting: SkipSetting, hasDevice: Bool, mandatory: Bool, expected: String
  ) async throws {
    let world = try await World()
    if hasDevice { try await world.pushDevice() }
    _ = try await world.store.pushDevices.set(setting, of: UniversalID(username: "mira", realm: "alpha"))
    var visit = try world.sender(["mandatory": .bool(mandatory)])
    #expect(try await visit.evaluate() == .outcome(expected))
    #expect((visit.state.shared["mfaMethod"] == "push") == (expected == "NOT_REGISTERED"))
  }

  @Test(arguments: ["none", "otto"])
  func `treats names that nobody or an inactive account has like those without a device`(name: String)
    async throws
  {
    var visit = try await World().sender(user: name)
    #expect(try await visit.evaluate() == .outcome("NOT_REGISTERED"))
  }

  @Test func `ends the journey on errors, or takes Failure with the reason when it captures them`()
    async throws
  {
    let world = try await World()
    try await world.pushDevice()
    var nobody = try world.sender(user: nil)
    await #expect(throws: NodeError.self) { try await nobody.evaluate() }
    nobody = try world.sender(["captureFailure": true], user: nil)
    #expect(try await nobody.evaluate() == .outcome("FAILURE"))
    #expect(nobody.state.shared["PushAuthFailureReason"] == "MISSING_USERNAME")
    var twice = try world.sender()
    _ = try await twice.evaluate()
    await #expect(throws: NodeError.self) { try await twice.evaluate() }
    twice = try world.sender(["captureFailure": true])
    _ = try await twice.evaluate()
    #expect(try await twice.evaluate() == .outcome("FAILURE"))
    #expect(twice.state.shared["PushAuthFailureReason"] == "SENDER_ALREADY_USED")
  }

  @Test func `inserts names as they are, whatever characters they have`() async throws {
    let world = try await World()
    try await world.store.createUser(
      UserRecord(realm: "alpha", username: #"$1{{issuer}}\0"#, passwordHash: "", createdAt: world.now))
    try await world.pushDevice(of: #"$1{{issuer}}\0"#)
    var visit = try world.sender(["userMessage": ["en": "{{user}} at {{issuer}}"]], user: #"$1{{issuer}}\0"#)
    #expect(try await visit.evaluate() == .outcome("SENT"))
    #expect(try await world.messages().first?.text == #"$1{{issuer}}\0 at Bank"#)
  }

  @Test func `offers three different numbers in order, the right one among them, new ones each time`()
    async throws
  {
    var world = try await World()
    world.pushLimits = PushLimits(openMessages: 1000, messagesSinceSuccess: 1000)
    try await world.pushDevice()
    var places: Set<Int> = []
    for _ in 0..<60 {
      var visit = try world.sender(["pushType": "CHALLENGE"])
      _ = try await visit.evaluate()
      let right = Int(visit.state.shared["pushNumberChallengeKey"]?.stringValue ?? "") ?? 0
      let id = visit.state.shared["pushMessageId"]?.stringValue ?? ""
      let item = try await world.store.pushInbox(mechanismUID: "m1", realm: "alpha", now: world.now)
        .first { $0.messageID == id }
      let message = try UnverifiedPushMessage(try #require(item).message)
        .verified(with: PushSecret(World.secret))
      #expect(Set(message.numbers).count == 3 && message.numbers == message.numbers.sorted())
      #expect(message.numbers.allSatisfy { (10...99).contains($0) } && message.type == .challenge)
      places.insert(try #require(message.numbers.firstIndex(of: right)))
      world.advance(1)
    }
    #expect(places == [0, 1, 2])
  }

  @Test func `says where the request came from only when it is told to, and takes no header's word for it`()
    async throws
  {
    let world = try await World()
    try await world.pushDevice()
    var visit = try world.sender(["contextInfo": true, "customPayload": ["amount", "none"]])
    visit.request.clientAddress = "203.0.113.7"
    visit.request.headers = ["user-agent": "Browser", "x-real-ip": "10.0.0.1"]
    visit.state.shared["amount"] = 5
    visit.state.shared["forgeRock.device.profile"] = ["location": ["latitude": 1.5]]
    #expect(try await visit.evaluate() == .outcome("SENT"))
    let message = try #require(try await world.messages().first)
    let facts = try JSONValue(parsing: Array((message.contextInfo ?? "").utf8))
    #expect(facts["remoteIp"] == "203.0.113.7" && facts["userAgent"] == "Browser")
    #expect(facts["location"]?["latitude"] == 1.5)
    #expect(message.customPayload == #"{"amount":5}"#)
  }

  @Test func `refuses a custom payload that no push service would take`() async throws {
    let world = try await World()
    try await world.pushDevice()
    var visit = try world.sender(["customPayload": ["text"]])
    visit.state.shared["text"] = .string(String(repeating: "x", count: 3100))
    await #expect(throws: NodeError.self) { try await visit.evaluate() }
  }

  @Test(
    arguments: [
      ["pushType": "OTHER"], ["messageTimeout": 0], ["customPayload": [[]]],
    ] as [JSONObject])
  func `cannot be made with properties that make no sense`(properties: JSONObject) async throws {
    let world = try await World()
    #expect(throws: JourneyFileError.self) {
      try world.node("PushAuthenticationSenderNode", properties)
    }
  }

  @Test func `never sends the password, and no code that lives longer than the limit`() async throws {
    let world = try await World()
    try await world.pushDevice()
    var visit = try world.sender(
      ["customPayload": ["password", "text"], "pushType": "CODE", "messageTimeout": 3_600_000])
    visit.state.shared["text"] = "shown"
    visit.state.transient["password"] = "secret"
    _ = try await visit.evaluate()
    let message = try #require(try await world.messages().first)
    #expect(message.customPayload == #"{"text":"shown"}"#)
    #expect(visit.state.shared["t"] == 600_000)
  }

  @Test func `fails when no sender takes the message, and then nothing is left to answer`() async throws {
    struct Down: Error {}
    var world = try await World()
    world.push = PushSenders(senders: ["apns": ScriptedSender { throw Down() }])
    try await world.pushDevice(type: "apns")
    var visit = try world.sender(["captureFailure": true])
    #expect(try await visit.evaluate() == .outcome("FAILURE"))
    #expect(visit.state.shared["PushAuthFailureReason"] == "TRANSMISSION_FAILURE")
    #expect(visit.state.shared["pushMessageId"] == nil)
    #expect(try await world.messages().isEmpty)
    // One device that can be reached is enough.
    try await world.pushDevice("m2")
    visit = try world.sender()
    #expect(try await visit.evaluate() == .outcome("SENT"))
    #expect(visit.reasons.contains { $0.contains("u-m1") })
  }

  @Test func `leaves devices out that this server has no sender for`() async throws {
    let world = try await World()
    try await world.pushDevice(type: "gcm")
    var visit = try world.sender()
    #expect(try await visit.evaluate() == .outcome("NOT_REGISTERED"))
  }

  @Test func `asks nobody on behalf of a locked account`() async throws {
    let world = try await World()
    try await world.pushDevice()
    for _ in 0..<5 {
      _ = try await world.store.settleAttempt(
        of: UniversalID(username: "mira", realm: "alpha"), isRight: false, policy: .standard, now: world.now)
    }
    var visit = try world.sender(["captureFailure": true])
    #expect(try await visit.evaluate() == .outcome("FAILURE"))
  }

  @Test func `somebody else's guesses do not keep the owner from a device that is known`() async throws {
    let world = try await World()
    try await world.pushDevice()
    for _ in 0..<5 {
      _ = try await world.store.settleAttempt(
        of: UniversalID(username: "mira", realm: "alpha"), isRight: false, policy: .standard, now: world.now)
    }
    var visit = try world.sender(["pushType": "CODE"])
    visit.request.headers["cookie"] = try await world.knownDeviceCookie()
    #expect(try await visit.evaluate() == .outcome("SENT"))
    // Wrong codes will count with that device.
    let id = try #require(visit.state.shared["pushMessageId"]?.stringValue)
    #expect(try await world.store.pushMessage(id: id, realm: "alpha")?.knownDevice?.isEmpty == false)
  }
}
