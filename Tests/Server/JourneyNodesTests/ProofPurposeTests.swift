import BindingFormats
import EvidenceLedger
import Foundation
import JourneyEngine
import JourneyStore
import ProofFixtures
import SigningTransactions
import StrictJSON
import Testing

@testable import JourneyNodes

/// A proof is good for one thing, once.
@Suite("Purposes of proofs")
struct ProofPurposeTests {
  private let device = ProofDevice()
  private static let applications: JSONObject = ["applicationIds": ["com.acme.wallet"]]
  private static let text: JSONObject = ["challenge": false, "sharedStateAttribute": "transaction"]

  /// What a proof was made for.
  enum Source: String, CaseIterable, Sendable {
    case random, transaction, text, bind, bindLater

    var isBinding: Bool { self == .bind || self == .bindLater }
  }

  /// A visit that asks for a proof.
  private func visit(_ source: Source, in world: World, plain: Bool = false) async throws -> Visit {
    var properties = Self.applications
    properties["captureFailure"] = true
    switch source {
    case .random:
      return try world.visit("DeviceSigningVerifierNode", properties, state: JourneyState(username: "mira"))
    case .text:
      properties.merge(Self.text)
      var visit = try world.visit("DeviceSigningVerifierNode", properties)
      visit.state.shared["transaction"] = "Pay 1 EUR"
      return visit
    case .transaction:
      let state = TransactionJourney.state(for: try await transaction(in: world, plain: plain), of: "Shop")
      return try world.visit("DeviceSigningVerifierNode", properties, state: state)
    case .bind, .bindLater:
      return try world.visit(
        "DeviceBindingNode",
        [
          "applicationIds": ["com.acme.wallet"], "authenticationType": "NONE",
          "postponeDeviceProfileStorage": .bool(source == .bindLater),
        ], state: JourneyState(username: "mira"))
    }
  }

  private func transaction(in world: World, plain: Bool) async throws -> TransactionRecord {
    let application = ApplicationRecord(
      id: UUID().uuidString, realm: "alpha", name: UUID().uuidString, secretHash: [1], createdAt: world.now,
      takesPlainProofs: plain)
    try await world.store.createApplication(application)
    let record = TransactionRecord(
      id: UUID().uuidString, realm: "alpha", applicationID: application.id, username: "mira",
      journey: "ApproveTransaction", fields: ["text": "Open the gate"], createdAt: world.now,
      expiresAt: world.now + 300)
    try await world.store.createTransaction(record)
    return record
  }

  /// Asks, and makes the proof that the visit wants.
  private func proof(
    for visit: inout Visit, _ source: Source, in world: World,
    _ change: @escaping (inout JSONObject) -> Void = { _ in }
  ) async throws -> String {
    let asked = try #require(try await visit.ask().first)
    return try device.proof(
      subject: miraID, challenge: asked.output("challenge")?.stringValue ?? "", now: world.now,
      binds: source.isBinding
    ) {
      if let id = asked.output("transaction")?["id"] { $0.claims["txn"] = id }
      change(&$0.claims)
    }
  }

  private func answer(_ visit: inout Visit, _ jws: String) async throws -> NodeResult {
    try await visit.answer(["jws": .string(jws), "deviceName": "Phone", "deviceId": "d", "clientError": ""])
  }

  private func world(_ source: Source) async throws -> World {
    let world = try await World()
    if !source.isBinding { try await device.bound(in: world) }
    return world
  }

  @Test(arguments: Source.allCases)
  func `of fifty equal answers at once, one counts`(source: Source) async throws {
    let world = try await world(source)
    var asked = try await visit(source, in: world)
    let jws = try await proof(for: &asked, source, in: world)
    let visit = asked
    let results = try await withThrowingTaskGroup(of: NodeResult?.self) { group in
      for _ in 0..<50 {
        group.addTask {
          var visit = visit
          return try? await answer(&visit, jws)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.count { $0 == .outcome("success") } == 1)
    #expect(try await world.store.evidence(.init(limit: 100)).count == 1)
  }

  @Test(arguments: Source.allCases)
  func `what was accepted once is not accepted again for the same challenge`(source: Source) async throws {
    let world = try await world(source)
    var first = try await visit(source, in: world)
    let jws = try await proof(for: &first, source, in: world)
    var second = first
    #expect(try await answer(&first, jws) == .outcome("success"))
    #expect(try await answer(&second, jws) == .outcome("failure"))
    if !source.isBinding || source == .bindLater {
      #expect(second.reasons.contains(ProofFailure.replayed.text))
    }
  }

  @Test(arguments: Source.allCases)
  func `no proof of another kind is accepted where a text is signed`(source: Source) async throws {
    let world = try await world(source)
    var first = try await visit(source, in: world)
    let jws = try await proof(for: &first, source, in: world)
    let challenge = try #require(first.notes["challenge"])
    for isUsed in [false, true] {
      if isUsed { #expect(try await answer(&first, jws) == .outcome("success")) }
      if source.isBinding, isUsed, source == .bindLater { try await device.bound(in: world) }
      guard source != .text || isUsed else { continue }
      var properties = Self.applications
      properties.merge(Self.text)
      properties["captureFailure"] = true
      var other = try world.visit("DeviceSigningVerifierNode", properties)
      other.state.shared["transaction"] = challenge
      if source == .text {
        _ = try await other.ask()
        #expect(try await answer(&other, jws) == .outcome("failure"))
        #expect(other.reasons == [ProofFailure.replayed.text])
      } else {
        #expect(try await other.evaluate() == .outcome("failure"))
        #expect(other.reasons == [ProofFailure.challengeReserved.text])
      }
    }
    #expect(try await world.store.evidence(.init(limit: 100)).count == 1)
  }

  @Test(arguments: [.random, .text, .bind] as [Source])
  func `an approval is no sign-in, no text and no binding`(source: Source) async throws {
    let world = try await world(source)
    var visit = try await visit(source, in: world)
    let jws = try await proof(for: &visit, source, in: world) { $0["txn"] = "t-1" }
    #expect(try await answer(&visit, jws) == .outcome("failure"))
    #expect(visit.reasons == [ProofFailure.transactionUnexpected.text])
    #expect(try await world.lockout(of: "mira", .signatures) == LockoutState())
    #expect(try await world.store.evidence(.init(limit: 1)).isEmpty)
  }

  @Test(
    arguments: [
      (nil, false, ProofFailure.transactionMissing), ("another", false, .transactionMismatch),
      (.null, false, .transactionMismatch), (nil, true, nil), ("another", true, .transactionMismatch),
      (1, true, .transactionMismatch),
    ] as [(JSONValue?, Bool, ProofFailure?)])
  func `a transaction needs its own id in 'txn', unless its application takes plain proofs`(
    given: JSONValue?, isPlain: Bool, failure: ProofFailure?
  ) async throws {
    let world = try await world(.transaction)
    var visit = try await visit(.transaction, in: world, plain: isPlain)
    let jws = try await proof(for: &visit, .transaction, in: world) { $0["txn"] = given }
    #expect(try await answer(&visit, jws) == .outcome(failure == nil ? "success" : "failure"))
    #expect(try await world.lockout(of: "mira", .signatures) == LockoutState())
    let evidence = try await world.store.evidence(.init(limit: 1)).first?.record.transaction
    if let failure {
      #expect(visit.reasons.contains(failure.text))
      #expect(visit.state.shared["DeviceSigningVerifierNode.FAILURE"] == "INVALID_CLAIM")
      #expect(evidence == nil)
      let request = try #require(visit.state.transient["Transaction.REQUEST"]?["id"]?.stringValue)
      let record = try #require(try await world.store.transaction(id: request, realm: "alpha"))
      #expect(record.decision == .refused(reason: "INVALID_CLAIM"))
    } else {
      #expect(evidence?["plainProofs"] == true)
    }
  }

  @Test func `a proof stays used until no node could accept it, whatever skew that allows`() async throws {
    let world = try await world(.text)
    var first = try await visit(.text, in: world)
    let jws = try await proof(for: &first, .text, in: world)
    #expect(try await answer(&first, jws) == .outcome("success"))
    // Past the first node's skew of a minute, within the second one's hour.
    world.advance(1800)
    try await world.store.removeExpired(now: world.now)
    var properties = Self.applications
    properties.merge(Self.text)
    properties["captureFailure"] = true
    properties["skewAllowance"] = 3600
    var second = try world.visit("DeviceSigningVerifierNode", properties)
    second.state.shared["transaction"] = "Pay 1 EUR"
    _ = try await second.ask()
    #expect(try await answer(&second, jws) == .outcome("failure"))
    #expect(second.reasons == [ProofFailure.replayed.text])
  }

  @Test func `a signature counts only for the transaction as it is stored`() async throws {
    let world = try await world(.transaction)
    var visit = try await visit(.transaction, in: world)
    let asked = try #require(try await visit.ask().first)
    let sent = try #require(OfferedTransaction(json: asked.output("transaction")?.objectValue ?? [:]))
    let other = try #require(
      OfferedTransaction(
        id: sent.id, transaction: try Transaction(text: "Open the vault"), nonce: sent.nonce))
    visit.notes["challenge"] = .string(other.challenge)
    visit.notes["transaction"] = .object(other.json)
    let jws = try device.proof(
      subject: miraID, challenge: other.challenge, now: world.now, binds: false
    ) { $0.claims["txn"] = .string(other.id) }
    await #expect(throws: NodeError.self) { try await answer(&visit, jws) }
    #expect(try await world.store.transaction(id: sent.id, realm: "alpha")?.decision == nil)
    #expect(try await world.store.evidence(.init(limit: 1)).isEmpty)
  }

  @Test(arguments: ["transaction", "challenge", "sentAt"])
  func `what was offered as a transaction is taken for nothing else; what cannot be read is asked anew`(
    note: String
  ) async throws {
    let world = try await world(.transaction)
    var visit = try await visit(.transaction, in: world)
    let jws = try await proof(for: &visit, .transaction, in: world)
    let challenge = visit.notes["challenge"]
    visit.notes[note] = ["id": "t-1"]
    guard case .callbacks(let callbacks) = try await answer(&visit, jws) else {
      Issue.record("not asked again")
      return
    }
    #expect(callbacks.first?.output("challenge") != challenge)
    #expect(try await world.store.evidence(.init(limit: 1)).isEmpty)
  }
}
