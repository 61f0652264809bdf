import BindingFormats
import Bytes
import Foundation
import JourneyEngine
import JourneyStore
import Logging
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

extension World {
  static let secret = [UInt8](repeating: 7, count: 32)

  /// Gives the user a push device.
  @discardableResult
  func pushDevice(
    _ id: String = "m1", of username: String = "mira", type: String = "poll"
  ) async throws -> PushDeviceRecord {
    let message = PushMessageRecord(
      id: "REGISTER:\(id)", realm: "alpha", username: username, kind: .registration,
      challenge: StoredSecret(Self.secret),
      enrolment: .init(
        uuid: "u-\(id)", issuer: "Bank", sharedSecret: StoredSecret(Self.secret), deviceLimit: 0),
      sentAt: now, expiresAt: now + 60)
    try await store.openPushEnrolment(message)
    let device = PushDeviceRecord(
      uuid: "u-\(id)", realm: "alpha", username: username, deviceName: "Phone", mechanismUID: id,
      issuer: "Bank", sharedSecret: StoredSecret(Self.secret), communicationType: type,
      communicationID: "token", deviceType: "linux", deviceToken: "token", createdDate: now,
      lastAccessDate: now)
    #expect(try await store.completePushEnrolment(id: message.id, device: device, now: now) == .added)
    return device
  }

  func sender(_ properties: JSONObject = [:], user: String? = "mira") throws -> Visit {
    try visit("PushAuthenticationSenderNode", properties, state: JourneyState(username: user))
  }

  /// What a device with the id gets.
  func messages(_ id: String = "m1") async throws -> [PushMessage] {
    try await store.pushInbox(mechanismUID: id, realm: "alpha", now: now).map {
      try UnverifiedPushMessage($0.message).verified(with: PushSecret(Self.secret))
    }
  }
}

@Suite("Push Sender") struct PushSenderTests {
  @Test("sends what the reference says, and leaves id, time and device in state")
  func sends() async throws {
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

  @Test(
    "has outcomes as its properties say",
    arguments: [
      ([:], ["SENT", "NOT_REGISTERED", "SKIPPED"]), (["mandatory": true], ["SENT", "NOT_REGISTERED"]),
      (["captureFailure": true], ["SENT", "NOT_REGISTERED", "SKIPPED", "FAILURE"]),
    ] as [(JSONObject, [String])])
  func outcomes(properties: JSONObject, expected: [String]) async throws {
    #expect(try await World().node("PushAuthenticationSenderNode", properties).outcomes == expected)
  }

  @Test(
    "is skipped, sent or led to registration by setting, device and property",
    arguments: [
      (.notSet, false, false, "NOT_REGISTERED"), (.notSet, true, false, "SENT"),
      (.skippable, false, false, "SKIPPED"), (.skippable, true, false, "SKIPPED"),
      (.skippable, false, true, "NOT_REGISTERED"), (.skippable, true, true, "SENT"),
      (.notSkippable, false, false, "NOT_REGISTERED"), (.notSkippable, true, false, "SENT"),
    ] as [(SkipSetting, Bool, Bool, String)])
  func skip(setting: SkipSetting, hasDevice: Bool, mandatory: Bool, expected: String) async throws {
    let world = try await World()
    if hasDevice { try await world.pushDevice() }
    _ = try await world.store.pushDevices.set(setting, of: UniversalID(username: "mira", realm: "alpha"))
    var visit = try world.sender(["mandatory": .bool(mandatory)])
    #expect(try await visit.evaluate() == .outcome(expected))
    #expect((visit.state.shared["mfaMethod"] == "push") == (expected == "NOT_REGISTERED"))
  }

  @Test(
    "treats names that nobody or an inactive account has like those without a device",
    arguments: ["none", "otto"])
  func nobody(name: String) async throws {
    var visit = try await World().sender(user: name)
    #expect(try await visit.evaluate() == .outcome("NOT_REGISTERED"))
  }

  @Test("ends the journey on errors, or takes Failure with the reason when it captures them")
  func failures() async throws {
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

  @Test("inserts names as they are, whatever characters they have")
  func names() async throws {
    let world = try await World()
    try await world.store.createUser(
      UserRecord(realm: "alpha", username: #"$1{{issuer}}\0"#, passwordHash: "", createdAt: world.now))
    try await world.pushDevice(of: #"$1{{issuer}}\0"#)
    var visit = try world.sender(["userMessage": ["en": "{{user}} at {{issuer}}"]], user: #"$1{{issuer}}\0"#)
    #expect(try await visit.evaluate() == .outcome("SENT"))
    #expect(try await world.messages().first?.text == #"$1{{issuer}}\0 at Bank"#)
  }

  @Test("offers three different numbers in order, the right one among them, new ones each time")
  func numbers() async throws {
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

  @Test("says where the request came from only when it is told to, and takes no header's word for it")
  func context() async throws {
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

  @Test("refuses a custom payload that no push service would take")
  func payload() async throws {
    let world = try await World()
    try await world.pushDevice()
    var visit = try world.sender(["customPayload": ["text"]])
    visit.state.shared["text"] = .string(String(repeating: "x", count: 3100))
    await #expect(throws: NodeError.self) { try await visit.evaluate() }
  }

  @Test(
    "does not load with properties that make no sense",
    arguments: [
      ["pushType": "OTHER"], ["pushType": "CODE", "messageTimeout": 600_001], ["messageTimeout": 0],
      ["customPayload": ["password"]],
    ] as [JSONObject])
  func properties(properties: JSONObject) async throws {
    let world = try await World()
    #expect(throws: JourneyFileError.self) {
      try world.node("PushAuthenticationSenderNode", properties)
    }
  }

  @Test("fails when no sender takes the message, and then nothing is left to answer")
  func transmission() async throws {
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

  @Test("leaves devices out that this server has no sender for")
  func unknownSender() async throws {
    let world = try await World()
    try await world.pushDevice(type: "gcm")
    var visit = try world.sender()
    #expect(try await visit.evaluate() == .outcome("NOT_REGISTERED"))
  }

  @Test("asks nobody on behalf of a locked account")
  func locked() async throws {
    let world = try await World()
    try await world.pushDevice()
    for _ in 0..<5 {
      _ = try await world.store.recordFailure(
        of: UniversalID(username: "mira", realm: "alpha"), policy: .standard, now: world.now)
    }
    var visit = try world.sender(["captureFailure": true])
    #expect(try await visit.evaluate() == .outcome("FAILURE"))
  }

  @Test("somebody else's guesses do not keep the owner from a device that is known")
  func lockedElsewhere() async throws {
    let world = try await World()
    try await world.pushDevice()
    for _ in 0..<5 {
      _ = try await world.store.recordFailure(
        of: UniversalID(username: "mira", realm: "alpha"), policy: .standard, now: world.now)
    }
    var visit = try world.sender(["pushType": "CODE"])
    visit.request.headers["cookie"] = try await world.knownDeviceCookie()
    #expect(try await visit.evaluate() == .outcome("SENT"))
    // Wrong codes will count with that device.
    let id = try #require(visit.state.shared["pushMessageId"]?.stringValue)
    #expect(try await world.store.pushMessage(id: id, realm: "alpha")?.knownDevice?.isEmpty == false)
  }
}

@Suite("Push Result Verifier") struct PushResultVerifierTests {
  private func sent(_ world: World, _ type: String = "DEFAULT") async throws -> Visit {
    try await world.pushDevice()
    var sender = try world.sender(["pushType": .string(type)])
    _ = try await sender.evaluate()
    return try world.visit("PushResultVerifierNode", state: sender.state)
  }

  private func id(_ visit: Visit) -> String { visit.state.shared["pushMessageId"]?.stringValue ?? "" }

  private func expectClean(_ state: JourneyState) {
    for key in ["pushMessageId", "pushMessageExpiration", "t", "pushNumberChallengeKey"] {
      #expect(state.shared[key] == nil, "\(key)")
    }
  }

  @Test("waits while nobody has answered, and says until when")
  func waiting() async throws {
    let world = try await World()
    var visit = try await sent(world)
    #expect(try await visit.evaluate() == .outcome("WAITING"))
    #expect(visit.state.shared["pushMessageExpiration"] == .integer((world.now + 120).millisecondsSince1970))
    #expect(visit.state.shared["pushMessageId"] != nil)
  }

  @Test("counts the time from sending, not from its first visit")
  func expired() async throws {
    let world = try await World()
    var visit = try await sent(world)
    world.advance(120)
    #expect(try await visit.evaluate() == .outcome("EXPIRED"))
    expectClean(visit.state)
  }

  @Test("takes a message that is gone for an expired one")
  func missing() async throws {
    let world = try await World()
    var visit = try await sent(world)
    _ = try await world.store.removePushMessage(id: id(visit), realm: "alpha")
    #expect(try await visit.evaluate() == .outcome("EXPIRED"))
    expectClean(visit.state)
  }

  @Test(
    "takes an approval, once, and notes the device's use; nothing of a number is left for a later message")
  func approved() async throws {
    let world = try await World()
    var visit = try await sent(world, "CHALLENGE")
    let number = visit.state.shared["pushNumberChallengeKey"]?.stringValue
    world.advance(10)
    _ = try await world.store.decidePushMessage(
      id: id(visit), realm: "alpha", as: .approved, by: "m1", reason: nil, now: world.now)
    var again = visit
    #expect(try await visit.evaluate() == .outcome("TRUE"))
    expectClean(visit.state)
    #expect(
      visit.state.shared["pushContent"]?["challengeResponse"]?.integerValue == number.flatMap { Int64($0) })
    #expect(visit.state.shared["pushMechanismUid"] == "m1")
    #expect(
      try await world.store.pushDevices.all(of: UniversalID(username: "mira", realm: "alpha")).first?
        .lastAccessDate == world.now)
    #expect(try await again.evaluate() == .outcome("EXPIRED"))
    // A tap after a number shows no number.
    var sender = Visit(
      node: try world.node("PushAuthenticationSenderNode"), request: world.request, state: visit.state)
    #expect(try await sender.evaluate() == .outcome("SENT"))
    #expect(sender.state.shared["pushNumberChallengeKey"] == nil)
  }

  @Test("takes a denial, and keeps its reason for the operator")
  func denied() async throws {
    let world = try await World()
    var visit = try await sent(world)
    _ = try await world.store.decidePushMessage(
      id: id(visit), realm: "alpha", as: .denied, by: "m1", reason: "not me", now: world.now)
    #expect(try await visit.evaluate() == .outcome("FALSE"))
    expectClean(visit.state)
    #expect(visit.reasons.contains { $0.contains("not me") })
  }

  @Test("accepts no approval for another user than the journey's, and none after a lock")
  func otherUser() async throws {
    let world = try await World()
    var visit = try await sent(world)
    _ = try await world.store.decidePushMessage(
      id: id(visit), realm: "alpha", as: .approved, by: "m1", reason: nil, now: world.now)
    var locked = visit
    visit.state.username = "rosa"
    await #expect(throws: NodeError.self) { try await visit.evaluate() }
    locked.state.shared["pushMessageId"] = nil
    await #expect(throws: NodeError.self) { try await locked.evaluate() }
  }
}

@Suite("Push Registration") struct PushRegistrationTests {
  private func visit(_ world: World, _ properties: JSONObject = [:], user: String = "mira") throws -> Visit {
    var visit = try world.visit("PushRegistrationNode", properties, state: JourneyState(username: user))
    visit.request.baseURL = "https://id.example.com/am"
    return visit
  }

  private func uri(_ callbacks: [OutgoingCallback]) throws -> PushEnrolmentURI {
    let text = try #require(callbacks[2].output("value")?.stringValue)
    return try PushEnrolmentURI(parsing: text)
  }

  @Test("shows text, script, address and polling, in this order, and the same until the device answers")
  func callbacks() async throws {
    let world = try await World()
    var visit = try visit(world)
    let first = try await visit.ask()
    #expect(
      first.map(\.type) == [
        "TextOutputCallback", "TextOutputCallback", "HiddenValueCallback", "PollingWaitCallback",
        "HiddenValueCallback",
      ])
    #expect(first[4].output("id") == "mfaDeviceRegistrationSecondsLeft" && first[4].output("value") == "60")
    #expect(first[0].output("messageType") == "0" && first[1].output("messageType") == "4")
    #expect(first[2].output("id") == "mfaDeviceRegistration" && first[3].output("waitTime") == "2000")
    let enrolment = try uri(first)
    #expect(enrolment.issuer == "ForgeRock" && enrolment.accountName == "mira" && enrolment.userID == "mira")
    #expect(
      enrolment.backgroundColor == "#032b75" && enrolment.imageURL == nil && enrolment.loadBalancer != nil)
    let endpoint = "https://id.example.com/am/json/alpha/push/sns/message?_action="
    #expect(enrolment.registrationURL.description == endpoint + "register")
    #expect(enrolment.authenticationURL.description == endpoint + "authenticate")
    #expect(try await visit.ask() == first)
  }

  @Test("times out by the clock, however often the client polls, and leaves nothing behind")
  func timeout() async throws {
    let world = try await World()
    var fast = try visit(world)
    for _ in 0..<100 { _ = try await fast.ask() }
    var slow = fast
    world.advance(59)
    _ = try await fast.ask()
    world.advance(1)
    #expect(try await fast.evaluate() == .outcome("timeoutOutcome"))
    #expect(fast.state.shared["pushMessageId"] == nil && fast.state.shared["pushRegistrationTimeout"] == nil)
    #expect(fast.state.transient["pushRegistrationUri"] == nil)
    #expect(try await slow.evaluate() == .outcome("timeoutOutcome"))
    // What follows finds a clean state.
    try await world.pushDevice()
    var sender = Visit(
      node: try world.node("PushAuthenticationSenderNode"), request: world.request, state: fast.state)
    #expect(try await sender.evaluate() == .outcome("SENT"))
  }

  @Test(
    "writes issuer, account and colours so that they are read back",
    arguments: ["Bank: A/B?c=d&e#f%20", "Überseebank", "$1\\2"])
  func odd(issuer: String) async throws {
    let world = try await World()
    var visit = try visit(
      world, ["issuer": .string(issuer), "bgColor": "#aabbcc", "imgUrl": "https://id.example.com/img?id=7"])
    let enrolment = try uri(try await visit.ask())
    #expect(enrolment.issuer == issuer && enrolment.accountName == "mira")
    #expect(enrolment.backgroundColor == "#aabbcc")
    #expect(enrolment.imageURL == "https://id.example.com/img?id=7")
  }

  @Test(
    "names the account by the chosen attribute, and by the user name without it",
    arguments: [
      ("USERNAME", "rich"), ("EMAIL_ADDRESS", "r@example.com"), ("COMMON_NAME", "Richard:/?"),
      ("GIVEN_NAME", "Rich"), ("LAST_NAME", "rich"), ("EMPLOYEE_NUMBER", "rich"),
    ])
  func accountName(source: String, expected: String) async throws {
    let world = try await World()
    try await world.store.createUser(
      UserRecord(
        realm: "alpha", username: "rich", passwordHash: "", mail: ["r@example.com"],
        attributes: ["cn": ["Richard:/?"], "givenName": "Rich", "sn": ""], createdAt: world.now))
    var visit = try visit(world, ["accountName": .string(source)], user: "rich")
    #expect(try uri(try await visit.ask()).accountName == expected)
  }

  @Test("gives who has a device no second one, unless it allows several")
  func several() async throws {
    let world = try await World()
    try await world.pushDevice()
    var one = try visit(world)
    #expect(try await one.evaluate() == .outcome("successOutcome"))
    var two = try visit(world, ["allowMultipleDevices": true])
    #expect(try await two.ask().count == 5)
  }

  @Test("ends the journey without a user, a server address, or while another message is under way")
  func errors() async throws {
    let world = try await World()
    var nobody = try visit(world, user: "none")
    await #expect(throws: NodeError.self) { try await nobody.evaluate() }
    var nowhere = try visit(world)
    nowhere.request.baseURL = ""
    await #expect(throws: NodeError.self) { try await nowhere.evaluate() }
    var busy = try visit(world)
    busy.state.shared["pushMessageId"] = "AUTHENTICATE:1"
    await #expect(throws: NodeError.self) { try await busy.evaluate() }
  }

  @Test("leaves ten codes for the display node, or none when it makes none", arguments: [true, false])
  func codes(generates: Bool) async throws {
    let world = try await World()
    var visit = try visit(world, ["generateRecoveryCodes": .bool(generates)])
    let enrolment = try uri(try await visit.ask())
    let service = PushDeviceService(world.services.pushDevices, logger: Logger(label: "test"))
    let address = PushDeviceAddress(deviceID: "t", deviceType: "linux", communicationType: "poll")
    let registration = PushRegistration(
      response: enrolment.secret.response(to: try #require(enrolment.challenge)), mechanismUID: "M",
      address: address)
    try await service.register(
      PushAnswerBody(
        messageID: try #require(enrolment.messageID),
        jwt: try await registration.token(secret: enrolment.secret)), realm: "alpha")
    #expect(try await visit.evaluate() == .outcome("successOutcome"))
    let codes = visit.state.transient["recoveryCodes"]?.arrayValue ?? []
    #expect(codes.count == (generates ? 10 : 0))
    #expect(
      try await world.store.pushDevices.skipSetting(of: UniversalID(username: "mira", realm: "alpha"))
        == .notSkippable)
    guard generates else { return }
    var display = try world.visit("RecoveryCodeDisplayNode", state: visit.state)
    let shown = try await display.ask()
    #expect(
      shown.count == 1 && shown[0].type == "TextOutputCallback" && shown[0].output("messageType") == "0")
    #expect(shown[0].output("message")?.stringValue?.split(separator: "\n").count == 10)
    #expect(display.state.transient["recoveryCodes"] == nil)
    #expect(try await display.evaluate() == .outcome("outcome"))
    var collector = try world.visit(
      "RecoveryCodeCollectorDecisionNode", ["recoveryCodeType": "PUSH"], state: JourneyState(username: "mira")
    )
    #expect(try await collector.ask().map(\.type) == ["NameCallback"])
    let code = try #require(codes.first?.stringValue)
    #expect(try await collector.answer(["": .string(code.lowercased())]) == .outcome("true"))
    #expect(try await collector.answer(["": .string(code)]) == .outcome("false"))
    #expect(try await world.lockout().consecutiveFailures == 1)
  }
}

@Suite("Nodes that wait, and doing without") struct PushWaitTests {
  @Test("Push Wait shows text and button, the number when there is one, and is done after its time")
  func pushWait() async throws {
    let world = try await World()
    for number in [nil, "42"] {
      var visit = try world.visit(
        "PushWaitNode",
        ["waitingMessage": ["en": "{{time}} s"], "challengeMessage": ["en": "Pick {{challenge}}"]])
      visit.state.shared["pushNumberChallengeKey"] = number.map(JSONValue.string)
      let callbacks = try await visit.ask()
      let types =
        ["PollingWaitCallback"] + (number == nil ? [] : ["HiddenValueCallback"]) + ["ConfirmationCallback"]
      #expect(callbacks.map(\.type) == types)
      #expect(callbacks[0].output("waitTime") == "5000")
      #expect(callbacks[0].output("message") == (number == nil ? "5 s" : "Pick 42"))
      if number != nil {
        #expect(callbacks[1].output("id") == "pushChallengeNumber" && callbacks[1].output("value") == "42")
      }
      world.advance(4)
      #expect(try await visit.ask()[0].output("waitTime") == "1000")
      var left = visit
      world.advance(1)
      #expect(try await visit.evaluate() == .outcome("DONE"))
      #expect(visit.state.shared["n.end_time"] == nil)
      let press = [[String: JSONValue]](repeating: [:], count: types.count - 1) + [["": 0]]
      #expect(try await left.evaluate(CallbackReply(callbacks: press)) == .outcome("EXITED"))
      #expect(left.state.shared["n.end_time"] == nil)
    }
  }

  @Test("Polling Wait is done after its time; posts that come too early are spam when it looks for that")
  func pollingWait() async throws {
    let world = try await World()
    let properties: JSONObject = [
      "secondsToWait": 3, "spamDetectionEnabled": true, "spamDetectionTolerance": 2, "exitable": true,
    ]
    #expect(try world.node("PollingWaitNode").outcomes == ["DONE"])
    #expect(try world.node("PollingWaitNode", properties).outcomes == ["DONE", "EXITED", "SPAM"])
    var visit = try world.visit("PollingWaitNode", properties)
    for _ in 0..<3 {
      #expect(try await visit.ask().map(\.type) == ["PollingWaitCallback", "ConfirmationCallback"])
    }
    var patient = visit
    #expect(try await visit.evaluate() == .outcome("SPAM"))
    #expect(visit.state.shared.isEmpty)
    world.advance(3)
    #expect(try await patient.evaluate() == .outcome("DONE"))
    #expect(patient.state.shared.isEmpty)
  }

  @Test("Opting out makes push skippable; other methods are refused")
  func optOut() async throws {
    let world = try await World()
    var visit = try world.visit("OptOutMultiFactorAuthenticationNode", state: JourneyState(username: "mira"))
    visit.state.shared["mfaMethod"] = "push"
    #expect(try await visit.evaluate() == .outcome("outcome"))
    #expect(
      try await world.store.pushDevices.skipSetting(of: UniversalID(username: "mira", realm: "alpha"))
        == .skippable)
    visit.state.shared["mfaMethod"] = "other"
    await #expect(throws: NodeError.self) { try await visit.evaluate() }
  }
}
