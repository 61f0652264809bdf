import AppIntegrity
import AuthenticatorFixtures
import Bytes
import Concurrency
import Crypto
import Foundation
import JourneyEngine
import KeyAttestation
import ProofFixtures
import StrictJSON
import Testing

@testable import JourneyNodes

@Suite("App integrity") struct AppIntegrityNodeTests {
  private let authority: AppAttestAuthority

  init() throws { authority = try AppAttestAuthority() }

  private static let applications: JSONObject = ["applicationIds": ["ABCDE12345.com.example.app"]]

  private func world(tpms: TrustAnchors = TrustAnchors()) async throws -> World {
    var world = try await World()
    let time = world.time
    world.appIntegrity = AppIntegrityVerifier(
      AttestationVerifier.Configuration(
        tpmRoots: tpms, appAttestRoots: try TrustAnchors([authority.root]))
    ) { time.withLock { $0 } }
    return world
  }

  /// Asks, and answers with what `change` makes of a genuine app's answer.
  private func answer(
    in world: World, _ properties: JSONObject = [:], state: JourneyState = JourneyState(),
    _ change: (inout AppAttestAuthority.Answer) -> Void = { _ in }
  ) async throws -> (result: NodeResult, visit: Visit) {
    var all = Self.applications
    all.merge(properties)
    var visit = try world.visit("AppIntegrityNode", all, state: state)
    var answer = AppAttestAuthority.Answer(challenge: try await challenge(of: &visit))
    change(&answer)
    let result = try await visit.answer(try authority.inputs(answer).mapValues { .string($0) })
    return (result, visit)
  }

  private func challenge(of visit: inout Visit) async throws -> String {
    let callback = try await #require(visit.ask().first)
    #expect(callback.type == "AppIntegrityCallback")
    #expect(callback.inputs.map(\.name) == ["attestToken", "token", "keyId", "clientData", "clientError"])
    return try #require(callback.output("challenge")?.stringValue)
  }

  @Test func `a genuine app goes on, and scripts may read which`() async throws {
    let (result, visit) = try await answer(in: try await world())
    #expect(result == .outcome("true"))
    let state = try #require(visit.state.transient["AppIntegrityCallback.RESULT"])
    #expect(state["kind"] == "appAttest" && state["applicationId"] == "ABCDE12345.com.example.app")
    #expect(ReservedState.objection(to: "AppIntegrityCallback.RESULT") != nil)
  }

  @Test func `challenges are random, of 32 bytes`() async throws {
    let world = try await world()
    var (one, other) = (
      try world.visit("AppIntegrityNode", Self.applications),
      try world.visit("AppIntegrityNode", Self.applications)
    )
    let challenges = [try await challenge(of: &one), try await challenge(of: &other)]
    #expect(Set(challenges).count == 2 && challenges.allSatisfy { PaddedBase64.decode($0)?.count == 32 })
  }

  @Test func `a refused app takes false, with the reason for the operator alone, and an earlier result goes`()
    async throws
  {
    let earlier: JSONObject = ["AppIntegrityCallback.RESULT": ["kind": "appAttest"]]
    let (result, visit) = try await answer(
      in: try await world(), state: JourneyState(shared: earlier, transient: earlier, secure: earlier)
    ) { $0.applicationID = "ABCDE12345.com.example.evil" }
    #expect(result == .outcome("false"))
    #expect(visit.reasons.first?.contains("applicationMismatch") == true)
    #expect(visit.state["AppIntegrityCallback.RESULT"] == nil)
  }

  @Test func `a development build passes only where it is allowed, and the file's author is told`()
    async throws
  {
    let world = try await world()
    let development = Array("appattestdevelop".utf8)
    let (refused, visit) = try await answer(in: world) { $0.model = development }
    #expect(refused == .outcome("false") && visit.node.warnings.isEmpty)
    #expect(visit.reasons.first?.contains("developmentEnvironment") == true)
    let (accepted, allowing) = try await answer(in: world, ["allowDevelopment": true]) {
      $0.model = development
    }
    #expect(accepted == .outcome("true") && allowing.node.warnings.count == 1)
  }

  @Test func `a challenge is good for one answer, right or wrong`() async throws {
    let world = try await world()
    for isRight in [true, false] {
      var visit = try world.visit("AppIntegrityNode", Self.applications)
      let answer = AppAttestAuthority.Answer(challenge: try await challenge(of: &visit))
      let right = try authority.inputs(answer).mapValues(JSONValue.string)
      // Whoever has the sealed journey can send its step again, to any server.
      var again = visit
      #expect(try await visit.answer(isRight ? right : [:]) == .outcome(isRight ? "true" : "false"))
      #expect(try await again.answer(right) == .outcome("false"))
      #expect(again.reasons == ["the challenge has been answered before"])
    }
  }

  @Test func `of many answers at once to one challenge, one counts`() async throws {
    let world = try await world()
    var visit = try world.visit("AppIntegrityNode", Self.applications)
    let answer = AppAttestAuthority.Answer(challenge: try await challenge(of: &visit))
    let inputs = try authority.inputs(answer).mapValues(JSONValue.string)
    let asked = visit
    let results = try await withThrowingTaskGroup(of: NodeResult.self) { group in
      for _ in 1...8 {
        group.addTask {
          var visit = asked
          return try await visit.answer(inputs)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.count { $0 == .outcome("true") } == 1)
  }

  @Test func `the answer to another run's challenge is refused`() async throws {
    let world = try await world()
    var (one, other) = (
      try world.visit("AppIntegrityNode", Self.applications),
      try world.visit("AppIntegrityNode", Self.applications)
    )
    let answer = AppAttestAuthority.Answer(challenge: try await challenge(of: &one))
    _ = try await challenge(of: &other)
    #expect(try await other.answer(authority.inputs(answer).mapValues { .string($0) }) == .outcome("false"))
    #expect(other.reasons.first?.contains("challengeMismatch") == true)
  }

  @Test func `an answer after the timeout is refused`() async throws {
    let world = try await world()
    var visit = try world.visit(
      "AppIntegrityNode", ["applicationIds": ["ABCDE12345.com.example.app"], "timeout": 30])
    let answer = AppAttestAuthority.Answer(challenge: try await challenge(of: &visit))
    world.advance(91)
    #expect(try await visit.answer(authority.inputs(answer).mapValues { .string($0) }) == .outcome("false"))
    #expect(visit.reasons == ["the answer came too late"])
  }

  @Test(arguments: [
    ("Unsupported", "unsupported"), ("ClientDeviceErrors", "clientError"), ("true", "clientError"),
  ])
  func `a client that has no proof says why, and cannot choose true`(error: String, outcome: String)
    async throws
  {
    var visit = try await world().visit("AppIntegrityNode", Self.applications)
    let answer = AppAttestAuthority.Answer(challenge: try await challenge(of: &visit))
    var inputs = try authority.inputs(answer).mapValues(JSONValue.string)
    inputs["clientError"] = .string(error)
    #expect(try await visit.answer(inputs) == .outcome(outcome))
  }

  @Test(arguments: [[String: JSONValue](), ["attestToken": 7, "token": true], ["attestToken": ""]])
  func `an answer without texts is refused`(inputs: [String: JSONValue]) async throws {
    var visit = try await world().visit("AppIntegrityNode", Self.applications)
    _ = try await challenge(of: &visit)
    #expect(try await visit.answer(inputs) == .outcome("false"))
  }

  @Test func `a node without apps is not made`() async throws {
    let world = try await world()
    for list: JSONValue in [[], [""]] {
      #expect(throws: JourneyFileError.self) { try world.visit("AppIntegrityNode", ["applicationIds": list]) }
    }
  }

  // MARK: TPM

  private static let device: JSONObject = ["applicationIds": ["com.example.kiosk"], "acceptTpm": true]

  /// Answers as a device with a TPM does.
  private func tpmAnswer(
    in world: World, _ chip: Chip, _ properties: JSONObject = Self.device,
    bundle: JSONValue? = "com.example.kiosk",
    type: String = "app-integrity+jws", attesting other: String? = nil, signing claimed: String? = nil,
    _ change: (inout JSONObject) -> Void = { _ in }
  ) async throws -> (result: NodeResult, visit: Visit) {
    var visit = try world.visit("AppIntegrityNode", properties)
    let challenge = try await challenge(of: &visit)
    let device = ProofDevice()
    var jwk = device.jwk
    jwk.merge(try chip.evidence(of: device.jwk, challenge: other ?? challenge))
    change(&jwk)
    let token = try device.proof(subject: "", challenge: challenge, now: world.now, binds: true) { parts in
      parts.header["jwk"] = .object(jwk)
      parts.header["typ"] = .string(type)
      parts.claims = ["challenge": .string(claimed ?? challenge)]
      parts.claims["bundleId"] = bundle
    }
    return (try await visit.answer(["attestToken": .string(token)]), visit)
  }

  @Test func `a device with a certified TPM passes where that is accepted`() async throws {
    let chip = try Chip()
    let world = try await world(tpms: chip.roots)
    let (result, visit) = try await tpmAnswer(in: world, chip)
    #expect(result == .outcome("true"), "\(visit.reasons)")
    #expect(visit.node.warnings.isEmpty)
    let state = try #require(visit.state.transient["AppIntegrityCallback.RESULT"])
    #expect(state["kind"] == "tpm" && state["applicationId"] == "com.example.kiosk")
    #expect(state["root"]?["subject"] == "CN=TPM Root")
  }

  @Test func `a TPM proves the device and not the app, so it passes only where the node says so`()
    async throws
  {
    let chip = try Chip()
    let world = try await world(tpms: chip.roots)
    let (result, visit) = try await tpmAnswer(in: world, chip, ["applicationIds": ["com.example.kiosk"]])
    #expect(result == .outcome("false"))
    #expect(visit.reasons.first?.contains("deviceAttestationRefused") == true)
  }

  @Test func `of a TPM, each wrong thing is refused for what is wrong`() async throws {
    let chip = try Chip()
    let world = try await world(tpms: chip.roots)
    let old = PaddedBase64.encode([UInt8](repeating: 1, count: 32))
    let refused: [(String, (result: NodeResult, visit: Visit))] = [
      ("applicationMismatch", try await tpmAnswer(in: world, chip, bundle: "com.example.evil")),
      ("applicationMismatch", try await tpmAnswer(in: world, chip, bundle: nil)),
      ("challengeMismatch", try await tpmAnswer(in: world, chip, signing: old)),
      ("attestationUntrusted: challengeMismatch", try await tpmAnswer(in: world, chip, attesting: old)),
      ("attestationUntrusted: chainUntrusted", try await tpmAnswer(in: world, Chip())),
      // A key that may leave its TPM.
      (
        "attestationUntrusted: attributesRefused",
        try await tpmAnswer(in: world, Chip(of: chip, attributes: 0x0004_0070))
      ),
      // What the key was made for at a binding.
      ("tokenMalformed", try await tpmAnswer(in: world, chip, type: "JWS")),
      ("tokenMalformed", try await tpmAnswer(in: world, chip) { $0["tpm"] = nil }),
      ("attestationUntrusted", try await tpmAnswer(in: world, chip) { $0["x5c"] = nil }),
    ]
    for (check, (result, visit)) in refused {
      #expect(result == .outcome("false"))
      #expect(visit.reasons.first?.contains(check) == true, "\(check): \(visit.reasons)")
    }
  }

  @Test func `where TPMs are accepted and no roots are configured, the file's author is told`() async throws {
    let world = try await world()
    let chip = try Chip()
    let (result, visit) = try await tpmAnswer(in: world, chip)
    #expect(result == .outcome("false") && visit.node.warnings.count == 1)
    #expect(visit.reasons.first?.contains("noRootsConfigured") == true)
  }
}
