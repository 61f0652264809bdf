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

  @Test func `shows text, script, address and polling, in this order, and the same until the device answers`()
    async throws
  {
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

  @Test func `times out by the clock, however often the client polls, and leaves nothing behind`()
    async throws
  {
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

  @Test(arguments: ["Bank: A/B?c=d&e#f%20", "Überseebank", "$1\\2"])
  func `writes issuer, account and colours so that they are read back`(issuer: String) async throws {
    let world = try await World()
    var visit = try visit(
      world, ["issuer": .string(issuer), "bgColor": "#aabbcc", "imgUrl": "https://id.example.com/img?id=7"])
    let enrolment = try uri(try await visit.ask())
    #expect(enrolment.issuer == issuer && enrolment.accountName == "mira")
    #expect(enrolment.backgroundColor == "#aabbcc")
    #expect(enrolment.imageURL == "https://id.example.com/img?id=7")
  }

  @Test(
    arguments: [
      ("USERNAME", "rich"), ("EMAIL_ADDRESS", "r@example.com"), ("COMMON_NAME", "Richard:/?"),
      ("GIVEN_NAME", "Rich"), ("LAST_NAME", "rich"), ("EMPLOYEE_NUMBER", "rich"),
    ])
  func `names the account by the chosen attribute, and by the user name without it`(
    source: String, expected: String
  ) async throws {
    let world = try await World()
    try await world.store.createUser(
      UserRecord(
        realm: "alpha", username: "rich", passwordHash: "", mail: ["r@example.com"],
        attributes: ["cn": ["Richard:/?"], "givenName": "Rich", "sn": ""], createdAt: world.now))
    var visit = try visit(world, ["accountName": .string(source)], user: "rich")
    #expect(try uri(try await visit.ask()).accountName == expected)
  }

  @Test func `gives who has a device no second one, unless it allows several`() async throws {
    let world = try await World()
    try await world.pushDevice()
    var one = try visit(world)
    #expect(try await one.evaluate() == .outcome("successOutcome"))
    var two = try visit(world, ["allowMultipleDevices": true])
    #expect(try await two.ask().count == 5)
  }

  @Test func `ends the journey without a user, a server address, or while another message is under way`()
    async throws
  {
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

  @Test(arguments: [true, false])
  func `leaves ten codes for the display node, or none when it makes none`(generates: Bool) async throws {
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
    #expect(try await world.lockout(LockoutScope(.recoveryCodes)).consecutiveFailures == 1)
    // An account that gets the name later is not the run's.
    #expect(try await collector.state.accountID == world.user().id)
  }
}
