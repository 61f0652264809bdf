import AuthenticatorFixtures
import Foundation
import JourneyEngine
import JourneyStore
import ProofFixtures
import StrictJSON
import Testing

@testable import JourneyNodes

@Suite("Binding of attested keys") struct AttestedBindingTests {
  private let device = ProofDevice()

  private func bind(
    in world: World, with chip: Chip, properties: JSONObject = [:],
    state: JourneyState = JourneyState(username: "mira"), subject: String? = nil,
    _ change: (inout JSONObject) -> Void = { _ in }
  ) async throws -> (result: NodeResult, visit: Visit) {
    var all: JSONObject = [
      "applicationIds": ["com.acme.wallet"], "authenticationType": "APPLICATION_PIN", "attestation": true,
    ]
    all.merge(properties)
    var visit = try world.visit("DeviceBindingNode", all, state: state)
    #expect(visit.node.warnings.isEmpty)
    let callback = try await #require(visit.ask().first)
    #expect(callback.output("attestation") == true)
    let challenge = try #require(callback.output("challenge")?.stringValue)
    var jwk = device.jwk
    jwk.merge(try chip.evidence(of: device.jwk, challenge: challenge))
    change(&jwk)
    let jws = try device.proof(
      subject: subject ?? callback.output("userId")?.stringValue ?? "", challenge: challenge, now: world.now,
      binds: true
    ) { $0.header["jwk"] = .object(jwk) }
    let result = try await visit.answer([
      "jws": .string(jws), "deviceName": "Phone", "deviceId": "3f0a", "clientError": "",
    ])
    return (result, visit)
  }

  @Test func `a certified key is bound, and its record says by which root; evidence may exceed 16 KiB`()
    async throws
  {
    let chip = try Chip()
    let world = try await World(trusting: chip.roots)
    let (result, _) = try await bind(in: world, with: chip) {
      $0["other"] = .string(String(repeating: "x", count: 20_000))
    }
    #expect(result == .outcome("success"))
    let record = try #require(await world.devices().first)
    #expect(record.key == device.jwk)
    #expect(record.attestation?["kind"] == "tpm")
    #expect(record.attestation?["root"]?["subject"] == "CN=TPM Root")
    #expect(record.attestation?["verifiedDate"] == .integer(Int64(world.now.timeIntervalSince1970 * 1000)))
  }

  private static let variable = "DeviceBindingCallback.ATTESTATION"

  @Test(arguments: [true, false])
  func `what a verified attestation says is in transient state, as the record has it`(postpones: Bool)
    async throws
  {
    let chip = try Chip()
    let world = try await World(trusting: chip.roots)
    let (_, visit) = try await bind(
      in: world, with: chip, properties: ["postponeDeviceProfileStorage": .bool(postpones)])
    let attestation = try #require(visit.state.transient[Self.variable]?.objectValue)
    #expect(attestation["kind"] == "tpm" && attestation["root"]?["subject"] == "CN=TPM Root")
    #expect(visit.node.stateOutputs.contains(Self.variable))
    if !postpones { #expect(try await world.devices().first?.attestation == attestation) }
  }

  @Test(arguments: ["missing", "foreign", "refused proof"])
  func `what was not verified is not there, and an earlier one's or a made-up one goes`(what: String)
    async throws
  {
    let chip = try Chip()
    let world = try await World(trusting: chip.roots)
    let made: JSONObject = [Self.variable: ["kind": "tpm"]]
    let state = JourneyState(
      shared: ["username": "mira", Self.variable: ["kind": "tpm"]], transient: made, secure: made)
    let (_, visit) = try await bind(
      in: world, with: what == "foreign" ? Chip() : chip, state: state,
      subject: what == "refused proof" ? "id=otto,ou=user,o=alpha" : nil
    ) { if what == "missing" { ($0["x5c"], $0["tpm"]) = (nil, nil) } }
    #expect(visit.state[Self.variable] == nil)
  }

  @Test
  func
    `a key whose evidence is missing, of another TPM maker, or whose PIN can be guessed freely is not bound`()
    async throws
  {
    let chip = try Chip()
    let world = try await World(trusting: chip.roots)
    let missing = try await bind(in: world, with: chip, properties: ["attestationRequired": true]) {
      ($0["x5c"], $0["tpm"]) = (nil, nil)
    }
    #expect(missing.result == .outcome("failure"))
    #expect(missing.visit.reasons.first?.contains("evidenceMissing") == true)
    let foreign = try await bind(in: world, with: Chip())
    #expect(foreign.result == .outcome("failure"))
    #expect(foreign.visit.reasons.first?.contains("chainUntrusted") == true)
    let guessable = try await bind(in: world, with: Chip(of: chip, attributes: 0x0004_0472))
    #expect(guessable.result == .outcome("failure"))
    #expect(guessable.visit.reasons.first?.contains("attributesRefused") == true)
    #expect(try await world.devices().isEmpty)
    let open = try await bind(
      in: world, with: Chip(of: chip, attributes: 0x0004_0472), properties: ["authenticationType": "NONE"])
    #expect(open.result == .outcome("success"))
  }

  @Test func `where attestation is asked for and not required, a key without one is bound, a bad one is not`()
    async throws
  {
    let chip = try Chip()
    let world = try await World(trusting: chip.roots)
    let half = try await bind(in: world, with: chip) { $0["x5c"] = nil }
    #expect(half.result == .outcome("failure"))
    #expect(try await world.devices().isEmpty)
    let without = try await bind(in: world, with: chip) { ($0["x5c"], $0["tpm"]) = (nil, nil) }
    #expect(without.result == .outcome("success"))
    let record = try #require(await world.devices().first)
    #expect(record.attestation == nil)
  }

  @Test(arguments: [true, false])
  func `the attestation reaches the storage node, and stays with its own key`(keepsKey: Bool) async throws {
    let chip = try Chip()
    let world = try await World(trusting: chip.roots)
    let (result, visit) = try await bind(
      in: world, with: chip, properties: ["postponeDeviceProfileStorage": true])
    #expect(result == .outcome("success"))
    var state = visit.state
    if !keepsKey, var stored = state.transient[DeviceInState.device]?.objectValue {
      stored["key"] = .object(ProofDevice(keyID: device.keyID).jwk)
      state.transient[DeviceInState.device] = .object(stored)
    }
    var storage = try world.visit("DeviceBindingStorageNode", state: state)
    #expect(try await storage.evaluate() == .outcome("true"))
    let record = try #require(await world.devices().first)
    #expect((record.attestation != nil) == keepsKey)
  }
}
