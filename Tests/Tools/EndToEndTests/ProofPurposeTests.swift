import CommonFixtures
import Concurrency
import EvidenceLedger
import Foundation
import JourneyStore
import PingBinding
import PingJourney
import PingJourneyPlugin
import PingOrchestrate
import ProofFixtures
import SealringTesting
import SigningTransactions
import StrictJSON
import Testing

/// A proof is good for one thing, once: what hostile applications and look-alike servers tried, over HTTP.
@Suite struct ProofPurposeTests {
  private static let password = "Correct horse battery 1"
  private static func person() -> ScriptedPerson { ScriptedPerson(pin: "271828") }

  private struct BoundSetup: Sendable {
    let server: TestServer
    let mira: TestDevice

    static func run(
      journeys: URL? = nil, _ body: @escaping @Sendable (BoundSetup) async throws -> Void
    ) async throws {
      try await TestServer.run(journeys: journeys) { server in
        try await server.addUser("mira", password: password)
        let device = TestDevice()
        let bound = await device.play(
          "BindDevice", on: server, as: "mira", password: password, person: person())
        try #require(bound.isSuccess)
        try await body(BoundSetup(server: server, mira: device))
      }
    }

    /// Mira's device, with somebody between it and the server.
    func mira(wire: @escaping @Sendable (Data) -> Data) -> TestDevice {
      TestDevice(keyStore: mira.keyStore, userKeys: mira.userKeys, wire: wire)
    }

    /// What a program gets that plays `journey` with a text and answers every request for a signature by `jws`.
    func present(_ jws: String, to journey: String, text: String) async -> Presented {
      var asked = 0
      var node = await TestDevice().journey(on: server).start(journey)
      for _ in 0..<5 {
        guard let step = node as? ContinueNode else { break }
        for callback in step.callbacks {
          switch callback {
          case let callback as TextInputCallback: callback.text = text
          case let callback as DeviceSigningVerifierCallback:
            asked += 1
            callback.setJws(jws)
          default: break
          }
        }
        node = await step.next()
      }
      return Presented(signatures: asked, node: node)
    }

    var entries: Int {
      get async throws { try await server.store.evidence(EvidenceQuery(limit: 100)).count }
    }
  }

  private struct Presented {
    /// How often a signature was asked for.
    var signatures: Int
    var node: any Node

    var isRefused: Bool { !(node is SuccessNode) }
  }

  private static func jws(in callback: any Callback) -> String? {
    guard let callback = callback as? AbstractCallback else { return nil }
    let inputs = callback.json["input"] as? [[String: Any]] ?? []
    return inputs.first { ($0["name"] as? String)?.hasSuffix("jws") == true }?["value"] as? String
  }

  private static func challenge(of jws: String) throws -> String {
    let claims = try UnverifiedToken(jws).claims
    return try #require(claims["challenge"]?.stringValue)
  }

  /// Replaces the challenge that a server sends to the device.
  private static func replacingChallenge(_ data: Data, by challenge: String) -> Data {
    guard var answer = (try? JSONValue(parsing: Array(data)))?.objectValue,
      var callback = answer["callbacks"]?.arrayValue?.first?.objectValue,
      let outputs = callback["output"]?.arrayValue
    else { return data }
    callback["output"] = .array(
      outputs.map { $0["name"] == "challenge" ? ["name": "challenge", "value": .string(challenge)] : $0 })
    answer["callbacks"] = [.object(callback)]
    return Data(answer.serialized)
  }

  // MARK: An application turns an approval into a session

  @Test func `an approval that its application replays is no sign-in`() async throws {
    try await BoundSetup.run { world in
      let shop = try await world.server.addApplication("shop")
      let id = try await shop.create(try Transaction(text: "Hello"), for: "mira")
      #expect(await world.mira.approve(id, on: world.server, person: Self.person()).isSuccess)
      let jwt = try #require(try await shop.read(id)["jwt"]?.stringValue)
      let entries = try await world.entries

      let typed = await world.present(jwt, to: "SignTransaction", text: try Self.challenge(of: jwt))
      #expect(typed.isRefused && typed.signatures == 0, "the challenge is not text that anybody signs")
      #expect(world.server.log.contains("the form of a server's own challenge"))
      for journey in ["SignTransaction", "SignIn"] {
        let presented = await world.present(jwt, to: journey, text: "Hello")
        #expect(presented.isRefused && presented.signatures == 1)
      }
      let second = try await shop.create(try Transaction(text: "Hello"), for: "mira")
      let again = await world.mira.approve(second, on: world.server, person: Self.person()) {
        ($0 as? DeviceSigningVerifierCallback)?.setJws(jwt)
      }
      #expect(!again.isSuccess)
      #expect(try await world.entries == entries, "it stands in the ledger once")
    }
  }

  enum Source: String, CaseIterable, Sendable { case random, transaction, bind, text }

  /// Journeys that have a chosen text signed: the bundled one, and an operator's own, which makes a session.
  @Test(arguments: Source.allCases)
  func `what was signed for something else, or before, signs no text`(_ source: Source) async throws {
    try await withTemporaryFolder { folder in
      try Self.writeOwnJourney(to: folder)
      try await BoundSetup.run(journeys: folder) { world in
        let kept = Locked("")
        let keep: @Sendable (any Callback) async -> Void = { callback in
          if let jws = Self.jws(in: callback), !jws.isEmpty { kept.withLock { $0 = jws } }
        }
        var text = ""
        switch source {
        case .random:
          let outcome = await world.mira.play(
            "SignIn", on: world.server, person: Self.person(), tamper: keep)
          #expect(outcome.isSuccess && outcome.token?.isEmpty == false)
        case .transaction:
          let id = try await world.server.addApplication("shop").create(try Transaction(text: "Hello"))
          #expect(
            await world.mira.approve(id, on: world.server, person: Self.person(), tamper: keep).isSuccess)
        case .bind:
          let outcome = await world.mira.play(
            "BindDevice", on: world.server, as: "mira", password: Self.password, person: Self.person(),
            tamper: keep)
          #expect(outcome.isSuccess)
        case .text:
          text = "Pay 1 EUR"
          let outcome = await world.mira.play(
            "SignTransaction", on: world.server, person: Self.person(), text: text, tamper: keep)
          #expect(outcome.isSuccess && outcome.token == "", "a signed text is no sign-in")
        }
        let jws = kept.withLock { $0 }
        if text.isEmpty { text = try Self.challenge(of: jws) }
        let entries = try await world.entries
        for journey in ["SignTransaction", "OwnText"] {
          let presented = await world.present(jws, to: journey, text: text)
          #expect(presented.isRefused, "\(journey)")
          #expect(presented.signatures == (source == .text ? 1 : 0), "\(journey)")
        }
        #expect(try await world.entries == entries)
        // The journeys do sign.
        #expect(
          await world.mira.play("OwnText", on: world.server, person: Self.person(), text: "Pay 2 EUR")
            .isSuccess)
      }
    }
  }

  /// `SignTransaction` under another name, with a session at its end.
  private static func writeOwnJourney(to folder: URL) throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(
      contentsOf: root.appending(path: "journeys/SignTransaction.journey.json"), encoding: .utf8)
    let realm = folder.appending(path: "alpha")
    try FileManager.default.createDirectory(at: realm, withIntermediateDirectories: true)
    try text.replacing(#""_id": "SignTransaction""#, with: #""_id": "OwnText""#)
      .replacing(#""noSession": true"#, with: #""noSession": false"#)
      .write(to: realm.appending(path: "OwnText.journey.json"), atomically: true, encoding: .utf8)
  }

  // MARK: A look-alike has a device "sign in" and holds an approval

  /// The signature that a look-alike gets for an ordinary sign-in over the challenge of an open transaction, and what the
  /// transaction's server makes of it.
  private func lookAlike(
    _ world: BoundSetup, takesPlainProofs: Bool
  ) async throws -> (state: JSONValue?, reason: JSONValue?, wasSuccess: Bool) {
    let shop = try await world.server.addApplication("shop", takesPlainProofs: takesPlainProofs)
    let id = try await shop.create(
      try Transaction(amount: "9999.00", currency: "EUR", payee: "Mallory"), for: "mira")
    // Whoever knows the id starts the transaction's journey and reads the challenge.
    let step = try #require(
      await TestDevice().journey(on: world.server).start(transaction: id) as? ContinueNode)
    let asked = try #require(step.callbacks.first as? DeviceSigningVerifierCallback)
    let challenge = asked.challenge

    // Another server, or somebody in between, sends it as the challenge of a sign-in.
    let person = Self.person()
    let kept = Locked("")
    let deceived = world.mira { Self.replacingChallenge($0, by: challenge) }
    _ = await deceived.play("SignIn", on: world.server, person: person) { callback in
      if let jws = Self.jws(in: callback) { kept.withLock { $0 = jws } }
    }
    let jws = kept.withLock { $0 }
    #expect(try Self.challenge(of: jws) == challenge, "the device cannot know better")
    #expect(person.transactions.isEmpty && person.pinPrompts.map(\.transaction) == [nil])

    asked.setJws(jws)
    let end = await step.next()
    let verdict = try await shop.read(id)
    return (verdict["state"], verdict["reason"], end is SuccessNode)
  }

  @Test func `a signature that a look-alike gets as a sign-in approves nothing`() async throws {
    try await BoundSetup.run { world in
      let entries = try await world.entries
      let result = try await lookAlike(world, takesPlainProofs: false)
      #expect(result.state == "refused" && result.reason == "INVALID_CLAIM" && !result.wasSuccess)
      #expect(world.server.log.contains("`txn` is missing"))
      #expect(try await world.entries == entries)
    }
  }

  /// What the option is documented to give up.
  @Test func `with plain proofs it does, and the ledger says so`() async throws {
    try await BoundSetup.run { world in
      let result = try await lookAlike(world, takesPlainProofs: true)
      #expect(result.state == "approved" && result.wasSuccess)
      let entry = try #require(try await world.server.store.evidence(EvidenceQuery(limit: 1)).first)
      #expect(entry.record.transaction?["plainProofs"] == true)
    }
  }

  /// The documented check of an approval needs nobody's word but the device's.
  @Test func `the challenge of a published transaction, signed as a sign-in, proves no approval`()
    async throws
  {
    try await BoundSetup.run { world in
      let challenge = "LtHR1cbgkl0yPGoPCmiCpjwIT8xjdphFe5P69z2SWmg="
      let kept = Locked("")
      let deceived = world.mira { Self.replacingChallenge($0, by: challenge) }
      let refused = await deceived.play(
        "SignIn", on: world.server, person: Self.person(), claims: ["txn": "transaction-1"])
      #expect(refused.statuses == [.invalidCustomClaims], "nobody claims by hand that it was shown")
      _ = await deceived.play("SignIn", on: world.server, person: Self.person()) { callback in
        if let jws = Self.jws(in: callback) { kept.withLock { $0 = jws } }
      }
      let claims = try UnverifiedToken(kept.withLock { $0 }).claims
      #expect(claims["challenge"]?.stringValue == challenge && claims["txn"] == nil)
    }
  }
}
