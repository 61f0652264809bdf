import BindingFormats
import EvidenceLedger
import Foundation
import JourneyEngine
import JourneyNodes
import JourneyStore
import ProofFixtures
import StrictJSON
import Testing

@Suite("Evidence of proofs")
struct EvidenceTests {
  private let device = ProofDevice()

  private func sign(
    in world: World, _ more: JSONObject = [:], state: JourneyState = JourneyState(username: "mira"),
    _ change: (inout ProofParts) -> Void = { _ in }
  ) async throws -> (NodeResult, Visit) {
    var properties: JSONObject = ["applicationIds": ["com.acme.wallet"], "captureFailure": true]
    properties.merge(more)
    var visit = try world.visit("DeviceSigningVerifierNode", properties, state: state)
    let challenge = try await visit.ask().first?.output("challenge")?.stringValue ?? ""
    let jws = try device.proof(
      subject: miraID, challenge: challenge, now: world.now, binds: false, change)
    return (try await visit.answer(["jws": .string(jws), "clientError": ""]), visit)
  }

  private func bind(in world: World, _ more: JSONObject = [:]) async throws -> NodeResult {
    var properties: JSONObject = ["authenticationType": "NONE", "applicationIds": ["com.acme.wallet"]]
    properties.merge(more)
    var visit = try world.visit("DeviceBindingNode", properties, state: JourneyState(username: "mira"))
    let challenge = try await visit.ask().first?.output("challenge")?.stringValue ?? ""
    let jws = try device.proof(subject: miraID, challenge: challenge, now: world.now, binds: true)
    return try await visit.answer([
      "jws": .string(jws), "deviceName": "Phone", "deviceId": "d", "clientError": "",
    ])
  }

  private func evidence(in world: World) async throws -> [EvidenceEntry] {
    try await world.store.evidence(EvidenceQuery(limit: 100)).reversed()
  }

  @Test func `a signature's evidence has the token that later nodes find in state, and verifies`()
    async throws
  {
    let world = try await World()
    let bound = try await device.bound(in: world)
    world.advance(100)
    let (result, visit) = try await sign(in: world)
    #expect(result == .outcome("success"))
    let entry = try #require(await evidence(in: world).first)
    let record = entry.record
    #expect(record.kind == .sign && record.realm == "alpha" && record.nodeID == "n")
    #expect(record.username == "mira" && record.userID == miraID && record.device == device.keyID)
    #expect(record.key == bound.key && record.attestation == nil && record.transaction == nil)
    #expect(record.time == Int64(world.now.timeIntervalSince1970 * 1000))
    #expect(.string(record.jws) == visit.state["DeviceSigningVerifierNode.JWT"])
    #expect(visit.state["sealring.evidence"] == 1)
    try entry.verifySignature()
  }

  @Test func `the transaction in state goes into the evidence of the signature over it`() async throws {
    let world = try await World()
    try await device.bound(in: world)
    var state = JourneyState(username: "mira")
    state.shared["text"] = "Pay 10 EUR"
    state.shared["sealring.transaction"] = ["id": "t-1", "amount": "10.00"]
    let (result, _) = try await sign(
      in: world, ["challenge": false, "sharedStateAttribute": "text"], state: state)
    #expect(result == .outcome("success"))
    #expect(try await evidence(in: world).first?.record.transaction == ["id": "t-1", "amount": "10.00"])
  }

  @Test func `an object in state that looks like a signed transaction is kept as one that is not`()
    async throws
  {
    let world = try await World()
    try await device.bound(in: world)
    var state = JourneyState(username: "mira")
    let imitation: JSONValue = ["fields": ["text": "Yes"], "nonce": "AAAA"]
    state.shared["sealring.transaction"] = imitation
    #expect(try await sign(in: world, state: state).0 == .outcome("success"))
    #expect(try await evidence(in: world).first?.record.transaction == ["unsigned": imitation])
  }

  @Test(arguments: [false, true])
  func `a binding's evidence has the key that was bound, stored at once or later`(isPostponed: Bool)
    async throws
  {
    let world = try await World()
    #expect(
      try await bind(in: world, ["postponeDeviceProfileStorage": .bool(isPostponed)]) == .outcome("success"))
    let entry = try #require(await evidence(in: world).first)
    #expect(entry.record.kind == .bind && entry.record.device == device.keyID)
    #expect(entry.record.key["kid"] == .string(device.keyID))
    try entry.verifySignature()
  }

  @Test func `what is refused leaves no evidence`() async throws {
    let world = try await World()
    try await device.bound(in: world)
    #expect(try await sign(in: world) { $0.claims["challenge"] = "another" }.0 == .outcome("failure"))
    #expect(
      try await sign(in: world) { $0.tamper = { String($0.dropLast(4)) + "AAAA" } }.0 == .outcome("failure"))
    #expect(try await bind(in: world) == .outcome("failure"), "the key is bound already")
    #expect(try await evidence(in: world).isEmpty)
  }

  @Test func `the key of the evidence outlives the device`() async throws {
    let world = try await World()
    try await device.bound(in: world)
    _ = try await sign(in: world)
    _ = try await world.store.boundDevices.delete(
      device.keyID, of: UniversalID(username: "mira", realm: "alpha"))
    let entry = try #require(await evidence(in: world).first)
    try entry.verifySignature()
  }
}
