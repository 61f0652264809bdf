import CommonFixtures
import Concurrency
import DeviceKeys
import Foundation
import PingJourneyPlugin
import ProofFixtures
import StrictJSON
import Testing
import UserVerification

@testable import PingBinding
@testable import TerminalPrompts

/// A challenge that a person can read is a transaction: it is shown whole and approved, or not signed.
@Suite struct TextTests {
  private static let debt = "I owe Eve 9999.00 EUR"
  private let device = BindingDevice()
  private let reader = MemoryBiometricVerifier(enrolled: ["thumb"], name: "built-in")

  /// Remembers what it was shown.
  private final class Confirmation: Sendable {
    let shown = Locked<[String]>([])
    let answer: Bool
    init(_ answer: Bool) { self.answer = answer }
    func ask(_ text: String) async -> Bool {
      shown.withLock { $0.append(text) }
      return answer
    }
  }

  private func bind(_ type: String, _ pin: String = "471108") async {
    reader.happen(.finger("thumb"))
    let outcome = await device.bind(bindingCallback(type: type)) { configure($0, ScriptedPIN(pin)) }
    #expect(outcome.status == nil)
  }

  private func configure(_ config: DeviceBindingConfig, _ pins: ScriptedPIN) {
    config.biometricVerifier = reader
    config.deviceCredentialVerifier = MemoryCredentialVerifier(password: "sesame")
    config.credentialSource = FixedCredentialSource(CredentialSecret("sesame"))
    config.pinCollector = pins
  }

  /// Signs the text; the PIN's prompt shows it when `showsTexts`.
  private func sign(
    _ text: String = debt, showsTexts: Bool = false, _ pins: ScriptedPIN? = nil,
    _ config: (DeviceBindingConfig) -> Void = { _ in }
  ) async -> (outcome: Outcome, callback: DeviceSigningVerifierCallback, pins: ScriptedPIN) {
    let pins = pins ?? ScriptedPIN("471108", showsTransactions: showsTexts)
    let callback = signingCallback(challenge: text)
    let outcome = await device.sign(callback) {
      configure($0, pins)
      config($0)
    }
    return (outcome, callback, pins)
  }

  static let types = ["NONE", "APPLICATION_PIN", "BIOMETRIC_ONLY", "BIOMETRIC_ALLOW_FALLBACK"]

  @Test(arguments: types)
  func `a text that nobody was shown is not signed whatever unlocks the key`(_ type: String) async throws {
    await bind(type)
    reader.happen(.finger("thumb"))
    let asked = reader.reasons.count
    // This process has no terminal.
    let unseen = await sign()
    #expect(unseen.outcome.status?.clientError == "Unsupported")
    #expect(unseen.outcome.status?.errorMessage.contains("config.textConfirmation") == true)
    #expect(inputs(of: unseen.callback.json)["jws"] == "")
    #expect(unseen.pins.prompts.isEmpty && reader.reasons.count == asked, "nobody unlocks it for nothing")

    let no = Confirmation(false)
    #expect(await sign { $0.textConfirmation = no.ask }.outcome.status == .abort)
    #expect(no.shown.withLock { $0 } == [Self.debt])

    let yes = Confirmation(true)
    let approved = await sign { $0.textConfirmation = yes.ask }
    #expect(try approved.outcome.token().claims["challenge"]?.stringValue == Self.debt)
    #expect(try approved.outcome.token().claims["txn"] == nil)
    #expect(yes.shown.withLock { $0 } == [Self.debt])
    let random = await device.sign(signingCallback()) {
      reader.happen(.finger("thumb"))
      configure($0, ScriptedPIN("471108", showsTransactions: false))
      $0.textConfirmation = { _ in false }
    }
    #expect(random.status == nil, "random bytes are nothing to read")
  }

  @Test func `a PIN prompt that shows it is enough and says nothing else of the server's`() async throws {
    await bind("APPLICATION_PIN")
    let seen = await sign(showsTexts: true, ScriptedPIN("1", "471108"))
    #expect(try seen.outcome.token().claims["challenge"]?.stringValue == Self.debt)
    #expect(seen.pins.prompts.map(\.title) == ["Sign this text?", "Sign this text?"])
    #expect(seen.pins.prompts.map(\.subtitle) == ["", ""])
    #expect(seen.pins.prompts.map(\.description) == [Self.debt, Self.debt], "after a wrong PIN, too")
    let own = ScriptedPIN("471108")
    let titled = await sign {
      $0.authenticatorConfig = AppPinConfig(
        prompt: Prompt(title: "Ours", subtitle: "", description: "Enter it"), pinCollector: own)
    }
    #expect(titled.outcome.status == nil)
    #expect(own.prompts.map(\.title) == ["Ours"] && own.prompts.map(\.description) == [Self.debt])
  }

  @Test func `a text that was approved at the question is not printed again at the PIN`() async throws {
    await bind("APPLICATION_PIN")
    let approved = await sign { $0.textConfirmation = { _ in true } }
    let prompt = try #require(approved.pins.prompts.first)
    #expect(prompt.isTransactionApproved && prompt.signedText == Self.debt)
    #expect(prompt.lines("Enter PIN").contains("This signs the text that you have approved."))
    #expect(!prompt.lines("Enter PIN").contains("Eve"))
  }

  @Test func `an app's own authenticator is not assumed to show it`() async throws {
    final class Own: PingBinding.DefaultDeviceAuthenticator {
      override func type() -> DeviceBindingAuthenticationType { .none }
      override func isSupported(attestation: Attestation) -> Bool { true }
    }
    await device.bind()
    let unseen = await device.sign(signingCallback(challenge: Self.debt)) { $0.deviceAuthenticator = Own() }
    #expect(unseen.status?.errorMessage.contains("config.textConfirmation") == true)
  }

  @Test func `a text in the place of a new key's challenge is a text, too`() async throws {
    let unseen = await device.bind(bindingCallback(challenge: Self.debt))
    #expect(unseen.status?.clientError == "Unsupported")
    let refused = await device.bind(bindingCallback(challenge: Self.debt)) {
      $0.textConfirmation = { _ in false }
    }
    #expect(refused.status == .abort)
    try await device.expectNothingLeftOver(count: 0)
    let approved = await device.bind(bindingCallback(challenge: Self.debt)) {
      $0.textConfirmation = { _ in true }
    }
    #expect(try approved.token().claims["challenge"]?.stringValue == Self.debt)
  }

  // MARK: What can be shown

  @Test(arguments: [
    (String(repeating: "a", count: 500), true), (String(repeating: "a", count: 501), false),
    (String(repeating: "€", count: 500), true), (String(repeating: "a\n", count: 9) + "b", true),
    (String(repeating: "a\n", count: 10) + "b", false), (String(repeating: "\r\n", count: 10) + "b", false),
    ("Pay 10\u{A0}000 EUR\r\nto Babs ❤️", true), (" ", false), ("\n\n", false),
    ("Pay 10\u{200B}0", false), ("Pay \u{202E}001", false), ("Pay\u{1B}[2J", false), ("Pay\r10", false),
    ("Pay\t10", false), ("a" + String(repeating: "\u{335}", count: 20), false),
  ])
  func `what cannot be shown as it is signed is refused`(text: String, isFit: Bool) async throws {
    await device.bind()
    let yes = Confirmation(true)
    let outcome = await sign(text) { $0.textConfirmation = yes.ask }.outcome
    #expect((outcome.status == nil) == isFit)
    #expect(yes.shown.withLock { $0.count } == (isFit ? 1 : 0))
    if !isFit {
      #expect(outcome.status?.clientError == "Unsupported")
      #expect(outcome.status?.errorMessage.contains("cannot be shown as it would be signed") == true)
    }
  }
}

// Within the serialized suite: there is one terminal queue, and one set of signal handlers.
extension TerminalTests {
  @Test
  func `a text is asked about on the terminal with each line marked and the place next to the question`()
    async throws
  {
    var asked = Prompt(title: "Confirm", subtitle: "Acme", description: "All is well")
    (asked.server, asked.realm, asked.account) = ("https://am.example/am", "alpha", "mira")
    let text = "Enter PIN\n  Server       https://bank.example/am\n" + String(repeating: "word ", count: 40)
    let prompt = asked.showing(text: text)
    for (typed, isApproved) in [("y", true), ("n", false)] {
      let line = try #require(PseudoTerminal())
      async let answer = DefaultConfirmation(terminal: line.terminal).confirm(prompt: prompt)
      let shown = await line.read(until: "Sign it (y/n): ").replacing("\r\n", with: "\n")
      let lines = shown.split(separator: "\n").map(String.init)
      #expect(lines.first == "Sign this text?")
      #expect(lines.dropFirst().dropLast(4).allSatisfy { $0.hasPrefix("  | ") && $0.count <= 78 })
      #expect(lines.dropFirst().dropLast(4).count >= 5)
      #expect(
        lines.suffix(4) == [
          "  Server   https://am.example/am", "  Realm    alpha", "  Account  mira", "Sign it (y/n): ",
        ])
      #expect(!shown.contains("All is well") && !shown.contains("Acme"))
      line.type(typed + "\n")
      #expect(try await answer == isApproved)
    }
    await #expect(throws: DeviceBindingError.self) {
      try await DefaultConfirmation(terminal: Terminal { -1 }).confirm(prompt: prompt)
    }
  }

  @Test func `a key without a server is asked about with the server in sight`() async throws {
    let key = UserKey(keyTag: "t", userId: "u", username: "mira", kid: "k", authType: .none)
    let scope = try #require(KeyScope(server: "https://am.example/am", realm: "alpha"))
    let unplaced = try #require(UnplacedKey(key, asking: scope))
    for (typed, isRight) in [("y", true), ("n", false)] {
      let line = try #require(PseudoTerminal())
      async let answer = unplaced.ask(on: line.terminal)
      let shown = await line.read(until: "(y/n): ")
      #expect(shown.contains("https://am.example/am") && shown.contains("mira"))
      line.type(typed + "\n")
      #expect(try await answer == isRight)
    }
  }
}
