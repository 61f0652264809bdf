import BindingFormats
import CommonFixtures
import Bytes
import Concurrency
import Crypto
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

/// What you see is what you sign: a shop, its server and the payer's device, over HTTP.
@Suite struct TransactionTests {
  private static let password = "Correct horse battery 1"
  private static let pin = "271828"

  private static func rent() throws -> Transaction {
    try Transaction(
      amount: "1250.00", currency: "EUR", payee: "Hausverwaltung Krüger", account: "DE89370400440532013000",
      text: "Rent for May")
  }

  /// A server with users mira and noor, each with a bound device, and a shop.
  private struct ShopSetup: Sendable {
    let server: TestServer
    let shop: TestApplication
    let mira: TestDevice
    let noor: TestDevice

    static func run(
      storage: TestServer.Storage = .memory, journeys: URL? = nil,
      _ body: @escaping @Sendable (ShopSetup) async throws -> Void
    ) async throws {
      try await TestServer.run(storage: storage, journeys: journeys) { server in
        var devices: [TestDevice] = []
        for name in ["mira", "noor"] {
          try await server.addUser(name, password: password)
          let device = TestDevice()
          try #require(await bind(device, name, server))
          devices.append(device)
        }
        try await body(
          ShopSetup(
            server: server, shop: try await server.addApplication("shop"), mira: devices[0], noor: devices[1])
        )
      }
    }

    static func bind(_ device: TestDevice, _ name: String, _ server: TestServer) async -> Bool {
      await device.play(
        "BindDevice", on: server, as: name, password: password, person: ScriptedPerson(pin: pin)
      ).isSuccess
    }

    func state(_ id: String) async throws -> String? { try await shop.read(id)["state"]?.stringValue }

    /// Mira's device, with somebody between it and the server.
    func mira(wire: @escaping @Sendable (Data) -> Data) -> TestDevice {
      TestDevice(keyStore: mira.keyStore, userKeys: mira.userKeys, wire: wire)
    }
  }

  // MARK: Approval

  @Test(arguments: [true, false])
  func `a payment is shown, signed and verified, and the shop reads the evidence`(_ onDisk: Bool) async throws
  {
    try await withTemporaryFolder { folder in
      try await ShopSetup.run(storage: onDisk ? .sqlite(folder.appending(path: "data")) : .memory) { world in
        let rent = try Self.rent()
        let id = try await world.shop.create(rent, for: "mira")
        let open = try await world.shop.read(id)
        #expect(open["state"] == "pending" && open["username"] == "mira" && open["jwt"] == nil)
        #expect(open["fields"] == .object(rent.json))
        #expect(open["expiresAt"]?.integerValue == Self.milliseconds(world.server.clock.now) + 300_000)

        let person = ScriptedPerson(pin: Self.pin)
        let outcome = await world.mira.approve(id, on: world.server, person: person)
        #expect(outcome.isSuccess)
        #expect(outcome.token == "", "an approval signs nobody in")
        #expect(person.transactions == [rent])
        #expect(person.pinPrompts.map(\.transaction) == [rent])
        #expect(person.pinPrompts.map(\.description) == [rent.lines.joined(separator: "\n")])
        #expect(
          person.pinPrompts.map(\.title) == ["Approve this transaction?"], "nothing that a server wrote")
        #expect(person.pinPrompts.map(\.subtitle) == [""])

        let verdict = try await world.shop.read(id)
        #expect(verdict["state"] == "approved" && verdict["username"] == "mira")
        #expect(verdict["decidedAt"]?.integerValue == Self.milliseconds(world.server.clock.now))
        let device = try #require(try await world.server.devices(of: "mira").first)
        #expect(verdict["kid"]?.stringValue == device.uuid)
        try Self.verify(verdict, id: id, key: device.key, shows: rent)

        // The ledger keeps what was approved beside the signature, for an auditor who has nothing else.
        let entries = try await world.server.store.evidence(EvidenceQuery(limit: 1))
        let record = try #require(entries.first).record
        #expect(record.journey == "ApproveTransaction" && record.username == "mira")
        #expect(record.jws == verdict["jwt"]?.stringValue)
        let kept = try #require(record.transaction)
        #expect(kept["id"]?.stringValue == id && kept["fields"] == .object(rent.json))
        #expect(kept["nonce"] == verdict["nonce"] && kept["application"]?.stringValue == world.shop.id)
        #expect(verdict["evidence"]?.integerValue == entries.first?.number && open["evidence"] == nil)
        guard onDisk else {
          // A ledger in memory has no proofs.
          await #expect(throws: TestServerError.self) { try await world.shop.proof(of: id) }
          return
        }
        let proof = try await world.shop.proof(of: id)
        let proven = try UnverifiedInclusion(parsing: proof.serialized).verified().entry
        #expect(SignedStatement(proven) == .transaction(rent, id: id))
        // What is not approved has no proof, and others have none of it.
        let next = try await world.shop.create(rent, for: "mira")
        let other = try await world.server.addApplication("other")
        for (application, id) in [(world.shop, next), (other, id), (other, "x")] {
          await #expect(throws: TestServerError.self) { try await application.proof(of: id) }
        }
      }
    }
  }

  /// What an application, or an auditor, can check without trusting the server's verdict.
  private static func verify(
    _ verdict: JSONValue, id: String, key: JSONObject, shows transaction: Transaction
  ) throws {
    let claims = try VerifiedToken(try #require(verdict["jwt"]?.stringValue), jwk: key).claims
    let nonce = try #require(verdict["nonce"]?.stringValue.flatMap { Base64URL.decode($0) })
    let shown = try Transaction(json: try #require(verdict["fields"]?.objectValue))
    #expect(shown == transaction)
    #expect(claims["challenge"]?.stringValue == shown.challenge(nonce: nonce))
    #expect(claims["txn"]?.stringValue == id, "the device says that it showed it")
  }

  @Test func `without a named user, whoever has a bound device may approve`() async throws {
    try await ShopSetup.run { world in
      let id = try await world.shop.create(try Transaction(text: "Open the gate"))
      #expect(await world.noor.approve(id, on: world.server, person: ScriptedPerson(pin: Self.pin)).isSuccess)
      #expect(try await world.shop.read(id)["username"] == "noor")
    }
  }

  @Test func `a key that asks for nothing still shows the transaction first`() async throws {
    try await ShopSetup.run { world in
      try await world.server.addUser("sana", password: Self.password)
      let device = TestDevice()
      #expect(
        await device.play(
          "BindDeviceNoPin", on: world.server, as: "sana", password: Self.password,
          person: ScriptedPerson(pins: [])
        ).isSuccess)
      let refused = try await world.shop.create(try Self.rent(), for: "sana")
      let person = ScriptedPerson(pins: [], onTransactions: .refuses)
      #expect(await !device.approve(refused, on: world.server, person: person).isSuccess)
      #expect(try person.transactions == [Self.rent()])
      #expect(try await world.shop.read(refused)["reason"] == "CANCELLED")
      let approved = try await world.shop.create(try Self.rent(), for: "sana")
      #expect(
        await device.approve(approved, on: world.server, person: ScriptedPerson(pins: [])).isSuccess)
    }
  }

  @Test func `a session changes nothing: the transaction is asked for, and the session stays as it is`()
    async throws
  {
    try await ShopSetup.run { world in
      let journey = world.mira.journey(on: world.server)
      guard let step = await journey.start("SignIn") as? ContinueNode,
        let callback = step.callbacks.first as? DeviceSigningVerifierCallback
      else { throw TestServerError.ended }
      await callback.sign {
        world.mira.configure($0, person: ScriptedPerson(pin: Self.pin), clock: world.server.clock)
      }
      let session = try #require((await step.next() as? SuccessNode)?.session.value)
      #expect(!session.isEmpty)
      let id = try await world.shop.create(try Self.rent(), for: "mira")
      #expect(await journey.start(transaction: id) is ContinueNode, "being signed in approves nothing")
      #expect(await journey.session()?.value == session)
    }
  }

  // MARK: Changes after display

  /// Each of them on the way from the server to the device.
  enum Change: String, CaseIterable, Sendable {
    case amount, payee, account, text, nonce, challenge, extraField, noOffer, otherID, bidiText

    func apply(_ answer: JSONObject) -> JSONObject {
      var answer = answer
      guard var callbacks = answer["callbacks"]?.arrayValue, var callback = callbacks.first?.objectValue,
        let outputs = callback["output"]?.arrayValue
      else { return answer }
      callback["output"] = .array(
        outputs.compactMap { output in
          guard var output = output.objectValue else { return output }
          switch output["name"]?.stringValue {
          case "transaction":
            guard self != .noOffer, var offer = output["value"]?.objectValue else { return nil }
            change(&offer)
            output["value"] = .object(offer)
          case "challenge" where self == .challenge:
            output["value"] = .string(Data(repeating: 7, count: 32).base64EncodedString())
          default: break
          }
          return .object(output)
        })
      callbacks[0] = .object(callback)
      answer["callbacks"] = .array(callbacks)
      return answer
    }

    /// The answer with another offer, and the challenge that belongs to it.
    static func replaced(_ answer: JSONObject, by offer: OfferedTransaction) -> JSONObject {
      var answer = answer
      guard var callbacks = answer["callbacks"]?.arrayValue, var callback = callbacks.first?.objectValue,
        let outputs = callback["output"]?.arrayValue
      else { return answer }
      callback["output"] = .array(
        outputs.map { output in
          guard var object = output.objectValue else { return output }
          switch object["name"]?.stringValue {
          case "transaction": object["value"] = .object(offer.json)
          case "challenge": object["value"] = .string(offer.challenge)
          default: break
          }
          return .object(object)
        })
      callbacks[0] = .object(callback)
      answer["callbacks"] = .array(callbacks)
      return answer
    }

    private func change(_ offer: inout JSONObject) {
      var fields = offer["fields"]?.objectValue ?? [:]
      switch self {
      case .amount: fields["amount"] = "1.25"
      case .payee: fields["payee"] = "Hausverwaltung Kruger"
      case .account: fields["account"] = "DE89370400440532013001"
      case .text: fields["text"] = nil
      case .nonce: offer["nonce"] = .string(Base64URL.encode(Array(repeating: 0, count: 32)))
      case .extraField: fields["memo"] = "Deposit"
      case .otherID: offer["id"] = "someOtherTransaction"
      case .bidiText: fields["text"] = "Rent \u{202E}yaM rof"
      case .challenge, .noOffer: break
      }
      offer["fields"] = .object(fields)
    }
  }

  @Test(arguments: Change.allCases)
  func `what was changed on its way to the device is not signed`(_ change: Change) async throws {
    try await ShopSetup.run { world in
      let id = try await world.shop.create(try Self.rent(), for: "mira")
      let person = ScriptedPerson(pin: Self.pin)
      let device = world.mira { data in
        guard let answer = try? JSONValue(parsing: Array(data)).objectValue else { return data }
        return Data(change.apply(answer).serialized)
      }
      let outcome = await device.approve(id, on: world.server, person: person)
      #expect(!outcome.isSuccess)
      #expect(outcome.statuses.map(\.clientError) == ["Unsupported"])
      #expect(person.transactions.isEmpty && person.pinPrompts.isEmpty, "nothing is shown, no key is used")
      let verdict = try await world.shop.read(id)
      #expect(verdict["state"] == "refused" && verdict["reason"] == "CANCELLED")
    }
  }

  @Test func `a proof over anything but the transaction is refused, with the reason`() async throws {
    try await ShopSetup.run { world in
      // A device that was deceived on the way: it is offered another amount, with the challenge that belongs to it.
      let id = try await world.shop.create(try Self.rent(), for: "mira")
      let server = world.server
      let other = try #require(
        OfferedTransaction(
          id: id, transaction: try Transaction(amount: "9999.00", currency: "EUR", payee: "Mallory"),
          nonce: Array(repeating: 1, count: 32)))
      let deceived = world.mira { data in
        guard let answer = try? JSONValue(parsing: Array(data)).objectValue else { return data }
        return Data(Change.replaced(answer, by: other).serialized)
      }
      let outcome = await deceived.approve(id, on: server, person: ScriptedPerson(pin: Self.pin))
      #expect(!outcome.isSuccess)
      let verdict = try await world.shop.read(id)
      #expect(verdict["state"] == "refused" && verdict["reason"] == "INVALID_CLAIM")
      #expect(server.log.contains("`challenge` is not the one sent"))
    }
  }

  @Test(arguments: ["header", "payload", "signature"])
  func `a changed proof is refused, with the reason`(_ part: String) async throws {
    try await ShopSetup.run { world in
      let id = try await world.shop.create(try Self.rent(), for: "mira")
      let outcome = await world.mira.approve(id, on: world.server, person: ScriptedPerson(pin: Self.pin)) {
        callback in
        guard let callback = callback as? DeviceSigningVerifierCallback else { return }
        callback.setJws(Self.tampered(Self.jws(in: callback), part))
      }
      #expect(!outcome.isSuccess && outcome.refusalMessage == "Login failure")
      let verdict = try await world.shop.read(id)
      #expect(verdict["state"] == "refused" && verdict["reason"] == "INVALID_SIGNATURE")
    }
  }

  // MARK: Once

  @Test func `an approved transaction cannot be started again, nor its answer sent again`() async throws {
    try await ShopSetup.run { world in
      let id = try await world.shop.create(try Self.rent(), for: "mira")
      let journey = world.mira.journey(on: world.server)
      let step = try #require(await journey.start(transaction: id) as? ContinueNode)
      let callback = try #require(step.callbacks.first as? DeviceSigningVerifierCallback)
      await callback.sign {
        world.mira.configure($0, person: ScriptedPerson(pin: Self.pin), clock: world.server.clock)
      }
      #expect(await step.next() is SuccessNode)
      let verdict = try await world.shop.read(id)
      let replay = try #require(await step.next() as? ErrorNode)
      #expect(replay.status == 401)
      let again = await world.mira.approve(id, on: world.server, person: ScriptedPerson(pin: Self.pin))
      #expect(again.refusalStatus == 401)
      #expect(world.server.log.contains("has been decided before"))
      #expect(try await world.shop.read(id) == verdict)
    }
  }

  @Test func `of two devices at once exactly one approves`() async throws {
    try await ShopSetup.run { world in
      // Bound as the first one, which is put back: the account's key would be asked for, and the second device has none.
      let mira = UniversalID(username: "mira", realm: "alpha")
      let first = try #require(try await world.server.devices(of: "mira").first)
      _ = try await world.server.store.boundDevices.delete(first.uuid, of: mira)
      let second = TestDevice()
      try #require(await ShopSetup.bind(second, "mira", world.server))
      _ = try await world.server.store.addBoundDevice(first, limit: 0)
      for _ in 1...5 {
        let id = try await world.shop.create(try Self.rent(), for: "mira")
        // Both have signed before either answers.
        var steps: [JourneyContinueNode] = []
        for device in [world.mira, second] {
          let step = try #require(
            await device.journey(on: world.server).start(transaction: id) as? JourneyContinueNode)
          let callback = try #require(step.callbacks.first as? DeviceSigningVerifierCallback)
          await callback.sign {
            device.configure($0, person: ScriptedPerson(pin: Self.pin), clock: world.server.clock)
          }
          steps.append(step)
        }
        let (first, last) = (steps[0], steps[1])
        async let one = first.next() is SuccessNode
        async let other = last.next() is SuccessNode
        let outcomes = await [one, other]
        #expect(outcomes.filter { $0 }.count == 1)
        #expect(try await world.state(id) == "approved")
      }
    }
  }

  @Test func `a proof for one transaction does not approve another one, though they read the same`()
    async throws
  {
    try await ShopSetup.run { world in
      let first = try await world.shop.create(try Self.rent(), for: "mira")
      let second = try await world.shop.create(try Self.rent(), for: "mira")
      let kept = Locked("")
      _ = await world.mira.approve(first, on: world.server, person: ScriptedPerson(pin: Self.pin)) {
        guard let callback = $0 as? DeviceSigningVerifierCallback else { return }
        kept.withLock { $0 = Self.jws(in: callback) }
      }
      let outcome = await world.mira.approve(
        second, on: world.server, person: ScriptedPerson(pin: Self.pin)
      ) { ($0 as? DeviceSigningVerifierCallback)?.setJws(kept.withLock { $0 }) }
      #expect(!outcome.isSuccess)
      #expect(try await world.state(first) == "approved")
      #expect(try await world.shop.read(second)["reason"] == "INVALID_CLAIM")
    }
  }

  // MARK: Refusal

  @Test func `cancelling the PIN refuses the transaction for good`() async throws {
    try await ShopSetup.run { world in
      let id = try await world.shop.create(try Self.rent(), for: "mira")
      let outcome = await world.mira.approve(
        id, on: world.server, person: ScriptedPerson(pins: [.cancels]))
      #expect(outcome.refusalStatus == 401 && outcome.statuses.map(\.clientError) == ["Abort"])
      let verdict = try await world.shop.read(id)
      #expect(verdict["state"] == "refused" && verdict["reason"] == "CANCELLED")
      #expect(verdict["decidedAt"] != nil && verdict["jwt"] == nil)
      let again = await world.mira.approve(id, on: world.server, person: ScriptedPerson(pin: Self.pin))
      #expect(again.refusalStatus == 401)
    }
  }

  @Test func `a device without the key, and time that ran out, leave the transaction open`() async throws {
    try await ShopSetup.run { world in
      let id = try await world.shop.create(try Self.rent(), for: "mira")
      let stranger = await TestDevice().approve(
        id, on: world.server, person: ScriptedPerson(pin: Self.pin))
      #expect(stranger.statuses.map(\.clientError) == ["ClientNotRegistered"])
      let slow = await world.mira.approve(
        id, on: world.server, person: ScriptedPerson(pins: [], onTransactions: .stalls), timeout: 1)
      #expect(slow.statuses.map(\.clientError) == ["Timeout"])
      #expect(try await world.state(id) == "pending")
      #expect(await world.mira.approve(id, on: world.server, person: ScriptedPerson(pin: Self.pin)).isSuccess)
    }
  }

  @Test func `another user's device cannot approve what is for mira`() async throws {
    try await ShopSetup.run { world in
      let id = try await world.shop.create(try Self.rent(), for: "mira")
      let person = ScriptedPerson(pin: Self.pin)
      let outcome = await world.noor.approve(id, on: world.server, person: person)
      #expect(!outcome.isSuccess && person.transactions.isEmpty)
      // A device that signs with its own key all the same.
      let forced = await world.noor.approve(id, on: world.server, person: person) {
        guard let callback = $0 as? DeviceSigningVerifierCallback else { return }
        callback.userId = "id=noor,ou=user,o=alpha,ou=services,ou=am-config"
        await callback.sign { world.noor.configure($0, person: person, clock: world.server.clock) }
      }
      #expect(!forced.isSuccess)
      #expect(try await world.state(id) == "pending", "no proof by a key of hers was there to judge")
    }
  }

  @Test func `an inactive user's signature approves nothing`() async throws {
    try await ShopSetup.run { world in
      let id = try await world.shop.create(try Self.rent(), for: "mira")
      let mira = try #require(try await world.server.store.user(named: "mira", realm: "alpha"))
      var change = UserChange(of: mira)
      change.isActive = false
      guard case .changed = try await world.server.store.updateUser(change) else {
        Issue.record("not deactivated")
        return
      }
      #expect(
        await !world.mira.approve(id, on: world.server, person: ScriptedPerson(pin: Self.pin)).isSuccess)
      // Nobody was asked, so nobody has refused: whoever activates the account in time can still approve.
      #expect(try await world.state(id) == "pending")
    }
  }

  @Test func `a user who becomes inactive while it is shown approves nothing`() async throws {
    try await ShopSetup.run { world in
      let id = try await world.shop.create(try Self.rent(), for: "mira")
      let mira = try #require(try await world.server.store.user(named: "mira", realm: "alpha"))
      let outcome = await world.mira.approve(id, on: world.server, person: ScriptedPerson(pin: Self.pin)) {
        _ in
        var change = UserChange(of: mira)
        change.isActive = false
        _ = try? await world.server.store.updateUser(change)
      }
      #expect(!outcome.isSuccess)
      #expect(try await world.shop.read(id)["reason"] == "NOT_ACTIVE_USER")
    }
  }

  // MARK: Time

  @Test func `an expired transaction cannot be started`() async throws {
    try await ShopSetup.run { world in
      let id = try await world.shop.create(try Self.rent(), for: "mira", expiresIn: 60)
      world.server.clock.advance(by: 60)
      #expect(try await world.state(id) == "expired")
      let outcome = await world.mira.approve(id, on: world.server, person: ScriptedPerson(pin: Self.pin))
      #expect(outcome.refusalStatus == 401 && outcome.refusalMessage == "Login failure")
      #expect(world.server.log.contains("has expired"))
    }
  }

  @Test func `a transaction that expires while it is shown cannot be approved`() async throws {
    try await ShopSetup.run { world in
      let id = try await world.shop.create(try Self.rent(), for: "mira", expiresIn: 30)
      let outcome = await world.mira.approve(id, on: world.server, person: ScriptedPerson(pin: Self.pin)) {
        _ in world.server.clock.advance(by: 30)
      }
      #expect(outcome.refusalStatus == 401)
      #expect(try await world.state(id) == "expired")
    }
  }

  @Test func `verdicts can be read for 30 days after the transaction's time`() async throws {
    try await ShopSetup.run { world in
      let id = try await world.shop.create(try Self.rent(), for: "mira")
      _ = await world.mira.approve(id, on: world.server, person: ScriptedPerson(pin: Self.pin))
      world.server.clock.advance(by: 30 * 86_400)
      try await world.server.store.removeExpired(now: world.server.clock.now)
      #expect(try await world.state(id) == "approved")
      world.server.clock.advance(by: 300)
      try await world.server.store.removeExpired(now: world.server.clock.now)
      await #expect(throws: TestServerError.refused(status: 404, message: "There is no such transaction.")) {
        try await world.shop.read(id)
      }
    }
  }

  // MARK: Helpers

  private static func milliseconds(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970 * 1000) }

  private static func jws(in callback: DeviceSigningVerifierCallback) -> String {
    let inputs = callback.json["input"] as? [[String: Any]] ?? []
    return inputs.first { ($0["name"] as? String)?.hasSuffix("jws") == true }?["value"] as? String ?? ""
  }

  /// A proof whose part is still well-formed, and another.
  private static func tampered(_ jws: String, _ part: String) -> String {
    var parts = jws.split(separator: ".").map(String.init)
    guard parts.count == 3, let index = ["header", "payload", "signature"].firstIndex(of: part),
      var bytes = Base64URL.decode(parts[index])
    else { return jws }
    if index == 2 {
      bytes[0] ^= 1
    } else {
      guard var json = (try? JSONValue(parsing: bytes))?.objectValue else { return jws }
      json["extra"] = "1"
      bytes = json.serialized
    }
    parts[index] = Base64URL.encode(bytes)
    return parts.joined(separator: ".")
  }
}
