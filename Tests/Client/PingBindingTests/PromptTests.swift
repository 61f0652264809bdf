import CommonFixtures
import Concurrency
@testable import DeviceKeys
import Foundation
import PingJourneyPlugin
import ProofFixtures
import SigningTransactions
import StrictJSON
import Testing

@testable import PingBinding
@testable import TerminalPrompts

// Within the serialized suite: there is one terminal queue, and one set of signal handlers.
extension TerminalTests {
  /// What a person is told, and when.
  @Suite struct PromptTests {
    private let device = BindingDevice()
    private let line = PseudoTerminal()

    private func bindWithPIN() async {
      await device.bind(bindingCallback(type: "APPLICATION_PIN")) { $0.pinCollector = ScriptedPIN("471108") }
    }

    @Test func `the tries that are left are the key's, over all runs, and not those of this run`()
      async throws
    {
      await bindWithPIN()
      let first = ScriptedPIN("1", "2", "3")
      _ = await device.sign(signingCallback()) { $0.pinCollector = first }
      #expect(first.prompts.map(\.keyTries?.left) == [10, 9, 8])
      let second = ScriptedPIN("4", "5")
      let callback = signingCallback()
      let outcome = await device.sign(callback) { $0.pinCollector = second }
      // The fourth wrong PIN costs 15 seconds: nobody enters one that is not looked at.
      #expect(second.prompts.map(\.keyTries?.left) == [7])
      #expect(outcome.status == .unAuthorize)
      guard case DeviceKeyError.lockedOut(_, let wait?)? = callback.failure else {
        Issue.record("\(String(describing: callback.failure))")
        return
      }
      #expect((1...15).contains(wait))
      let third = ScriptedPIN("471108")
      #expect(await device.sign(signingCallback()) { $0.pinCollector = third }.status == .unAuthorize)
      #expect(third.prompts.isEmpty)
    }

    @Test func `a wrong PIN is told with what is left, and the rest is not shown again`() async throws {
      let line = try #require(line)
      var prompt = Prompt(title: "Confirm", subtitle: "", description: "")
      prompt.triesLeft = 2
      prompt.keyTries = PINTries(left: 1, wrong: 9, wait: 900)
      async let pin = DefaultPinCollector(terminal: line.terminal).collectPin(prompt: prompt)
      let shown = await line.read(until: "PIN: ")
      #expect(
        shown.replacing("\r\n", with: " ").contains(
          "That PIN is wrong. 1 try left before this key is disabled; next try in 15 minutes."))
      #expect(!shown.contains("Confirm"))
      line.type("471108\n")
      _ = await pin
    }

    @Test(
      arguments: [
        (PINTries(left: 2, wrong: 1, wait: 0), "2 tries left before this key is disabled."),
        (PINTries(left: 0, wrong: 10, wait: 0), "This key is disabled: bind the device again."),
        (
          PINTries(left: 9, wrong: 1, wait: 0).limited(
            byChip: PINTries(left: 1, wrong: 2, wait: 0, isOfChip: true)),
          "1 try left before the security chip refuses all PINs for a while."
        ),
        (
          PINTries(left: 7, wrong: 3, wait: 15).limited(
            byChip: PINTries(left: 0, wrong: 3, wait: 1000, isOfChip: true)),
          "The security chip accepts no PIN for 16 minutes 40 seconds at most, or until its owner clears the lock (tpm2_dictionarylockout -c): too many were wrong."
        ),
        (
          PINTries(left: 7, wrong: 3, wait: 15).limited(
            byChip: PINTries(left: 0, wrong: 0, wait: 0, isOfChip: true)),
          "The security chip accepts no PIN until its owner clears the lock (tpm2_dictionarylockout -c): too many were wrong."
        ),
      ])
    func `what is said to be left is the smaller count, and what happens at its end`(
      tries: PINTries, sentence: String
    ) {
      #expect(tries.sentence == sentence)
    }

    @Test func `what a PIN has to be like, and how long there is, is said before it is typed`() async throws {
      let pins = ScriptedPIN("471108")
      await device.bind(bindingCallback(type: "APPLICATION_PIN")) { $0.pinCollector = pins }
      let prompt = try #require(pins.prompts.first)
      #expect(prompt.rule?.contains("At least 4 characters") == true && prompt.timeLimit != nil)
      let line = try #require(line)
      var asked = prompt
      (asked.timeLimit, asked.end) = (90, nil)
      async let pin = DefaultPinCollector(terminal: line.terminal).collectPin(prompt: asked)
      let shown = await line.read(until: "New PIN: ")
      #expect(shown.contains("At least 4 characters") && shown.contains("1 minute 30 seconds"))
      line.type("\n")
      #expect(await pin == nil)
    }

    @Test func `the text that is signed is shown, and a random challenge is not`() async throws {
      await bindWithPIN()
      let (text, random) = (ScriptedPIN("471108"), ScriptedPIN("471108"))
      _ = await device.sign(signingCallback(challenge: "Pay 10 EUR to Babs")) {
        $0.pinCollector = text
      }
      _ = await device.sign(signingCallback(challenge: challenge)) { $0.pinCollector = random }
      #expect(text.prompts.map(\.signedText) == ["Pay 10 EUR to Babs"])
      #expect(
        text.prompts[0].lines("Enter PIN").hasPrefix("Enter PIN\nSign this text?\n  | Pay 10 EUR to Babs\n"))
      #expect(random.prompts.map(\.signedText) == [nil])
    }

    @Test func `a typo refuses no payment: only y, yes, n and no decide`() async throws {
      let line = try #require(line)
      let shell = line.hold()
      defer { close(shell) }
      let transaction = try Transaction(amount: "42.00", currency: "EUR", payee: "Bakery")
      let prompt = Prompt(title: "", subtitle: "", description: "").showing(transaction)
      for (answer, expected) in [("Yes", true), ("NO", false), ("n", false), (" y ", true)] {
        async let isApproved = DefaultConfirmation(terminal: line.terminal).confirm(prompt: prompt)
        _ = await line.read(until: "(y/n): ")
        for typo in ["", "471108", "yy", "ja", "yes no"] {
          line.type(typo + "\n")
          #expect(await line.read(until: "(y/n): ").contains("Nothing is decided yet"))
        }
        line.type(answer + "\n")
        #expect(try await isApproved == expected)
      }
    }

    @Test func `a transaction that was approved at the question is not printed again at the PIN`()
      async throws
    {
      await bindWithPIN()
      let offer = try #require(
        OfferedTransaction(
          id: "t-1", transaction: try Transaction(amount: "42.00", currency: "EUR", payee: "Bakery"),
          nonce: Array(0..<32)))
      var json = offer.json
      json["context"] = ["application": "Web shop", "expiresAt": 1_767_225_900_000]
      let callback = signingCallback(challenge: offer.challenge)
      callback.initValue(
        name: "transaction",
        value: try JSONSerialization.jsonObject(with: Data(JSONValue.object(json).text.utf8)))
      #expect(callback.transaction == offer.transaction)
      #expect(callback.transactionContext?.applicationName == "Web shop")
      let pin = ScriptedPIN("471108")
      let outcome = await device.sign(callback) {
        $0.pinCollector = pin
        $0.transactionConfirmation = { _ in true }
      }
      // What the server says beside the transaction changes nothing of what is signed.
      #expect(try outcome.token().claims["challenge"]?.stringValue == offer.challenge)
      let prompt = try #require(pin.prompts.first)
      #expect(prompt.isTransactionApproved && prompt.transaction == offer.transaction)
      #expect(!prompt.lines("Enter PIN").contains("Bakery"))
      var unseen = prompt
      unseen.isTransactionApproved = false
      let lines = unseen.lines("Enter PIN")
      #expect(lines.contains("Payee: Bakery") && lines.contains("The server says about it:\n"))
      #expect(lines.contains("Web shop"))
    }

    @Test func `a countdown says what is left a few times, and ends the question`() {
      let now = Locked(Date(timeIntervalSince1970: 0))
      var countdown = Countdown(until: Date(timeIntervalSince1970: 90)) { now.withLock { $0 } }
      func advance(to seconds: TimeInterval) { now.withLock { $0 = Date(timeIntervalSince1970: seconds) } }
      #expect(countdown.next() == .wait(30_001))
      advance(to: 31)
      #expect(countdown.next() == .say("1 minute left."))
      #expect(countdown.next() == .wait(29_001))
      advance(to: 80)
      #expect(countdown.next() == .say("30 seconds left."))
      #expect(countdown.next() == .say("10 seconds left."))
      advance(to: 90)
      #expect(countdown.next() == .over)
    }

    @Test func `a question that is over is not an answer, and says so to nobody's shell`() async throws {
      let line = try #require(line)
      let answer = await line.terminal.askYesNo("Approve", until: Date(timeIntervalSinceNow: -1))
      #expect(answer == .cancelled)
      #expect(await line.read(until: "(y/n): ").contains("Approve"))
    }

    @Test func `a PIN prompt says what is left, ends by itself, and an answer after the end is not taken`()
      async throws
    {
      await bindWithPIN()
      let now = Locked(Date())
      let late = LatePIN("471108", after: { now.withLock { $0 += 61 } })
      let outcome = await device.sign(signingCallback()) {
        $0.timeout = 60
        $0.now = { now.withLock { $0 } }
        $0.pinCollector = late
      }
      #expect(outcome.status == .timeout, "the PIN is right, and too late")
      let end = try #require(late.prompt?.end)
      #expect(end == now.withLock { $0 } - 1)

      let line = try #require(line)
      var over = Prompt(title: "", subtitle: "", description: "")
      over.end = Date(timeIntervalSinceNow: -1)
      #expect(await DefaultPinCollector(terminal: line.terminal).collectPin(prompt: over) == nil)
      var short = over
      (short.timeLimit, short.end) = (60, Date(timeIntervalSinceNow: 2.5))
      #expect(
        short.lines("Enter PIN").contains("3 seconds") && !short.lines("Enter PIN").contains("1 minute"))
    }

    @Test func `the end of a PIN prompt is the transaction's when that is earlier`() async throws {
      let now = Date(timeIntervalSince1970: 1_800_000_000)
      func end(_ seconds: TimeInterval) -> Date? {
        let config = DeviceBindingConfig()
        config.now = { now }
        var prompt = Prompt(title: "", subtitle: "", description: "")
        prompt.transactionContext = TransactionContext(expiresAt: now + seconds)
        let dependencies = BindingDependencies(
          config: config, prompt: prompt, journey: nil, timeout: 60, defaultTimeout: 60)
        return dependencies.prompt.end
      }
      #expect(end(3) == now + 3)
      #expect(end(600) == now + 60)
      // By the server's clock it is open, or it would not have been offered.
      #expect(end(-5) == now + 60)
    }

    @Test func `a question that nobody could be asked is known as that, and not as a cancellation`() async {
      let nowhere = Terminal { -1 }
      _ = await DefaultPinCollector(terminal: nowhere).collectPin(prompt: AppPinConfig.defaultPrompt)
      #expect(nowhere.unasked == Terminal.Unasked(reason: "the program has no terminal", isSecret: true))
    }
  }
}

/// Gives the PIN after `wait`.
private final class LatePIN: PinCollector, Sendable {
  private let pin: String
  private let wait: @Sendable () -> Void
  private let asked = Locked<Prompt?>(nil)

  init(_ pin: String, after wait: @escaping @Sendable () -> Void) { (self.pin, self.wait) = (pin, wait) }

  var prompt: Prompt? { asked.withLock { $0 } }

  func collectPin(prompt: Prompt, completion: @escaping @Sendable (String?) -> Void) {
    asked.withLock { $0 = prompt }
    wait()
    completion(pin)
  }
}
