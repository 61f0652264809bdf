import Accounts
import BindingFormats
import Foundation
import JourneyEngine
import JourneyStore
import OATH
import ProofFixtures
import StrictJSON
import Testing

@testable import JourneyNodes

@Suite("Changes of factors in journeys") struct FactorChangeNodeTests {
  private func world(_ requirement: FactorChangePolicy.Requirement) async throws -> World {
    var world = try await World()
    world.factorChanges = FactorChangePolicy(standard: requirement)
    return world
  }

  private func state(level: Int, provenAt moment: Date?, of name: String = "mira") -> JourneyState {
    var state = JourneyState(username: name)
    state.changeAuthLevel(by: level)
    if let moment { state.noteAuthentication(at: moment) }
    return state
  }

  /// What a permission for mira is, or `nil` when it is refused.
  private func permission(
    _ world: World, _ state: JourneyState, session: PresentedSession? = nil
  ) async throws -> FactorChangeCheck.Permission? {
    let user = try #require(try await world.store.user(named: "mira", realm: "alpha"))
    let context = NodeContext(nodeID: "n", request: world.request, state: state, session: session)
    do { return try await world.services.factorPermission(for: user, context) } catch is NodeRefusal {
      return nil
    }
  }

  @Test func `what a run has to have proven, without and with factors`() async throws {
    let strong = try await world(.strong)
    let now = strong.now
    #expect(try await permission(strong, state(level: 2, provenAt: nil)) == nil)
    #expect(try await permission(strong, state(level: 0, provenAt: now)) == .onlyAsFirstFactor)
    #expect(try await permission(strong, state(level: 1, provenAt: now)) == .onlyAsFirstFactor)
    #expect(try await permission(strong, state(level: 2, provenAt: now)) == .granted)
    try await ProofDevice().bound(in: strong)
    #expect(try await permission(strong, state(level: 1, provenAt: now)) == nil)
    #expect(try await permission(strong, state(level: 2, provenAt: now)) == .granted)
    #expect(try await permission(strong, state(level: 2, provenAt: now - 300)) == .granted)
    #expect(try await permission(strong, state(level: 2, provenAt: now - 301)) == nil)
    #expect(try await permission(strong, state(level: 2, provenAt: now, of: "rosa")) == nil)
    let fresh = try await world(.fresh)
    #expect(try await permission(fresh, state(level: 0, provenAt: now)) == .granted)
    #expect(try await permission(fresh, state(level: 2, provenAt: now - 301)) == nil)
    #expect(try await permission(try await world(.any), JourneyState()) == .granted)
  }

  @Test func `a session presented at the start counts while it is alive, and only its own user's`()
    async throws
  {
    let world = try await world(.strong)
    try await ProofDevice().bound(in: world)
    func session(_ number: UInt8, _ name: String, level: Int, age: TimeInterval = 0) async throws
      -> PresentedSession
    {
      let record = SessionRecord(
        tokenHash: Array(repeating: number, count: 32), handle: "shandle:\(number)", realm: "alpha",
        username: name, createdAt: world.now, latestAccess: world.now, maximumIdle: 1800,
        expiresAt: world.now + 7200, properties: [:], authLevel: level, service: "SignIn",
        authenticatedAt: world.now - age)
      _ = try await world.store.openSession(NewSession(record, now: world.now), by: nil)
      return PresentedSession(
        tokenHash: record.tokenHash, username: name, authLevel: level, service: "SignIn",
        authenticatedAt: record.authenticatedAt)
    }
    let weak = state(level: 1, provenAt: world.now)
    let good = try await session(1, "mira", level: 2)
    #expect(try await permission(world, weak, session: good) == .granted)
    #expect(try await permission(world, weak, session: session(2, "mira", level: 1)) == nil)
    #expect(try await permission(world, weak, session: session(3, "mira", level: 2, age: 301)) == nil)
    #expect(try await permission(world, weak, session: session(4, "rosa", level: 2)) == nil)
    try await world.store.endSessions(
      .one(good.tokenHash), of: UniversalID(username: "mira", realm: "alpha"), now: world.now)
    #expect(try await permission(world, weak, session: good) == nil)
  }

  @Test(
    arguments: [
      ("DeviceBindingNode", ["applicationIds": ["com.acme.wallet"]]),
      (
        "WebAuthnRegistrationNode", ["origins": ["https://example.com"], "relyingPartyDomain": "example.com"]
      ),
      ("OathRegistrationNode", [:]), ("PushRegistrationNode", [:]),
      ("CombinedMultiFactorRegistrationNode", [:]), ("OptOutMultiFactorAuthenticationNode", [:]),
    ] as [(String, JSONObject)])
  func `every node that stores or drops a factor asks, and asks before the person`(
    type: String, properties: JSONObject
  ) async throws {
    let world = try await world(.strong)
    try await ProofDevice().bound(in: world)
    var visit = try world.visit(type, properties, state: state(level: 1, provenAt: world.now))
    visit.request.baseURL = "https://example.com/am"
    await #expect(throws: NodeRefusal.self) { try await visit.evaluate() }
    visit.state = state(level: 2, provenAt: world.now)
    _ = try await visit.evaluate()
  }

  /// The nodes that store a factor or begin to, with what they need to be made.
  private static let adding: [(type: String, properties: JSONObject)] = [
    ("DeviceBindingNode", ["applicationIds": ["com.acme.wallet"]]),
    ("WebAuthnRegistrationNode", ["origins": ["https://example.com"], "relyingPartyDomain": "example.com"]),
    ("OathRegistrationNode", [:]), ("PushRegistrationNode", [:]),
    ("CombinedMultiFactorRegistrationNode", [:]),
  ]

  @Test(arguments: adding, FactorChangePolicy.Requirement.allCases)
  func
    `with requiresStrongestFactor it asks for the strongest that the account has, whatever the server asks`(
      node: (type: String, properties: JSONObject), requirement: FactorChangePolicy.Requirement
    ) async throws
  {
    let world = try await world(requirement)
    func evaluate(level: Int, age: TimeInterval = 0, requires: JSONValue = true) async throws {
      var properties = node.properties
      properties["requiresStrongestFactor"] = requires
      var visit = try world.visit(
        node.type, properties, state: state(level: level, provenAt: world.now - age))
      visit.request.baseURL = "https://example.com/am"
      _ = try await visit.evaluate()
    }
    try await evaluate(level: 1)
    await #expect(throws: NodeRefusal.self) { try await evaluate(level: 2, age: 301) }
    try await ProofDevice().bound(in: world)
    await #expect(throws: NodeRefusal.self) { try await evaluate(level: 1) }
    try await evaluate(level: 2)
    // What cannot be read asks for more.
    await #expect(throws: NodeRefusal.self) { try await evaluate(level: 1, requires: "sometimes") }
  }

  @Test(arguments: ["DeviceBindingStorageNode", "WebAuthnDeviceStorageNode", "OathDeviceStorageNode"])
  func `the nodes that store what was made before have the property, too`(type: String) async throws {
    let world = try await world(.any)
    #expect(
      try NodeReference(NodeLibrary.registry(services: world.services)).properties(of: type).contains {
        $0.name == "requiresStrongestFactor" && $0.standard == "false"
      })
  }

  @Test(arguments: [true, false])
  func `a device that was left in state with the password is not stored once there is a factor`(
    isRequired: Bool
  ) async throws {
    let world = try await world(.any)
    let (binding, storage): (JSONObject, JSONObject) = (
      [
        "applicationIds": ["com.acme.wallet"], "authenticationType": "NONE",
        "postponeDeviceProfileStorage": true,
      ], ["requiresStrongestFactor": .bool(isRequired)]
    )
    var visit = try world.visit(
      "DeviceBindingNode", binding, state: state(level: 1, provenAt: world.now))
    let challenge = try #require(try await visit.ask()[0].output("challenge")?.stringValue)
    let proof = try ProofDevice().proof(
      subject: miraID, challenge: challenge, now: world.now, binds: true)
    #expect(try await visit.answer(["jws": .string(proof)]) == .outcome("success"))
    try await ProofDevice().bound(in: world)
    var storing = try world.visit("DeviceBindingStorageNode", storage, state: visit.state)
    if isRequired {
      await #expect(throws: NodeRefusal.self) { try await storing.evaluate() }
    } else {
      #expect(try await storing.evaluate() == .outcome("true"))
    }
  }

  @Test(arguments: FactorChangePolicy.Requirement.allCases)
  func `the decision before them says what they would say`(
    requirement: FactorChangePolicy.Requirement
  ) async throws {
    let world = try await world(requirement)
    func outcome(level: Int, of name: String = "mira", age: TimeInterval? = 0) async throws -> NodeResult {
      let moment = age.map { world.now - $0 }
      var visit = try world.visit(
        "StrongestFactorDecisionNode", state: state(level: level, provenAt: moment, of: name))
      return try await visit.evaluate()
    }
    #expect(try await outcome(level: 1) == .outcome("true"))
    #expect(try await outcome(level: 1, age: nil) == .outcome("false"))
    #expect(try await outcome(level: 2, age: 301) == .outcome("false"))
    #expect(try await outcome(level: 2, of: "nobody") == .outcome("false"))
    try await ProofDevice().bound(in: world)
    #expect(try await outcome(level: 1) == .outcome("false"))
    #expect(try await outcome(level: 2) == .outcome("true"))
  }

  @Test func `a link to a provider is a factor: it needs the same proof, and others stay`() async throws {
    let world = try await world(.strong)
    try await ProofDevice().bound(in: world)
    let old: JSONValue = "https://old.example.com mira"
    let new: JSONValue = "https://op.example.com mira"
    try await world.set(["aliasList": [old]])
    func visit(_ level: Int, _ links: JSONValue) throws -> Visit {
      var state = state(level: level, provenAt: world.now)
      state.shared["objectAttributes"] = ["aliasList": links]
      return try world.visit("PatchObjectNode", state: state)
    }
    var weak = try visit(1, [new])
    await #expect(throws: NodeRefusal.self) { try await weak.evaluate() }
    #expect(try await world.user().attributes["aliasList"] == [old])
    var unchanged = try visit(1, [old])
    #expect(try await unchanged.evaluate() == .outcome("PATCHED"))
    var strong = try visit(2, [new])
    #expect(try await strong.evaluate() == .outcome("PATCHED"))
    #expect(try await world.user().attributes["aliasList"] == [old, new])
    var removed = try visit(1, .null)
    await #expect(throws: NodeRefusal.self) { try await removed.evaluate() }
  }

  @Test(arguments: [FactorChangePolicy.Requirement.strong, .any])
  func `of journeys that began before there was a factor, one adds the first`(
    requirement: FactorChangePolicy.Requirement
  ) async throws {
    let world = try await world(requirement)
    let properties: JSONObject = [
      "applicationIds": ["com.acme.wallet"], "authenticationType": "NONE",
      "requiresStrongestFactor": .bool(requirement == .any),
    ]
    var visits: [Visit] = []
    var proofs: [String] = []
    for _ in 0..<4 {
      var visit = try world.visit(
        "DeviceBindingNode", properties, state: state(level: 1, provenAt: world.now))
      let challenge = try #require(try await visit.ask()[0].output("challenge")?.stringValue)
      proofs.append(
        try ProofDevice().proof(subject: miraID, challenge: challenge, now: world.now, binds: true))
      visits.append(visit)
    }
    let bound = await withTaskGroup(of: Bool.self) { group in
      for (visit, proof) in zip(visits, proofs) {
        group.addTask {
          var visit = visit
          return (try? await visit.answer(["jws": .string(proof)])) == .outcome("success")
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(bound == 1)
    #expect(try await world.devices().count == 1)
  }

  @Test func `an enrolment that began with the password is not completed once there is a factor`()
    async throws
  {
    let world = try await world(.strong)
    var visit = try world.visit("PushRegistrationNode", state: state(level: 1, provenAt: world.now))
    visit.request.baseURL = "https://example.com/am"
    _ = try await visit.ask()
    let id = try #require(visit.state.shared[PushState.messageID]?.stringValue)
    let message = try #require(try await world.store.pushMessage(id: id, realm: "alpha"))
    #expect(message.enrolment?.onlyAsFirstFactor == true)
    try await ProofDevice().bound(in: world)
    let device = PushDeviceRecord(
      uuid: message.enrolment?.uuid ?? "", realm: "alpha", username: "mira", deviceName: "Phone",
      mechanismUID: "m1", issuer: "Bank", sharedSecret: StoredSecret(World.secret),
      communicationType: "poll", communicationID: "token", deviceType: "linux", deviceToken: "token",
      createdDate: world.now, lastAccessDate: world.now)
    #expect(
      try await world.store.completePushEnrolment(id: id, device: device, now: world.now) == .limitReached)
  }

  @Test func `the refusal says what to do, and the reason why`() async throws {
    let world = try await world(.strong)
    try await ProofDevice().bound(in: world)
    var visit = try world.visit(
      "DeviceBindingNode", ["applicationIds": ["com.acme.wallet"]],
      state: state(level: 1, provenAt: world.now))
    let refusal = await #expect(throws: NodeRefusal.self) { try await visit.evaluate() }
    #expect(
      refusal?.detail == [
        "errorCode": "stepUpRequired", "authLevel": 2, "maximumAge": 300,
        "advices": ["AuthLevelConditionAdvice": ["2"]],
      ])
    #expect(refusal?.description.contains("at least authentication level 2") == true)
  }
}
