import BindingFormats
import Foundation
import JourneyEngine
import JourneyStore
import OATH
import StrictJSON
import Testing

@testable import JourneyNodes

/// Authenticators that are stored after their first code.
@Suite("Authenticators before their first code") struct OathDraftTests {
  private let postponed: JSONObject = ["postponeDeviceProfileStorage": true]

  /// The state after the QR code, and the phone that scanned it.
  private func scanned(_ world: World, user: String = "mira") async throws -> (JourneyState, OneTimePassword)
  {
    var visit = try world.visit(
      "OathRegistrationNode", postponed, state: JourneyState(username: user))
    let uri = try #require(try await visit.ask()[2].output("value")?.stringValue)
    #expect(try await visit.answer([:], [:], ["": .string(uri)], ["": 0]) == .outcome("successOutcome"))
    let items = try #require(URLComponents(string: uri)?.queryItems)
    let enrolment = try OATHEnrolmentParameters(host: "totp") { name in
      items.first { $0.name == name }?.value
    }
    return (visit.state, OneTimePassword(secret: enrolment.secret, profile: enrolment.profile))
  }

  private func enter(_ code: String, _ world: World, _ state: inout JourneyState) async throws -> NodeResult {
    var visit = try world.visit("OathTokenVerifierNode", state: state)
    _ = try await visit.ask()
    let result = try await visit.answer(["": .string(code)], ["": 0])
    state = visit.state
    return result
  }

  private func store(_ world: World, _ state: inout JourneyState) async throws -> NodeResult {
    var visit = try world.visit("OathDeviceStorageNode", state: state)
    let result = try await visit.evaluate()
    state = visit.state
    return result
  }

  private func stored(_ world: World) async throws -> [OathDeviceRecord] {
    try await world.store.oathDevices.all(of: UniversalID(username: "mira", realm: "alpha"))
  }

  @Test
  func `nothing is stored before the first code, then the device with that code used up, and recovery codes`()
    async throws
  {
    let world = try await World()
    var (state, phone) = try await scanned(world)
    #expect(try await stored(world).isEmpty)
    #expect(state.transient["recoveryCodes"] == nil)
    let code = phone.code(at: OathNodeTests.step)
    #expect(try await enter(code, world, &state) == .outcome("successOutcome"))
    #expect(try await stored(world).isEmpty)
    // A code of a secret that the person was shown a minute ago says nothing about who they are.
    #expect(state.authenticatedAt == nil)
    #expect(try await store(world, &state) == .outcome("successOutcome"))
    let device = try #require(try await stored(world).first)
    #expect(device.nextFactor == OathNodeTests.step + 1)
    #expect(state.transient["recoveryCodes"]?.arrayValue?.count == 10)
    #expect(state.secure[OathDraft.stateKey] == nil)
    // The same code signs nobody in, and the node does nothing twice.
    var signIn = JourneyState(username: "mira")
    #expect(try await enter(code, world, &signIn) == .outcome("failureOutcome"))
    #expect(try await store(world, &state) == .outcome("successOutcome"))
    #expect(try await stored(world).count == 1)
  }

  @Test func `an authenticator whose first code was not proven is not stored`() async throws {
    let world = try await World()
    var (state, _) = try await scanned(world)
    #expect(try await enter("000000", world, &state) == .outcome("failureOutcome"))
    #expect(try await world.lockout(LockoutScope(.authenticatorCodes)).consecutiveFailures == 1)
    #expect(try await store(world, &state) == .outcome("failureOutcome"))
    #expect(try await stored(world).isEmpty)
    var empty = JourneyState(username: "mira")
    #expect(try await store(world, &empty) == .outcome("failureOutcome"))
  }

  @Test func `what one user has scanned is nothing to another one in the same journey`() async throws {
    let world = try await World()
    var (state, phone) = try await scanned(world)
    let code = phone.code(at: OathNodeTests.step)
    var other = state
    other.username = "rosa"
    var visit = try world.visit("OathTokenVerifierNode", state: other)
    #expect(try await visit.evaluate() == .outcome("notRegisteredOutcome"))
    #expect(try await enter(code, world, &state) == .outcome("successOutcome"))
    state.username = "rosa"
    #expect(try await store(world, &state) == .outcome("failureOutcome"))
    #expect(try await world.store.oathDevices.all(of: UniversalID(username: "rosa", realm: "alpha")).isEmpty)
    #expect(try await stored(world).isEmpty)
  }

  @Test func `who has an authenticator proves that one: a draft takes its place in nothing`() async throws {
    let world = try await World()
    var (first, firstPhone) = try await scanned(world)
    var (second, secondPhone) = try await scanned(world)
    #expect(
      try await enter(firstPhone.code(at: OathNodeTests.step), world, &first) == .outcome("successOutcome"))
    #expect(
      try await enter(secondPhone.code(at: OathNodeTests.step), world, &second) == .outcome("successOutcome"))
    #expect(try await store(world, &first) == .outcome("successOutcome"))
    #expect(try await store(world, &second) == .outcome("failureOutcome"))
    var third = second
    third.secure[OathDraft.stateKey] = first.secure[OathDraft.stateKey]
    #expect(
      try await enter(secondPhone.code(at: OathNodeTests.step), world, &third) == .outcome("failureOutcome"))
    #expect(try await stored(world).count == 1)
  }

  @Test func `a right first code forgets no wrong guesses, and none is taken while guesses are locked`()
    async throws
  {
    let world = try await World()
    var (state, phone) = try await scanned(world)
    for _ in 0..<4 {
      _ = try await world.store.settleAttempt(
        of: UniversalID(username: "mira", realm: "alpha"), isRight: false, policy: .standard, now: world.now)
    }
    var proven = state
    #expect(
      try await enter(phone.code(at: OathNodeTests.step), world, &proven) == .outcome("successOutcome"))
    #expect(try await world.lockout().consecutiveFailures == 4)
    #expect(try await enter("000000", world, &state) == .outcome("failureOutcome"))
    #expect(try await enter(phone.code(at: OathNodeTests.step), world, &state) == .outcome("failureOutcome"))
    var page = try world.visit("OathRegistrationNode", postponed, state: state)
    #expect(try await page.evaluate() == .outcome("failureOutcome"))
  }
}
