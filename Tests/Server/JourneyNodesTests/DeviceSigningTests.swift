import BindingFormats
import Foundation
import JourneyEngine
import JourneyStore
import ProofFixtures
import SecurityEvents
import StrictJSON
import Testing

@testable import JourneyNodes

@Suite("Device Signing Verifier node")
struct DeviceSigningTests {
  private static let properties: JSONObject = ["applicationIds": ["com.acme.wallet"], "captureFailure": true]
  private static let transaction: JSONObject = ["challenge": false, "sharedStateAttribute": "transaction"]
  private static let text = "Pay 100.00 USD to babs@example.com #8841"
  private let device = ProofDevice()

  private func visit(_ world: World, _ more: JSONObject = [:], username: String? = "mira") throws -> Visit {
    var properties = Self.properties
    properties.merge(more)
    return try world.visit("DeviceSigningVerifierNode", properties, state: JourneyState(username: username))
  }

  /// Asks, answers with a proof by `device`, and returns what the node decides.
  private func sign(
    _ visit: inout Visit, in world: World, device: ProofDevice? = nil, subject: String = miraID,
    _ change: (inout ProofParts) -> Void = { _ in }
  ) async throws -> NodeResult {
    let callback = try await #require(visit.ask().first)
    let jws = try (device ?? self.device).proof(
      subject: subject, challenge: callback.output("challenge")?.stringValue ?? "", now: world.now,
      binds: false,
      change)
    return try await visit.answer(["jws": .string(jws), "clientError": ""])
  }

  @Test(arguments: ["mira", nil])
  func `the callback has PingAM's fields; without a user, userId is empty`(username: String?) async throws {
    let world = try await World()
    try await device.bound(in: world)
    var visit = try visit(world, username: username)
    let callback = try #require(try await visit.ask().first)
    #expect(callback.type == "DeviceSigningVerifierCallback")
    #expect(
      callback.outputs.map(\.name) == ["userId", "challenge", "title", "subtitle", "description", "timeout"])
    #expect(callback.inputs.map(\.name) == ["jws", "clientError"])
    #expect(callback.output("userId") == .string(username == nil ? "" : miraID))
    #expect(Data(base64Encoded: callback.output("challenge")?.stringValue ?? "")?.count == 32)
  }

  @Test(arguments: ["mira", "MIRA", nil])
  func `success leaves the proof for later nodes and notes the use`(username: String?) async throws {
    let world = try await World()
    try await device.bound(in: world)
    world.advance(100)
    var visit = try visit(world, username: username)
    #expect(try await sign(&visit, in: world) == .outcome("success"))
    #expect(visit.state.username == "mira")
    let jws = visit.state.shared["DeviceSigningVerifierNode.JWT"]?.stringValue
    #expect(jws?.split(separator: ".").count == 3)
    #expect(visit.state.transient["DeviceSigningVerifierNode.JWT"]?.stringValue == jws)
    #expect(try await world.devices().first?.lastAccessDate == world.now)
  }

  @Test func `a proof that ends the journey is left to the write that makes the session, a wrong one is not`()
    async throws
  {
    let world = try await World()
    try await device.bound(in: world)
    for isRight in [true, false] {
      var visit = try visit(world)
      visit.finalOutcomes = ["success"]
      let result = try await sign(&visit, in: world) {
        if !isRight { $0.claims["sub"] = "somebody else" }
      }
      #expect(result == .outcome(isRight ? "success" : "failure"))
      guard case .signature(let signature)? = visit.deferred?.proof as? SessionProof else {
        #expect(!isRight)
        continue
      }
      #expect(isRight)
      #expect(visit.state.shared[Evidence.numberVariable] == nil)
      #expect(try await world.store.evidence(EvidenceQuery(limit: 10)).isEmpty)
      // It counts once the session takes it.
      let record = SessionRecord(
        tokenHash: [1], handle: "handle", realm: "alpha", username: "mira", createdAt: world.now,
        latestAccess: world.now, maximumIdle: 60, expiresAt: world.now + 60, properties: [:])
      let opened = try await world.store.openSession(
        NewSession(record, now: world.now), by: .signature(signature))
      #expect(opened.evidence != nil && opened.user.username == "mira")
    }
  }

  @Test func `a proof has room for an app's own claims, and none for filling the ledger`() async throws {
    let world = try await World()
    try await device.bound(in: world)
    for (count, outcome) in [(2000, "success"), (6000, "failure")] {
      var visit = try visit(world)
      let result = try await sign(&visit, in: world) {
        $0.claims["note"] = .string(String(repeating: "x", count: count))
      }
      #expect(result == .outcome(outcome))
    }
  }

  @Test func `RS512 signs as ES256 does`() async throws {
    let world = try await World()
    let device = try ProofDevice(rsa: .rs512)
    try await device.bound(in: world)
    var visit = try visit(world)
    #expect(try await sign(&visit, in: world, device: device) == .outcome("success"))
  }

  @Test(arguments: ["rosa", "nobody"])
  func `a user without devices, and an unknown name, are not prompted`(username: String) async throws {
    let world = try await World()
    var visit = try visit(world, username: username)
    #expect(try await visit.evaluate() == .outcome("noDeviceRegistered"))
  }

  /// As PingAM: who may not sign in is not asked for a signature, whether there are devices or not.
  @Test(arguments: ["mira", "rosa", "MIRA"], [true, false])
  func `an inactive account fails before anything is asked`(username: String, captures: Bool) async throws {
    let world = try await World()
    try await device.bound(in: world)
    try await world.deactivate(username)
    var visit = try visit(world, ["captureFailure": .bool(captures)], username: username)
    #expect(try await visit.evaluate() == .outcome("failure"))
    #expect(visit.notes.isEmpty && visit.reasons.first?.contains("not active") == true)
    #expect((visit.state.shared["DeviceSigningVerifierNode.FAILURE"] != nil) == captures)
    // Nothing is counted against the account.
    #expect(try await world.lockout(of: username, .signatures) == LockoutState())
  }

  @Test func `without a user in state, one without devices is found out after the answer`() async throws {
    let world = try await World()
    var visit = try visit(world, username: nil)
    #expect(try await sign(&visit, in: world) == .outcome("noDeviceRegistered"))
    #expect(visit.state.username == nil)
  }

  @Test(arguments: [nil, "", 7, "unknown"] as [JSONValue?])
  func `a missing, malformed or unknown kid is keyNotFound`(kid: JSONValue?) async throws {
    let world = try await World()
    try await device.bound(in: world)
    var visit = try visit(world)
    #expect(try await sign(&visit, in: world) { $0.header["kid"] = kid } == .outcome("keyNotFound"))
    #expect(try await world.lockout(of: "mira", .signatures) == LockoutState())
  }

  @Test func `a deleted device signs no more`() async throws {
    let world = try await World()
    try await device.bound(in: world)
    try await ProofDevice().bound(in: world)
    var visit = try visit(world)
    _ = try await visit.ask()
    _ = try await world.store.boundDevices.delete(
      device.keyID, of: UniversalID(username: "mira", realm: "alpha"))
    #expect(try await sign(&visit, in: world) == .outcome("keyNotFound"))
  }

  /// What is wrong, and the value that the node leaves in `DeviceSigningVerifierNode.FAILURE`.
  static let failures:
    [(title: String, username: String?, captured: String, change: @Sendable (inout ProofParts) -> Void)] = [
      ("malformed", "mira", "INVALID_SIGNATURE", { $0.tamper = { _ in "x" } }),
      ("alg none", "mira", "INVALID_SIGNATURE", { $0.header["alg"] = "none" }),
      ("another alg", "mira", "INVALID_SIGNATURE", { $0.header["alg"] = "RS256" }),
      ("tampered", "mira", "INVALID_SIGNATURE", { $0.tamper = { String($0.dropLast(4)) + "AAAA" } }),
      ("challenge", "mira", "INVALID_CLAIM", { $0.claims["challenge"] = "other" }),
      ("iss", "mira", "INVALID_CLAIM", { $0.claims["iss"] = "com.evil.wallet" }),
      ("exp", "mira", "INVALID_CLAIM", { $0.claims["exp"] = 1 }),
      ("nbf", "mira", "INVALID_CLAIM", { $0.claims["nbf"] = 1_900_000_000 }),
      (
        "sub of another", "mira", "INVALID_SUBJECT",
        { $0.claims["sub"] = "id=rosa,ou=user,o=alpha,ou=services,ou=am-config" }
      ),
      (
        "sub unknown", nil, "INVALID_USER",
        { $0.claims["sub"] = "id=nobody,ou=user,o=alpha,ou=services,ou=am-config" }
      ),
      (
        "sub of another realm", nil, "INVALID_USER",
        { $0.claims["sub"] = "id=mira,ou=user,o=beta,ou=services,ou=am-config" }
      ),
      ("sub of the root realm", nil, "INVALID_USER", { $0.claims["sub"] = "id=mira,ou=user,ou=am-config" }),
      ("sub no universal id", nil, "INVALID_USER", { $0.claims["sub"] = "mira" }),
      ("sub absent", nil, "INVALID_USER", { $0.claims["sub"] = nil }),
      ("txn", "mira", "INVALID_CLAIM", { $0.claims["txn"] = "t-1" }),
      ("txn that is not text", nil, "INVALID_CLAIM", { $0.claims["txn"] = .null }),
      ("payload no JSON", nil, "INVALID_CLAIM", { $0.payload = [1] }),
    ]

  @Test(arguments: failures.indices)
  func `a failed check takes failure with its cause in state`(index: Int) async throws {
    let each = Self.failures[index]
    let world = try await World()
    try await device.bound(in: world)
    var visit = try visit(world, username: each.username)
    #expect(try await sign(&visit, in: world, each.change) == .outcome("failure"), "\(each.title)")
    #expect(
      visit.state.shared["DeviceSigningVerifierNode.FAILURE"] == .string(each.captured), "\(each.title)")
    #expect(visit.state.shared["DeviceSigningVerifierNode.JWT"] == nil)
    #expect(visit.reasons.count == 1)
    #expect(visit.state.username == each.username)
  }

  @Test func `without a limit of its own the node takes an answer as late as the journey does`() async throws
  {
    let world = try await World()
    try await device.bound(in: world)
    var visit = try visit(world, ["timeout": 0])
    let callback = try #require(try await visit.ask().first)
    #expect(callback.output("timeout") == 300)
    world.advance(290)
    let jws = try device.proof(
      subject: miraID, challenge: callback.output("challenge")?.stringValue ?? "", now: world.now,
      binds: false)
    #expect(try await visit.answer(["jws": .string(jws), "clientError": ""]) == .outcome("success"))
  }

  @Test func `unless the node captures failures, a failed check ends the journey`() async throws {
    let world = try await World()
    try await device.bound(in: world)
    var visit = try visit(world, ["captureFailure": false])
    await #expect(throws: NodeError.self) {
      try await sign(&visit, in: world) { $0.claims["challenge"] = "other" }
    }
    #expect(visit.state.shared["DeviceSigningVerifierNode.FAILURE"] == nil)
  }

  @Test func `another user's key under this user's kid is a wrong signature`() async throws {
    let world = try await World()
    try await device.bound(in: world)
    var visit = try visit(world)
    let stranger = ProofDevice(keyID: device.keyID)
    #expect(
      try await sign(&visit, in: world, device: stranger) { $0.header["jwk"] = .object(stranger.jwk) }
        == .outcome("failure"))
  }

  @Test func `another user's device does not sign for this one`() async throws {
    let world = try await World()
    let rosas = ProofDevice()
    try await device.bound(in: world)
    try await rosas.bound(to: "rosa", in: world)
    var visit = try visit(world)
    #expect(try await sign(&visit, in: world, device: rosas) == .outcome("keyNotFound"))
  }

  @Test func `an inactive user's good proof fails where nobody knew whose it would be`() async throws {
    let world = try await World()
    try await device.bound(to: "otto", in: world)
    var visit = try visit(world, username: nil)
    let ottoID = "id=otto,ou=user,o=alpha,ou=services,ou=am-config"
    #expect(try await sign(&visit, in: world, subject: ottoID) == .outcome("failure"))
    #expect(visit.state.shared["DeviceSigningVerifierNode.FAILURE"] == "NOT_ACTIVE_USER")
  }

  @Test func `the good proof of an account that became inactive after the question fails`() async throws {
    let world = try await World()
    try await device.bound(in: world)
    var visit = try visit(world)
    let challenge = try #require(try await visit.ask().first?.output("challenge")?.stringValue)
    try await world.deactivate("mira")
    let jws = try device.proof(subject: miraID, challenge: challenge, now: world.now, binds: false) { _ in }
    #expect(try await visit.answer(["jws": .string(jws), "clientError": ""]) == .outcome("failure"))
    #expect(visit.state.shared["DeviceSigningVerifierNode.FAILURE"] == "NOT_ACTIVE_USER")
  }

  @Test(arguments: ["mira", nil])
  func `five wrong signatures lock signatures, and the right one fails while it lasts`(username: String?)
    async throws
  {
    var world = try await World()
    let events = world.recordEvents()
    try await device.bound(in: world)
    let stranger = ProofDevice(keyID: device.keyID)
    for _ in 0..<6 {
      var visit = try visit(world, username: username)
      #expect(try await sign(&visit, in: world, device: stranger) == .outcome("failure"))
    }
    #expect(try await world.lockout(of: "mira", .signatures).isLocked(at: world.now))
    #expect(events.of(.lockBegan).map { $0.detail["kind"] } == ["signatures"])
    var locked = try visit(world, username: username)
    #expect(try await sign(&locked, in: world) == .outcome("failure"))
    #expect(locked.state.shared["DeviceSigningVerifierNode.FAILURE"] == "NOT_ACTIVE_USER")
    world.advance(60)
    var free = try visit(world, username: username)
    #expect(try await sign(&free, in: world) == .outcome("success"))
    #expect(try await world.lockout(of: "mira", .signatures) == LockoutState())
  }

  @Test func `a success in between begins the count anew`() async throws {
    let world = try await World()
    try await device.bound(in: world)
    let stranger = ProofDevice(keyID: device.keyID)
    for round in 0..<12 {
      var visit = try visit(world)
      let isRight = round % 4 == 3
      #expect(
        try await sign(&visit, in: world, device: isRight ? device : stranger)
          == .outcome(isRight ? "success" : "failure"))
    }
    #expect(try await world.lockout(of: "mira", .signatures) == LockoutState())
  }

  @Test func `a wrong clock does not lock anybody`() async throws {
    let world = try await World()
    try await device.bound(in: world)
    for _ in 0..<6 {
      var visit = try visit(world)
      #expect(try await sign(&visit, in: world) { $0.claims["exp"] = 1 } == .outcome("failure"))
    }
    #expect(try await world.lockout(of: "mira", .signatures) == LockoutState())
  }

  // MARK: The answered step

  private func step(_ world: World) -> AnsweredStep {
    AnsweredStep(key: Array("step".utf8), expiry: world.now + 360, deadline: world.now + 300)
  }

  /// What becomes of fifty answers at once to one question.
  private func answers(
    _ visit: Visit, in world: World, proof: @Sendable (_ challenge: String, _ number: Int) throws -> String
  ) async throws -> [String] {
    var visit = visit
    let challenge = try await #require(visit.ask().first).output("challenge")?.stringValue ?? ""
    visit.step = step(world)
    let (asked, proofs) = (visit, try (0..<50).map { try proof(challenge, $0) })
    return await withTaskGroup(of: String.self) { group in
      for proof in proofs {
        group.addTask {
          var visit = asked
          do { return "\(try await visit.answer(["jws": .string(proof), "clientError": ""]))" } catch {
            return error is StepWasUsed ? "used" : "\(error)"
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  @Test func `of fifty different proofs for one question, sent at once, one counts`() async throws {
    let world = try await World()
    try await device.bound(in: world)
    let (device, now) = (device, world.now)
    let results = try await answers(visit(world), in: world) { challenge, number in
      try device.proof(subject: miraID, challenge: challenge, now: now, binds: false) {
        $0.claims["note"] = .integer(Int64(number))
      }
    }
    #expect(results.count { $0 == "\(NodeResult.outcome("success"))" } == 1)
    #expect(results.count { $0 == "used" } == 49)
    #expect(try await world.store.evidence(EvidenceQuery(limit: 99)).count == 1)
  }

  @Test func `of fifty wrong signatures for one question, sent at once, one is counted`() async throws {
    let world = try await World()
    try await device.bound(in: world)
    let (stranger, now) = (ProofDevice(keyID: device.keyID), world.now)
    let results = try await answers(visit(world), in: world) { challenge, _ in
      try stranger.proof(subject: miraID, challenge: challenge, now: now, binds: false)
    }
    #expect(results.count { $0 == "\(NodeResult.outcome("failure"))" } == 1)
    #expect(results.count { $0 == "used" } == 49)
    #expect(try await world.lockout(of: "mira", .signatures).consecutiveFailures == 1)
  }

  @Test func `a proof sent late, after another counted, counts for nothing, whatever it says`() async throws {
    let world = try await World()
    try await device.bound(in: world)
    var visit = try visit(world)
    visit.step = step(world)
    #expect(try await sign(&visit, in: world) == .outcome("success"))
    #expect(visit.step == nil)
    for change: @Sendable (inout ProofParts) -> Void in [
      { $0.claims["note"] = "another" }, { $0.tamper = { String($0.dropLast(4)) + "AAAA" } },
    ] {
      var late = try self.visit(world)
      late.step = step(world)
      await #expect(throws: StepWasUsed.self) { try await sign(&late, in: world, change) }
    }
    #expect(try await world.lockout(of: "mira", .signatures) == LockoutState())
    #expect(try await world.store.evidence(EvidenceQuery(limit: 9)).count == 1)
  }

  @Test func `what is judged after the journey's end does not count`() async throws {
    let world = try await World()
    try await device.bound(in: world)
    var visit = try visit(world)
    visit.step = AnsweredStep(key: [1], expiry: world.now + 60, deadline: world.now)
    await #expect(throws: StepWasUsed.self) { try await sign(&visit, in: world) }
    #expect(try await world.store.evidence(EvidenceQuery(limit: 9)).isEmpty)
  }

  // MARK: Challenges from state

  private func transactionVisit(_ world: World, username: String? = "mira") throws -> Visit {
    var visit = try visit(world, Self.transaction, username: username)
    visit.state.shared["transaction"] = .string(Self.text)
    return visit
  }

  @Test func `the text from state is the challenge, unchanged`() async throws {
    let world = try await World()
    try await device.bound(in: world)
    var visit = try transactionVisit(world)
    #expect(try await visit.ask().first?.output("challenge") == .string(Self.text))
    #expect(try await sign(&visit, in: world) { $0.claims["amount"] = "100.00" } == .outcome("success"))
  }

  @Test func `the variable for the text is not looked at when the challenge is random`() async throws {
    let world = try await World()
    var visit = try visit(world, ["challenge": true, "sharedStateAttribute": "transaction"], username: nil)
    visit.state.shared["transaction"] = .string(Self.text)
    #expect(try await visit.ask().first?.output("challenge") != .string(Self.text))
  }

  @Test(arguments: [nil, "", 5] as [JSONValue?])
  func `without the text the node fails, as captured or not`(text: JSONValue?) async throws {
    let world = try await World()
    try await device.bound(in: world)
    var captured = try visit(world, Self.transaction)
    captured.state.shared["transaction"] = text
    #expect(try await captured.evaluate() == .outcome("failure"))
    #expect(captured.state.shared["DeviceSigningVerifierNode.FAILURE"] == "INVALID_CLAIM")
    var properties = Self.transaction
    properties["captureFailure"] = false
    var stopped = try visit(world, properties)
    stopped.state.shared["transaction"] = text
    await #expect(throws: NodeError.self) { try await stopped.evaluate() }
  }

  @Test func `one proof over a text is accepted once, in whichever journey, until it has expired`()
    async throws
  {
    let world = try await World()
    try await device.bound(in: world)
    let jws = try device.proof(subject: miraID, challenge: Self.text, now: world.now, binds: false)
    for outcome in ["success", "failure", "failure"] {
      var visit = try transactionVisit(world, username: nil)
      _ = try await visit.ask()
      #expect(try await visit.answer(["jws": .string(jws)]) == .outcome(outcome))
    }
    world.advance(119)
    try await world.store.removeExpired(now: world.now)
    var late = try transactionVisit(world)
    _ = try await late.ask()
    #expect(try await late.answer(["jws": .string(jws)]) == .outcome("failure"))
    #expect(late.reasons == [ProofFailure.replayed.text])
    #expect(try await world.lockout(of: "mira", .signatures) == LockoutState())
  }

  @Test(arguments: [true, false])
  func `a text with the form of a server's challenge is not offered to be signed`(isCaptured: Bool)
    async throws
  {
    let world = try await World()
    try await device.bound(in: world)
    var properties = Self.transaction
    properties["captureFailure"] = .bool(isCaptured)
    var visit = try visit(world, properties)
    visit.state.shared["transaction"] = "LtHR1cbgkl0yPGoPCmiCpjwIT8xjdphFe5P69z2SWmg="
    if isCaptured {
      #expect(try await visit.evaluate() == .outcome("failure"))
      #expect(visit.reasons == [ProofFailure.challengeReserved.text])
      #expect(visit.state.shared["DeviceSigningVerifierNode.FAILURE"] == "INVALID_CLAIM")
    } else {
      await #expect(throws: NodeError.self) { try await visit.evaluate() }
    }
  }

  @Test func `the same text can be signed again`() async throws {
    let world = try await World()
    try await device.bound(in: world)
    for index in 0..<2 {
      var visit = try transactionVisit(world)
      #expect(
        try await sign(&visit, in: world) { $0.claims["n"] = .integer(Int64(index)) } == .outcome("success"))
    }
  }

  @Test func `a proof presented twice at once is accepted once`() async throws {
    let world = try await World()
    try await device.bound(in: world)
    let jws = try device.proof(subject: miraID, challenge: Self.text, now: world.now, binds: false)
    var asked = try transactionVisit(world)
    _ = try await asked.ask()
    let visit = asked
    let results = try await withThrowingTaskGroup(of: NodeResult.self) { group in
      for _ in 0..<8 {
        group.addTask {
          var visit = visit
          return try await visit.answer(["jws": .string(jws)])
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.count { $0 == .outcome("success") } == 1)
  }

  // MARK: Client errors and time

  @Test(
    arguments: [
      ("Abort", "Abort"), ("Unsupported", "Unsupported"), ("Timeout", "Timeout"),
      ("ClientNotRegistered", "ClientNotRegistered"), ("Other", "failure"), ("success", "failure"),
      ("noDeviceRegistered", "failure"), ("", "failure"),
    ])
  func `clients choose client error outcomes and no others`(error: String, outcome: String) async throws {
    let world = try await World()
    var visit = try visit(world, username: nil)
    _ = try await visit.ask()
    #expect(try await visit.answer(["clientError": .string(error)]) == .outcome(outcome))
  }

  @Test func `a good proof that comes too late takes Timeout`() async throws {
    let world = try await World()
    try await device.bound(in: world)
    var visit = try visit(world, ["timeout": 30, "skewAllowance": 5])
    let challenge = try await visit.ask().first?.output("challenge")?.stringValue ?? ""
    world.advance(35.001)
    let jws = try device.proof(subject: miraID, challenge: challenge, now: world.now, binds: false)
    #expect(try await visit.answer(["jws": .string(jws)]) == .outcome("Timeout"))
  }

  @Test func `a proof for another visit's challenge is refused`() async throws {
    let world = try await World()
    try await device.bound(in: world)
    var first = try visit(world)
    let challenge = try await first.ask().first?.output("challenge")?.stringValue ?? ""
    let jws = try device.proof(subject: miraID, challenge: challenge, now: world.now, binds: false)
    var second = try visit(world)
    _ = try await second.ask()
    #expect(try await second.answer(["jws": .string(jws)]) == .outcome("failure"))
    #expect(try await first.answer(["jws": .string(jws)]) == .outcome("success"))
  }

  @Test func `a challenge from state needs the variable's name`() async throws {
    let world = try await World()
    let error = try #require(throws: JourneyFileError.self) { try visit(world, ["challenge": false]) }
    #expect(error.property == "sharedStateAttribute")
  }
}
