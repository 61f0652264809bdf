import Concurrency
import DeviceKeys
import Foundation
import PingJourneyPlugin
import PingOrchestrate
import ProofFixtures
import SigningTransactions
import StrictJSON
import Testing
import CommonFixtures

@testable import PingBinding
@testable import TerminalPrompts

@Suite struct TransactionTests {
  let device = BindingDevice()
  private let offer: OfferedTransaction

  init() throws {
    let transaction = try Transaction(amount: "42.00", currency: "EUR", payee: "Bakery", text: "Bread")
    offer = try #require(
      OfferedTransaction(id: "transaction-1", transaction: transaction, nonce: Array(0..<32)))
  }

  /// A callback as a server sends it; `offer` takes the place of the proper output.
  private func callback(
    challenge: String? = nil, offer changed: ((inout JSONObject) -> Void)? = nil, place: Int = 6
  ) throws -> DeviceSigningVerifierCallback {
    var json = offer.json
    changed?(&json)
    return try callback(output: JSONValue.object(json).text, challenge: challenge, place: place)
  }

  private func callback(
    output: String, challenge: String? = nil, place: Int = 6
  ) throws -> DeviceSigningVerifierCallback {
    let value = try JSONSerialization.jsonObject(with: Data(output.utf8), options: [.fragmentsAllowed])
    let callback = DeviceSigningVerifierCallback()
    var outputs: [[String: Any]] = [
      ["name": "userId", "value": ""], ["name": "challenge", "value": challenge ?? offer.challenge],
      ["name": "title", "value": "Confirm"], ["name": "subtitle", "value": "Acme"],
      ["name": "description", "value": "All is well"], ["name": "timeout", "value": 60],
    ]
    outputs.insert(["name": "transaction", "value": value], at: place)
    _ = (callback as any Callback).initializeNow(with: [
      "type": "DeviceSigningVerifierCallback", "output": outputs,
      "input": ["jws", "clientError"].map { ["name": "IDToken1\($0)", "value": ""] },
    ])
    return callback
  }

  private func bindWithPIN() async {
    await device.bind(bindingCallback(type: "APPLICATION_PIN")) { $0.pinCollector = ScriptedPIN("471108") }
  }

  /// Remembers what it was shown.
  private final class Confirmation: Sendable {
    let shown = Locked<[Transaction]>([])
    let answer: Bool
    init(_ answer: Bool) { self.answer = answer }
    func ask(_ transaction: Transaction) async -> Bool {
      shown.withLock { $0.append(transaction) }
      return answer
    }
  }

  @Test func `the callback has the transaction`() throws {
    #expect(try callback().transaction == offer.transaction)
    #expect(try callback(place: 0).transaction == offer.transaction)
    #expect(signingCallback().transaction == nil)
  }

  @Test func `the PIN prompt shows all of it and the challenge is signed`() async throws {
    await bindWithPIN()
    let pin = ScriptedPIN("930274", "471108")
    let outcome = await device.sign(try callback()) { $0.pinCollector = pin }
    #expect(try outcome.token().claims["challenge"]?.stringValue == offer.challenge)
    #expect(try outcome.token().claims["txn"]?.stringValue == "transaction-1")
    #expect(
      pin.prompts.map(\.transaction) == [offer.transaction, offer.transaction], "after a wrong PIN, too")
    #expect(pin.prompts[1].triesLeft == 2)
    #expect(pin.prompts.map(\.title) == Array(repeating: "Approve this transaction?", count: 2))
    #expect(pin.prompts.map(\.subtitle) == ["", ""], "the server's could pass as a part of the transaction")
    #expect(pin.prompts[0].description == "Amount: 42.00 EUR\nPayee: Bakery\nText: Bread")
  }

  @Test func `an app's own PIN texts do not take its place`() async throws {
    await bindWithPIN()
    let pin = ScriptedPIN("471108")
    let outcome = await device.sign(try callback()) {
      $0.authenticatorConfig = AppPinConfig(
        prompt: Prompt(title: "Ours", subtitle: "", description: "Enter it"), pinCollector: pin)
    }
    #expect(outcome.status == nil)
    #expect(pin.prompts.map(\.title) == ["Ours"])
    #expect(pin.prompts.map(\.transaction) == [offer.transaction])
    #expect(pin.prompts[0].description.contains("Payee: Bakery"))
  }

  @Test func `the selector is shown it too`() async throws {
    final class Selector: UserKeySelector, Sendable {
      let prompts = Locked<[Prompt]>([])
      let showsTransactions: Bool
      init(_ showsTransactions: Bool) { self.showsTransactions = showsTransactions }
      func selectKey(userKeys: [UserKey], prompt: Prompt) async -> UserKey? {
        prompts.withLock { $0.append(prompt) }
        return userKeys.first
      }
    }
    await device.bind()
    await device.bind(
      bindingCallback(user: "id=noor,ou=user,o=alpha,ou=services,ou=am-config", username: "noor"))
    let selector = Selector(false)
    _ = await device.sign(try callback()) {
      $0.userKeySelector = selector
      $0.transactionConfirmation = { _ in true }
    }
    #expect(selector.prompts.withLock { $0 }.map(\.transaction) == [offer.transaction])
    #expect(selector.prompts.withLock { $0 }.map(\.title) == ["Approve this transaction?"])

    // One that does not say so is not asked when nothing else would show it.
    let silent = Selector(false)
    let unshown = try callback()
    let refused = await device.sign(unshown) { $0.userKeySelector = silent }
    #expect(refused.status?.errorMessage.contains("UserKeySelector.showsTransactions") == true)
    #expect(inputs(of: unshown.json)["jws"] == "" && silent.prompts.withLock { $0 }.isEmpty)
    let ordinary = await device.sign(signingCallback()) { $0.userKeySelector = silent }
    #expect(ordinary.status == nil, "where no transaction is signed, nothing has changed")
  }

  @Test func `an app's PIN collector is not assumed to show it`() async throws {
    await bindWithPIN()
    let silent = ScriptedPIN("471108", showsTransactions: false)
    let unshown = try callback()
    let refused = await device.sign(unshown) { $0.pinCollector = silent }
    #expect(refused.status?.errorMessage.contains("PinCollector.showsTransactions") == true)
    #expect(inputs(of: unshown.json)["jws"] == "" && silent.prompts.isEmpty, "the person is not even asked")
    #expect(inputs(of: unshown.json)["clientError"] == "Unsupported", "which leaves the transaction open")
    let configured = await device.sign(try callback()) {
      $0.authenticatorConfig = AppPinConfig(pinCollector: silent)
    }
    #expect(configured.status?.clientError == "Unsupported")

    let yes = Confirmation(true)
    let approved = await device.sign(try callback()) {
      $0.pinCollector = silent
      $0.transactionConfirmation = yes.ask
    }
    #expect(yes.shown.withLock { $0 } == [offer.transaction])
    #expect(try approved.token().claims["txn"]?.stringValue == "transaction-1")
    let ordinary = await device.sign(signingCallback()) {
      $0.pinCollector = ScriptedPIN("471108", showsTransactions: false)
    }
    #expect(ordinary.status == nil)
    #expect(DefaultPinCollector().showsTransactions && DefaultUserKeySelector().showsTransactions)
  }

  @Test func `only an approved transaction is named in the token`() async throws {
    await device.bind()
    let plain = await device.sign(signingCallback())
    #expect(try plain.token().claims["txn"] == nil)
    // A sign-in over a transaction's challenge is still a sign-in.
    let deceived = await device.sign(signingCallback(challenge: offer.challenge))
    #expect(try deceived.token().claims["challenge"]?.stringValue == offer.challenge)
    #expect(try deceived.token().claims["txn"] == nil)
    for callback in [signingCallback(), try callback()] {
      let claimed = await device.sign(callback) {
        $0.claims = ["txn": "transaction-1"]
        $0.transactionConfirmation = { _ in true }
      }
      #expect(claimed.status == .invalidCustomClaims)
    }
  }

  @Test func `a key without prompt is used only after the confirmation`() async throws {
    await device.bind()
    let (yes, no) = (Confirmation(true), Confirmation(false))
    let refused = await device.sign(try callback()) { $0.transactionConfirmation = no.ask }
    #expect(refused.status == .abort)
    #expect(no.shown.withLock { $0 } == [offer.transaction])
    let approved = await device.sign(try callback()) { $0.transactionConfirmation = yes.ask }
    #expect(approved.inputs["jws"]?.isEmpty == false)
  }

  @Test func `a confirmation that is set is asked before the PIN too`() async throws {
    await bindWithPIN()
    let (no, pin) = (Confirmation(false), ScriptedPIN("471108"))
    let outcome = await device.sign(try callback()) {
      $0.transactionConfirmation = no.ask
      $0.pinCollector = pin
    }
    #expect(outcome.status == .abort && pin.prompts.isEmpty)
  }

  @Test func `an authenticator that is used again shows what it is used for, whatever was approved before`()
    async throws
  {
    await bindWithPIN()
    let pin = ScriptedPIN("471108", "471108", "471108")
    let authenticator = AppPinAuthenticator(config: AppPinConfig(pinCollector: pin))
    let text = await device.sign(signingCallback(challenge: "I owe Eve 5 euros")) {
      $0.deviceAuthenticator = authenticator
      $0.textConfirmation = { _ in true }
    }
    #expect(text.status == nil)
    let payment = await device.sign(try callback()) { $0.deviceAuthenticator = authenticator }
    #expect(payment.status == nil)
    #expect(pin.prompts.map(\.isTransactionApproved) == [true, false])
    #expect(pin.prompts.last?.lines("Enter PIN").contains("Payee: Bakery") == true)
  }

  @Test func `what another operation's prompt has covered is not signed`() async throws {
    /// During its question, another operation begins with the same authenticator.
    final class Disturbed: PinCollector {
      var authenticator: AppPinAuthenticator?
      let showsTransactions = true
      func collectPin(prompt: Prompt, completion: @escaping @Sendable (String?) -> Void) {
        authenticator?.initialize(userId: "", prompt: Prompt(title: "Sign in", subtitle: "", description: ""))
        completion("471108")
      }
    }
    await bindWithPIN()
    let pin = Disturbed()
    let authenticator = AppPinAuthenticator(config: AppPinConfig(pinCollector: pin))
    pin.authenticator = authenticator
    let outcome = await device.sign(try callback()) { $0.deviceAuthenticator = authenticator }
    #expect(outcome.status?.errorMessage.contains("the same authenticator") == true)
    pin.authenticator = nil
    #expect(await device.sign(try callback()) { $0.deviceAuthenticator = authenticator }.status == nil)
  }

  @Test func `without a transaction nothing is confirmed`() async {
    await device.bind()
    let no = Confirmation(false)
    let outcome = await device.sign(signingCallback()) { $0.transactionConfirmation = no.ask }
    #expect(outcome.status == nil && no.shown.withLock { $0 }.isEmpty)
  }

  @Test func `what the challenge does not stand for is not signed`() async throws {
    await bindWithPIN()
    let callbacks = [
      try callback(challenge: "another"), try callback(challenge: challenge), try callback(challenge: ""),
      try callback {
        $0["fields"] = ["amount": "4.20", "currency": "EUR", "payee": "Bakery", "text": "Bread"]
      },
      try callback { $0["fields"] = ["amount": "42.00", "currency": "EUR", "payee": "Bakery"] },
      try callback { $0["fields"] = ["text": "a", "memo": "b"] },
      try callback { $0["nonce"] = "AAAA" }, try callback { $0["version"] = 2 },
      try callback { $0["id"] = nil },
      try callback(output: "null"), try callback(output: "[]"), try callback(output: #""text""#),
      try callback(output: "{}"),
    ]
    for (index, callback) in callbacks.enumerated() {
      let (yes, pin) = (Confirmation(true), ScriptedPIN("471108"))
      let outcome = await device.sign(callback) {
        $0.transactionConfirmation = yes.ask
        $0.pinCollector = pin
      }
      // JSON null is not an output at all: then there is no transaction, and the challenge is an ordinary one.
      guard index != 9 else {
        #expect(outcome.status == nil)
        continue
      }
      #expect(outcome.status?.clientError == "Unsupported", "\(index)")
      #expect(inputs(of: callback.json)["jws"] == "" && inputs(of: callback.json)["clientError"] == "Abort")
      #expect(yes.shown.withLock { $0 }.isEmpty && pin.prompts.isEmpty, "\(index)")
    }
  }

  /// Somebody who takes the offer away cannot make a journey for a transaction look like an ordinary one.
  @Test(arguments: [true, false])
  func `a run for a transaction signs this one or nothing`(_ isMissing: Bool) async throws {
    await bindWithPIN()
    let journey = Workflow(config: WorkflowConfig())
    for (expected, accepted) in [("transaction-1", !isMissing), ("transaction-2", false)] {
      let callback = isMissing ? signingCallback() : try callback()
      let flow = FlowContext(flowContext: SharedContext([JourneyConstants.transactionId: expected]))
      let node = ContinueNode(context: flow, workflow: journey, input: [:], actions: [callback])
      callback.continueNode = node
      let pin = ScriptedPIN("471108")
      let outcome = await device.sign(callback) { $0.pinCollector = pin }
      #expect((outcome.status == nil) == accepted)
      #expect(pin.prompts.isEmpty != accepted)
      withExtendedLifetime(node) {}
    }
  }

  @Test func `a confirmation has the callback's time`() async throws {
    let clock = ManualClock()
    var device = BindingDevice()
    device.clock = clock
    await device.bind()
    let asked = Signal()
    let callback = try callback()
    async let outcome = device.sign(callback) {
      $0.transactionConfirmation = { _ in
        asked.fire()
        await Signal().wait()
        return true
      }
    }
    await asked.wait()
    clock.advance(by: .seconds(60))
    #expect(await outcome.status == .timeout)
  }

  // MARK: The terminal

  @Test func `on the terminal each part has its line and only yes approves`() async throws {
    // A server's subtitle that reads like a part.
    let prompt = Prompt(title: "Confirm", subtitle: "Amount: 1.00 EUR", description: "All is well")
      .showing(offer.transaction)
    for (typed, isApproved) in [("y", true), ("YES", true), ("n", false), ("No", false)] {
      let line = try #require(PseudoTerminal())
      async let answer = DefaultConfirmation(terminal: line.terminal).confirm(prompt: prompt)
      let shown = await line.read(until: "Approve (y/n): ")
      #expect(
        shown.replacingOccurrences(of: "\r", with: "").contains(
          "  | Amount: 42.00 EUR\n  | Payee: Bakery\n  | Text: Bread\n"))
      #expect(
        !shown.contains("All is well") && !shown.contains("Amount: 1.00 EUR") && !shown.contains("Confirm"))
      line.type(typed + "\n")
      #expect(try await answer == isApproved)
    }
  }

  @Test func `the PIN prompt on the terminal shows it line by line`() async throws {
    let line = try #require(PseudoTerminal())
    async let pin = DefaultPinCollector(terminal: line.terminal).collectPin(
      prompt: Prompt(title: "Confirm", subtitle: "", description: "x").showing(offer.transaction))
    let shown = await line.read(until: "PIN: ")
    #expect(
      shown.replacingOccurrences(of: "\r", with: "").contains(
        "  | Amount: 42.00 EUR\n  | Payee: Bakery\n  | Text: Bread\n"))
    line.type("471108\n")
    #expect(await pin == "471108")
  }

  @Test func `without a terminal nothing is approved`() async {
    await #expect(throws: DeviceBindingError.self) {
      try await DefaultConfirmation(terminal: Terminal { -1 }).confirm(
        prompt: Prompt(title: "", subtitle: "", description: ""))
    }
  }
}
