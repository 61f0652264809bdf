import Bytes
import DeviceKeys
import Foundation
import JOSE
import PingBinding
import PingDeviceProfile
import PingFido
import PingJourney
import PingJourneyPlugin
import PingOrchestrate
import SigningTransactions
import StrictJSON
import TerminalPrompts

/// Plays a journey to its end with the answers that a command has.
struct JourneyPlayer {
  let journey: Journey
  let username: String?
  let secrets: Secrets

  /// Answers a TextInputCallback, such as the transaction to sign; `nil` when the command has none.
  var text: String?

  /// How to answer the two binding callbacks.
  var configureBinding: @Sendable (DeviceBindingConfig) -> Void = { _ in }

  /// How to answer a signing callback beyond that, by what the server says about its transaction.
  var configureSigning: @Sendable (DeviceBindingConfig, TransactionContext?) -> Void = { _, _ in }

  /// Says how many wrong PINs the key still takes; `nil` when nobody knows.
  var triesLeft: @Sendable () async -> String? = { nil }

  /// Answers a question with several answers by the number of one, counted from 0; `nil` when nobody does. By default
  /// the only answer is chosen, and several are asked about at the terminal.
  var choose: @Sendable (_ question: String, _ answers: [String]) async throws -> Int? = JourneyQuestion.ask

  /// Takes what the server offers to a device to enrol with, once for each offer.
  var offerEnrolment: @Sendable (_ uri: String) async throws -> Void = { _ in throw offersEnrolment }

  /// The end of a journey that would wait for a device which nobody can enrol meanwhile.
  static let offersEnrolment = CommandFailure(
    "The account has no device for this journey, and the server offers to enrol one. Nothing was enrolled: `sealring push qr` shows the code to a push device, then run this again.",
    code: .notFound)

  /// Makes a one-time code that the journey asks for; `nil` when the person has to type it.
  var makeCode: @Sendable (_ prompt: String) async throws -> String? = { _ in nil }

  /// Learns at the end of the journey what became of the codes.
  var codeEnded: @Sendable (CodeProof) async -> Void = { _ in }

  /// Learns in each step how many seconds the enrolment on the screen is still open; `nil` when there is none, or the server does not say.
  var enrolmentTimeLeft: @Sendable (_ seconds: Int?) -> Void = { _ in }

  /// Waits as long as the server asks.
  var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

  /// What the WebAuthn callbacks work with; `nil` for commands that do not answer them.
  var passkeys: FidoConfig?

  /// Answers the callback that asks for the device's profile.
  var profile = DeviceProfileAnswers()

  /// What to call this device when a WebAuthn key is registered.
  var deviceName: String?

  /// What a journey that succeeded leaves.
  struct Outcome {
    let session: any Session
    /// What `bind()` or `sign()` answered last, as `name: value` of the callback's inputs.
    let deviceAnswer: [String: String]
    /// The transaction that was signed, if it was one.
    var transaction: Transaction?
    /// What the server said without having the client wait, such as recovery codes; several lines each.
    var messages: [String] = []
    /// Whether the server offered a device to enrol with.
    var wasOfferedEnrolment = false
    /// The id of the WebAuthn key that was used last.
    var passkey: String?
    /// The number of the signature in the server's ledger, where the server says it.
    var evidence: Int?

    /// Whether the proof that was accepted brought an attestation of its key.
    var isAttested: Bool {
      guard let jws = deviceAnswer["jws"], let proof = try? UnverifiedJWS(compact: jws) else { return false }
      return proof.header.jwk?["x5c"] != nil
    }
  }

  /// Why the device could not do what a callback asked for.
  private struct Refusal {
    let failure: CommandFailure
  }

  /// Steps after which a journey that still asks is given up: no person answers so many. Waiting does not count, because
  /// the server ends it.
  private static let maximumSteps = 50

  func play(_ name: String, forceAuth: Bool = false) async throws -> Outcome {
    try await goOn(
      from: await journey.start(name) { $0.forceAuth = forceAuth }, subject: "journey \(name)")
  }

  /// Plays the journey of a transaction.
  func play(transaction id: String) async throws -> Outcome {
    try await goOn(
      from: await journey.start(transaction: id), subject: "the transaction",
      asked: AskedFor(isTransaction: true))
  }

  private func goOn(
    from first: any Node, subject: String, asked: AskedFor = AskedFor()
  ) async throws -> Outcome {
    var proof = CodeProof.notGiven
    let result: Result<Outcome, any Error>
    do { result = .success(try await steps(from: first, subject: subject, asked, &proof)) } catch {
      result = .failure(error)
    }
    enrolmentTimeLeft(nil)
    await codeEnded(proof)
    return try result.get()
  }

  private func steps(
    from first: any Node, subject: String, _ asked: AskedFor, _ proof: inout CodeProof
  ) async throws -> Outcome {
    var node = first
    var transaction: Transaction?
    var answer: [String: String] = [:]
    var refusal: Refusal?
    var passkey: String?
    var (steps, remarks) = (0, Remarks(asked: asked))
    while steps < Self.maximumSteps {
      switch node {
      case let step as ContinueNode:
        let isWaiting = step.callbacks.contains { $0 is PollingWaitCallback }
        if !isWaiting { steps += 1 }
        let isWebAuthn = step.callbacks.contains { $0 is FidoCallback }
        var hasCode = false
        try requireAnswers(to: step)
        enrolmentTimeLeft(step.enrolmentTimeLeft)
        remarks.asked.note(step.callbacks)
        for callback in step.callbacks {
          // The button beside a WebAuthn step asks for a recovery code instead.
          if isWebAuthn, callback is ConfirmationCallback { continue }
          // So does the second one beside a code, which is there already.
          if hasCode, let callback = callback as? ConfirmationCallback {
            callback.selectedIndex = 0
            continue
          }
          if let callback = callback as? NameCallback, callback.prompt == NameCallback.oneTimeCodePrompt,
            let code = try await makeCode(callback.prompt)
          {
            callback.name = code
            hasCode = true
            continue
          }
          if let callback = callback as? FidoCallback {
            passkey = try await respond(to: callback, &refusal) ?? passkey
            continue
          }
          try await respond(to: callback, isWaiting: isWaiting, &remarks, &answer, &refusal)
          transaction = (callback as? DeviceSigningVerifierCallback)?.transaction ?? transaction
        }
        try await wait(in: step, &remarks)
        let givesCode = hasCode || step.asksForCode
        // From here on nobody knows, until there is an answer.
        if givesCode { proof = .unknown }
        node = await step.next()
        // It asks again, begins again, or has ended.
        if givesCode,
          (node as? ErrorNode)?.isRefusal == true || (node as? ContinueNode)?.wantsCodeOrEnrolment == true
        {
          proof = .refused
        }
      case let success as SuccessNode:
        if !success.session.value.isEmpty { OpenSessions.ofThisCommand.add(journey) }
        proof = .accepted
        return Outcome(
          session: success.session, deviceAnswer: answer, transaction: transaction,
          messages: remarks.messages, wasOfferedEnrolment: remarks.hasOfferedEnrolment, passkey: passkey,
          evidence: success.evidence)
      case let error as ErrorNode:
        throw Refusals.failure(
          error, subject: subject, address: journey.address, asked: remarks.asked, onDevice: refusal?.failure)
      case let failure as FailureNode:
        throw refusal?.failure ?? Refusals.failure(failure.cause, at: journey.address)
      default:
        throw CommandFailure(
          "The server's answer has no known form. Is \(journey.address) a journey server?", code: .unsupported
        )
      }
    }
    throw CommandFailure(
      "The server still asks in \(subject) after \(Self.maximumSteps) steps. Check the journey's connections for a loop.",
      code: .unsupported)
  }

  /// What was said already, so that a step that comes again while it waits says nothing twice.
  private struct Remarks {
    private var said: Set<String> = []
    /// What was said for good.
    private(set) var messages: [String] = []
    var hasOfferedEnrolment = false
    /// What the journey has asked for, to explain a refusal that says nothing.
    var asked: AskedFor
    /// The prompt that the user's name has answered.
    var namePrompt: String?
    /// Whether the code that was given beforehand has been used.
    var hasUsedCode = false
    /// Whether this step's code was entered, so that its button is not a question.
    var hasEnteredCode = false

    init(asked: AskedFor) { self.asked = asked }

    /// Whether it is new.
    mutating func insert(_ text: String) -> Bool { said.insert(text).inserted }

    mutating func say(message: String) {
      messages.append(message)
      if RecoveryCodeList.isOne(message) { Output.remark(RecoveryCodeList.introduction) }
      // A list, such as recovery codes, keeps its lines.
      for line in message.split(whereSeparator: \.isNewline) { Output.remark(printable(String(line))) }
    }

    mutating func say(_ text: String) {
      if !text.isEmpty, insert(text) { Output.remark(printable(text)) }
    }
  }

  /// Waits as long as the server asks, once everything in the step has been shown.
  private func wait(in step: ContinueNode, _ remarks: inout Remarks) async throws {
    for case let callback as PollingWaitCallback in step.callbacks {
      remarks.say(callback.message)
      // A server that says 0 would be asked without a pause, one that says a year never.
      try await pause(.milliseconds(min(max(callback.waitTime, 100), 60_000)))
    }
  }

  private func respond(
    to callback: any Callback, isWaiting: Bool, _ remarks: inout Remarks, _ answer: inout [String: String],
    _ refusal: inout Refusal?
  ) async throws {
    switch callback {
    case let callback as NameCallback where Self.codePrompts.contains(callback.prompt):
      callback.name = try await code(callback.prompt, &remarks)
    case let callback as NameCallback: callback.name = try await name(callback.prompt, &remarks)
    case let callback as ValidatedUsernameCallback:
      callback.username = try await name(callback.prompt, &remarks)
    case let callback as PasswordCallback: callback.password = try await password()
    case let callback as ValidatedPasswordCallback: callback.password = try await password()
    case let callback as TextInputCallback:
      guard let text else {
        throw CommandFailure(
          "The journey asks for text (\(printable(callback.prompt))). Give it with --text.", code: .usage)
      }
      callback.text = text
    case let callback as TextOutputCallback where callback.messageType == .script:
      // A script is for browsers.
      guard !callback.message.contains("webAuthnOutcome") else {
        throw CommandFailure(
          "The journey's WebAuthn node sends a script for browsers. Switch \"Return challenge as JavaScript\" (asScript) off in it.",
          code: .unsupported)
      }
    case let callback as TextOutputCallback: show(callback.message, isWaiting: isWaiting, &remarks)
    case let callback as HiddenValueCallback:
      if callback.valueId == HiddenValueCallback.enrolmentID, remarks.insert(callback.value) {
        remarks.hasOfferedEnrolment = true
        try await offerEnrolment(callback.value)
      }
    case is PollingWaitCallback, is MetadataCallback: break
    // While a page waits, its button is the way out of it.
    case is ConfirmationCallback where isWaiting: break
    // The other button stands for having no code.
    case let callback as ConfirmationCallback where remarks.hasEnteredCode:
      remarks.hasEnteredCode = false
      callback.selectedIndex = 0
    case let callback as ConfirmationCallback:
      callback.selectedIndex = try await choose(callback.prompt, callback.options)
    case let callback as ChoiceCallback:
      if let index = try await choose(callback.prompt, callback.choices) { callback.selectedIndex = index }
    case let callback as DeviceBindingCallback:
      let result = await callback.bind(config: configureBinding)
      await record(result, because: callback.failure, &answer, &refusal)
    case let callback as DeviceSigningVerifierCallback:
      let context = callback.transactionContext
      let result = await callback.sign { config in
        configureBinding(config)
        configureSigning(config, context)
      }
      await record(result, because: callback.failure, &answer, &refusal)
    case let callback as DeviceProfileCallback: try await profile.answer(callback)
    default: throw Self.unanswerable(callback)
    }
  }

  private func show(_ message: String, isWaiting: Bool, _ remarks: inout Remarks) {
    if isWaiting {
      remarks.say(message)
    } else {
      remarks.say(message: message)
    }
  }

  /// The user's name for the first prompt that asks for one, and when that comes again. Others ask for something else.
  private func name(_ prompt: String, _ remarks: inout Remarks) async throws -> String {
    let isFirst = remarks.namePrompt == nil || remarks.namePrompt == prompt
    if isFirst, let username {
      remarks.namePrompt = prompt
      return username
    }
    let question = printable(prompt)
    switch await Terminal.controlling.ask("\(question): ", echoes: true) {
    case .text(let text):
      if isFirst { remarks.namePrompt = prompt }
      return text
    case .cancelled: throw CommandFailure.cancelled("nothing was entered for \(question)")
    case .unavailable(let reason):
      throw CommandFailure.nobodyToAsk(
        "The journey asks for \(question)", reason, isFirst ? "Give the name with --username." : "")
    }
  }

  /// What PingAM's nodes ask for in a callback for names, and what is none.
  private static let codePrompts: Set<String> = [NameCallback.oneTimeCodePrompt, "Recovery Code"]

  private func code(_ prompt: String, _ remarks: inout Remarks) async throws -> String {
    if let given = secrets.givenCode, !remarks.hasUsedCode {
      (remarks.hasUsedCode, remarks.hasEnteredCode) = (true, true)
      return given
    }
    switch await Terminal.controlling.ask("\(prompt): ", echoes: true) {
    case .text(let text):
      remarks.hasEnteredCode = !text.allSatisfy(\.isWhitespace)
      return text
    case .cancelled: throw CommandFailure.cancelled("no code was entered")
    case .unavailable(let reason):
      throw CommandFailure.nobodyToAsk(
        "The journey asks for a code (\(printable(prompt)))", reason,
        "`sealring journey run` takes it with --otp-stdin.")
    }
  }

  private func password() async throws -> String {
    try await secrets.password(for: username ?? "this account")
  }

  /// Keeps the inputs of a binding callback that succeeded, and the reason of one that did not; either way the
  /// journey goes on, because the server decides what a client's failure means.
  private func record(
    _ result: Result<[String: Any], any Error>, because cause: (any Error)?,
    _ answer: inout [String: String], _ refusal: inout Refusal?
  ) async {
    switch result {
    case .success(let json):
      refusal = nil
      for input in json["input"] as? [[String: Any]] ?? [] {
        guard let name = input["name"] as? String, let value = input["value"] as? String else { continue }
        let suffix = name.drop { !$0.isNumber }.drop { $0.isNumber }
        answer[String(suffix)] = value
      }
    case .failure(let error):
      refusal = Refusal(
        failure: DeviceFailure.explain(
          error as? DeviceBindingStatus ?? .abort, because: cause, triesLeft: await triesLeft()))
    }
  }

  /// Answers a WebAuthn callback; the id of the key that was used, `nil` when there was a failure, which the server is told.
  private func respond(to callback: FidoCallback, _ refusal: inout Refusal?) async throws -> String? {
    guard let passkeys else {
      throw CommandFailure(
        "The journey asks for a WebAuthn key. Use `sealring passkey`, or choose another with --journey.",
        code: .unsupported)
    }
    callback.config = passkeys
    let result =
      switch callback {
      case let callback as FidoRegistrationCallback:
        await callback.register(deviceName: deviceName, window: PresentationAnchor())
      case let callback as FidoAuthenticationCallback:
        await callback.authenticate(window: PresentationAnchor())
      default: Result<[String: Any], any Error>.failure(WebAuthnError(CancellationError()))
      }
    switch result {
    case .success(let members):
      refusal = nil
      return (members[FidoConstants.FIELD_RAW_ID] as? Data).map { Base64URL.encode($0) }
    case .failure(let error):
      refusal = Refusal(failure: explain(WebAuthnError(error)))
      return nil
    }
  }
}
