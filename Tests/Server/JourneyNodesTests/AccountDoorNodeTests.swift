import Accounts
import BindingFormats
import Concurrency
import Foundation
import JourneyEngine
import JourneyStore
import Logging
import MailService
import SecurityEvents
import StrictJSON
import Testing

@testable import JourneyNodes

/// Nodes and scripts as doors to accounts.
@Suite("Doors to accounts, in journeys") struct AccountDoorNodeTests {
  private final class Recorder: SecurityEventSink {
    let events = Locked<[SecurityEvent]>([])
    func record(_ event: SecurityEvent, durably: Bool) async throws {
      events.withLock { $0.append(event) }
    }
  }

  private static let changes: [JSONObject] = [
    ["password": "seven grey herons"], ["mail": "new@example.com"],
    ["aliasList": ["https://idp.example eve"]],
    ["kbaInfo": [["questionId": "1", "answer": ["hash": "x"]]]],
  ]

  private func state(_ world: World, isProven: Bool, collected: JSONObject) -> JourneyState {
    var state = JourneyState(username: "mira", collected: collected)
    if isProven { state.noteAuthentication(at: world.now, by: "password") }
    return state
  }

  @Test(arguments: changes, [true, false])
  func `a node changes what lets somebody in only for whom the run has just proven, and the event says so`(
    values: JSONObject, isProven: Bool
  ) async throws {
    var world = try await World()
    world.factorChanges = FactorChangePolicy(standard: .fresh)
    let recorder = Recorder()
    let clock = world.services.clock
    world.events = SecurityEvents(sink: recorder, clock: clock, logger: Logger(label: "test"))
    let before = try await world.user()
    var visit = try world.visit(
      "PatchObjectNode", ["identityResource": "managed/user", "patchAsObject": false],
      state: state(world, isProven: isProven, collected: values))
    if isProven {
      #expect(try await visit.evaluate() == .outcome("PATCHED"))
      #expect(try await world.user() != before)
      let isPassword = values["password"] != nil
      let event = try #require(recorder.events.withLock { $0.first })
      #expect(event.kind == (isPassword ? .passwordChanged : .accountChanged))
      #expect(event.account == "mira" && event.journey == "")
    } else {
      await #expect(throws: NodeRefusal.self) { try await visit.evaluate() }
      #expect(try await world.user() == before)
      #expect(recorder.events.withLock { $0.isEmpty })
    }
  }

  @Test(arguments: changes.dropLast(), [true, false])
  func `a script does, too`(values: JSONObject, isProven: Bool) async throws {
    var world = try await World()
    world.factorChanges = FactorChangePolicy(standard: .fresh)
    let before = try await world.user()
    let context = NodeContext(
      nodeID: "n", request: world.request, state: state(world, isProven: isProven, collected: [:]))
    let door = ScriptIdentities(objects: world.services.identities(for: context.actor), realm: "alpha")
    let (name, value) = try #require(values.map { ($0.name, $0.value) }.first)
    let patch = ScriptCall(
      function: "openidm.patch",
      arguments: [
        .string("managed/user/\(before.id)"), .null,
        [["operation": "replace", "field": .string("/\(name)"), "value": value]],
      ])
    if isProven {
      _ = try await door.answer(patch)
      #expect(try await world.user() != before)
    } else {
      await #expect(throws: (any Error).self) { try await door.answer(patch) }
      await #expect(throws: (any Error).self) {
        try await door.answer(
          ScriptCall(
            function: "openidm.delete", arguments: [.string("managed/user/\(before.id)"), .null]))
      }
      #expect(try await world.user() == before)
    }
  }

  @Test func `somebody else's account is not the run's, whatever it has proven`() async throws {
    var world = try await World()
    world.factorChanges = FactorChangePolicy(standard: .fresh)
    let rosa = try await world.user("rosa")
    let context = NodeContext(
      nodeID: "n", request: world.request, state: state(world, isProven: true, collected: [:]))
    let objects = world.services.identities(for: context.actor)
    for operation: JSONObject in [
      ["operation": "replace", "field": "/mail", "value": "thief@example.com"],
      ["operation": "replace", "field": "/password", "value": "seven grey herons"],
    ] {
      await #expect(throws: (any Error).self) {
        try await objects.patch(
          "managed/user/\(rosa.id)", revision: nil, operations: [operation], realm: "alpha")
      }
    }
    #expect(try await world.user("rosa") == rosa)
  }

  // MARK: Mail

  /// Mira's address was changed in a session.
  private func changeMail(_ world: World, to address: String) async throws {
    try await world.set([:], mail: ["mira@example.com"])
    let user = try await world.user()
    let run = AccountActor.journey(
      AccountActor.JourneyFacts(
        journey: "Profile", realm: "alpha", username: "mira", authenticatedAt: world.now))
    _ = try await world.services.accounts.change(user.account, by: run) { _ in
      var change = AccountChange()
      change.mail = [address]
      return change
    }
  }

  private func sent(_ world: World, _ state: JourneyState, _ mail: MailRecorder) async throws -> (
    Visit, String?
  ) {
    var visit = try world.visit(
      "EmailSuspendNode", MailNodeTests.properties, state: state, attachments: MailNodeTests.attachments)
    guard case .suspend(let suspension) = try await visit.evaluate() else {
      throw Unexpected("not suspended")
    }
    try await suspension.afterStoring()
    return (visit, mail.messages.last?.recipient.text)
  }

  @Test func `recovery goes to the old address until the new one is confirmed by a link`() async throws {
    var world = try await World()
    let mail = try world.recordMail()
    try await changeMail(world, to: "new@example.com")
    #expect(mail.messages.map(\.recipient.text) == ["mira@example.com"], "the notice")
    #expect(mail.messages.first?.text.contains("http") == false)
    #expect(try await sent(world, JourneyState(username: "mira"), mail).1 == "mira@example.com")
    var (visit, recipient) = try await sent(
      world, state(world, isProven: true, collected: [:]), mail)
    #expect(recipient == "new@example.com", "whoever is signed in confirms the new one")
    visit.isResumed = true
    _ = try await visit.evaluate()
    #expect(try await MailState(world.user()).isConfirmed("new@example.com"))
    #expect(try await sent(world, JourneyState(username: "mira"), mail).1 == "new@example.com")
  }

  @Test func `a link that was sent to an earlier address of the account signs nobody in`() async throws {
    var world = try await World()
    let mail = try world.recordMail()
    try await world.set([:], mail: ["mira@example.com"])
    var (visit, recipient) = try await sent(world, JourneyState(username: "mira"), mail)
    #expect(recipient == "mira@example.com")
    // By an administrator, for whom the new address counts at once.
    try await world.set([:], mail: ["new@example.com"])
    visit.isResumed = true
    await #expect(throws: NodeError.self) { try await visit.evaluate() }
    #expect(visit.state.authenticatedAt == nil && visit.state.factors.isEmpty)
    try await world.set([:], mail: ["Mira@example.com"])
    #expect(try await visit.evaluate() == .outcome("outcome"))
    #expect(visit.state.factors == ["mail"])
  }

  @Test func `a one-time code goes to the old address, even after the password`() async throws {
    var world = try await World()
    let mail = try world.recordMail()
    try await changeMail(world, to: "new@example.com")
    var state = state(world, isProven: true, collected: [:])
    state.transient["oneTimePassword"] = "12345678"
    var visit = try world.visit("OneTimePasswordSmtpSenderNode", [:], state: state)
    _ = try await visit.evaluate()
    #expect(mail.messages.last?.recipient.text == "mira@example.com")
  }

  @Test func `an address that somebody wrote into their account keeps nobody from theirs`() async throws {
    var world = try await World()
    _ = try world.recordMail()
    try await changeMail(world, to: "rosa@example.com")
    try await world.set([:], mail: ["rosa@example.com"], of: "rosa")
    var context = NodeContext(
      nodeID: "n", request: world.request, state: JourneyState(collected: ["mail": "rosa@example.com"]))
    #expect(try await world.services.identity(in: &context, by: "mail")?.username == "rosa")
  }

  @Test func `an account that is made after its link was opened has a confirmed address`() async throws {
    var world = try await World()
    let mail = try world.recordMail()
    var properties = MailNodeTests.properties
    properties["objectLookup"] = false
    for opensLink in [true, false] {
      let name = opensLink ? "eve" : "eva"
      var visit = try world.visit(
        "EmailSuspendNode", properties,
        state: JourneyState(
          collected: [
            "userName": .string(name), "mail": .string("\(name)@example.com"), "givenName": "E", "sn": "E",
          ]),
        attachments: MailNodeTests.attachments)
      if opensLink {
        guard case .suspend(let suspension) = try await visit.evaluate() else {
          throw Unexpected("not suspended")
        }
        try await suspension.afterStoring()
        visit.isResumed = true
        _ = try await visit.evaluate()
      }
      var creation = try world.visit(
        "CreateObjectNode", ["identityResource": "managed/user"], state: visit.state)
      #expect(try await creation.evaluate() == .outcome("CREATED"))
      let user = try await world.user(name)
      #expect(creation.state.accountID == user.id)
      #expect(MailState(user).isConfirmed("\(name)@example.com") == opensLink)
      #expect(user.countingMail == (opensLink ? "\(name)@example.com" : nil))
    }
    #expect(mail.messages.count == 1)
  }
}
