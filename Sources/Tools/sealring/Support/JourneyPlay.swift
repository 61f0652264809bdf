import Bytes
import Concurrency
import Foundation
import JourneyDriving
import PingBinding
import PingDeviceProfile
import PingFido
import PingJourney
import PingJourneyPlugin
import PingOrchestrate
import SealringTesting
import SigningTransactions
import TerminalPrompts
import WebAuthnAuthenticator

/// One run of a journey by a ``JourneyPlayer``: the questions, answers and messages so far.
struct JourneyPlay: NodeAnswers {
  private let player: JourneyPlayer
  /// The journey, for messages.
  private let subject: String
  /// The things that the journey has asked for, to explain a refusal without a reason.
  private var asked: AskedFor

  /// The outcome of the one-time codes.
  private(set) var proof = CodeProof.notGiven

  /// The result of the journey if it succeeds.
  private var outcome = JourneyPlayer.Outcome()

  /// Messages already shown, so that a step that repeats while it waits shows nothing twice.
  private var said: Set<String> = []
  /// The prompt that was answered with the user's name.
  private var namePrompt: String?
  /// Whether the given code has been used.
  private var hasUsedCode = false

  /// The prompts of each earlier step that the password from standard input has answered.
  private var passwordSteps: Set<[String]> = []

  /// Whether the step waits for another device.
  private var isWaiting = false
  /// Whether this step's code was entered, so that the button beside it, for users without a code, is not asked about.
  private var hasEnteredCode = false

  init(_ player: JourneyPlayer, subject: String, asked: AskedFor = AskedFor()) {
    (self.player, self.subject, self.asked) = (player, subject, asked)
  }

  /// Answers steps until the journey ends.
  mutating func run(from first: any Node) async throws -> JourneyPlayer.Outcome {
    let (driver, address) = (JourneyDriver(), player.journey.address)
    switch try await driver.play(from: first, &self) {
    case is ContinueNode:
      throw CommandFailure.unsupported(
        "The server still asks in \(subject) after \(driver.mostPages) steps. Check the journey's connections for a loop."
      )
    case let success as SuccessNode:
      if !success.session.value.isEmpty { OpenSessions.ofThisCommand.add(player.journey) }
      proof = .accepted
      (outcome.session, outcome.evidence) = (success.session, success.evidence)
      return outcome
    case let error as ErrorNode:
      throw Refusals.failure(
        error, subject: subject, address: address, asked: asked, onDevice: outcome.refusal)
    case let failure as FailureNode:
      throw outcome.refusal ?? Refusals.failure(failure.cause, at: address)
    default:
      throw CommandFailure.unsupported(
        "The server's answer is not in a known form. Is \(address) a journey server?")
    }
  }

  static func waits(_ step: ContinueNode) -> Bool { step.isWaiting }

  mutating func answer(_ step: ContinueNode) async throws -> (any Node)? {
    isWaiting = step.isWaiting
    try requireAnswers(to: step)
    try requireUntriedPassword(for: step)
    player.enrolmentTimeLeft(step.enrolmentTimeLeft)
    asked.note(step.callbacks)
    hasEnteredCode = false
    if let suspended = step.callbacks.lazy.compactMap({ $0 as? SuspendedTextOutputCallback }).first {
      return try await resume(suspended.message)
    }
    let isWebAuthn = step.callbacks.contains { $0 is FidoCallback }
    // The button beside a WebAuthn step asks for a recovery code instead.
    for callback in step.callbacks where !(isWebAuthn && callback is ConfirmationCallback) {
      try await respond(to: callback)
    }
    // The wait comes last, after everything in the step has been shown.
    for case let callback as PollingWaitCallback in step.callbacks {
      say(callback.message)
      // Limits the wait: with 0 the server would be polled without a pause, and with a year never.
      try await player.pause(.milliseconds(min(max(callback.waitTime, 100), 60_000)))
    }
    // The result is unknown until there is an answer.
    if step.asksForCode { proof = .unknown }
    let next = await step.next()
    // The step asks again, the journey starts again, or it has ended.
    if step.asksForCode,
      (next as? ErrorNode)?.isRefusal == true || (next as? ContinueNode)?.wantsCodeOrEnrolment == true
    {
      proof = .refused
    }
    return next
  }

  /// Continues a suspended journey with the link that the user received.
  private mutating func resume(_ message: String) async throws -> any Node {
    show(message)
    let link = try await JourneyQuestion.typed(
      "Link from the mail", missing: "the journey waits for its link",
      asking: "The journey continues by a link that was mailed", advice: "Open the link in a browser.")
    guard let url = URL(string: link.trimmingCharacters(in: .whitespaces)) else {
      throw CommandFailure.usage("This is not a link. Run the command again.")
    }
    return await player.journey.resume(url)
  }

  private mutating func respond(to callback: any Callback) async throws {
    switch callback {
    case let callback as NameCallback where Self.codePrompts.contains(callback.prompt):
      callback.name = try await code(callback.prompt)
    case let callback as NameCallback: callback.name = try await name(callback.prompt)
    case let callback as ValidatedUsernameCallback: callback.username = try await name(callback.prompt)
    case let callback as PasswordCallback: callback.password = try await password(callback.prompt)
    case let callback as ValidatedPasswordCallback: callback.password = try await password()
    case let callback as TextInputCallback:
      guard let text = player.text else {
        throw CommandFailure.usage(
          "The journey asks for text (\(printable(callback.prompt))). Give it with --text.")
      }
      callback.text = text
    case let callback as TextOutputCallback where callback.messageType == .script:
      // Scripts are for browsers.
      guard !callback.message.contains("webAuthnOutcome") else {
        throw CommandFailure.unsupported(
          "The journey's WebAuthn node sends a script for browsers. Switch \"Return challenge as JavaScript\" (asScript) off in that node."
        )
      }
    case let callback as TextOutputCallback where isWaiting: say(callback.message)
    case let callback as TextOutputCallback: show(callback.message)
    case let callback as HiddenValueCallback:
      if callback.valueId == HiddenValueCallback.enrolmentID, said.insert(callback.value).inserted {
        outcome.wasOfferedEnrolment = true
        try await player.offerEnrolment(callback.value)
      }
    case is PollingWaitCallback, is MetadataCallback: break
    // While a page waits, its button only cancels.
    case is ConfirmationCallback where isWaiting: break
    case let callback as ConfirmationCallback:
      callback.selectedIndex =
        try await hasEnteredCode ? 0 : JourneyQuestion.ask(callback.prompt, answers: callback.options)
    case let callback as ChoiceCallback:
      if let index = try await JourneyQuestion.ask(callback.prompt, answers: callback.choices) {
        callback.selectedIndex = index
      }
    case let callback as DeviceBindingCallback:
      try requireUntriedPIN()
      let result = await callback.bind { [player] config in
        player.configureBinding(config)
        if let name = player.deviceName { config.deviceName = name }
      }
      await record(result, because: callback.failure)
    case let callback as DeviceSigningVerifierCallback:
      try requireUntriedPIN()
      let context = callback.transactionContext
      let result = await callback.sign { [player] config in
        player.configureBinding(config)
        player.configureSigning(config, context)
      }
      await record(result, because: callback.failure)
      outcome.transaction = callback.transaction ?? outcome.transaction
    case let callback as DeviceProfileCallback: try await player.profile.answer(callback)
    case let callback as FidoCallback: try await use(callback)
    case let callback as UnknownCallback where Self.canDecline(callback): decline(callback)
    case _ where ProfileQuestions.answers(callback):
      try await ProfileQuestions.answer(callback)
    default: throw Self.unanswerable(callback)
    }
  }

  // MARK: What is said

  private mutating func show(_ message: String) {
    outcome.messages.append(message)
    if RecoveryCodeList.isOne(message) { Output.remark(RecoveryCodeList.introduction) }
    // A list, such as recovery codes, keeps its line breaks.
    ServerWords.show(message)
  }

  private mutating func say(_ text: String) {
    if !text.isEmpty, said.insert(text).inserted { ServerWords.show(text) }
  }

  // MARK: What is asked

  /// The user's name, for the first prompt for a name and its repetitions. Other prompts ask for something else.
  private mutating func name(_ prompt: String) async throws -> String {
    let isFirst = namePrompt == nil || namePrompt == prompt
    if isFirst { namePrompt = prompt }
    if isFirst, let username = player.username { return username }
    let question = printable(prompt)
    return try await JourneyQuestion.typed(
      ServerWords.question(prompt), missing: "nothing was entered for \(question)",
      asking: "The journey asks for \(question)",
      advice: isFirst ? "Give the name with --username." : "")
  }

  /// The prompts for codes that PingAM's nodes put into a name callback.
  private static let codePrompts: Set<String> = [NameCallback.oneTimeCodePrompt, "Recovery Code"]

  private mutating func code(_ prompt: String) async throws -> String {
    if prompt == NameCallback.oneTimeCodePrompt, let code = try await player.makeCode(prompt) {
      hasEnteredCode = true
      return code
    }
    if let given = player.secrets.givenCode, !hasUsedCode {
      (hasUsedCode, hasEnteredCode) = (true, true)
      return given
    }
    let text = try await JourneyQuestion.typed(
      ServerWords.question(prompt), missing: "no code was entered",
      asking: "The journey asks for a code (\(printable(prompt)))",
      advice: "`sealring journey run` takes it with --otp-stdin.")
    hasEnteredCode = !text.allSatisfy(\.isWhitespace)
    return text
  }

  /// The prompts for a new password of PingAM's nodes, which ask twice.
  private static let newPasswordPrompts: Set<String> = [
    "Confirm Password", "New Password", "Confirm New Password",
  ]

  private func password(_ prompt: String = "") async throws -> String {
    try await player.secrets.password(
      for: player.username ?? "this account",
      asking: Self.newPasswordPrompts.contains(prompt) ? prompt : "Password")
  }

  // MARK: What the device does

  /// Records the inputs of a binding callback that succeeded, or the reason of a failure. The journey continues either way, because
  /// the server decides about a client's failure.
  private mutating func record(_ result: Result<[String: Any], any Error>, because cause: (any Error)?) async
  {
    switch result {
    case .success(let json):
      outcome.refusal = nil
      for input in json["input"] as? [[String: Any]] ?? [] {
        guard let name = input["name"] as? String, let value = input["value"] as? String else { continue }
        let suffix = name.drop { !$0.isNumber }.drop { $0.isNumber }
        outcome.deviceAnswer[String(suffix)] = value
      }
    case .failure(let error):
      let explained = DeviceFailure.explain(
        error as? DeviceBindingStatus ?? .abort, because: cause, triesLeft: await player.triesLeft(),
        elsewhere: await player.keysElsewhere())
      let refusal = player.question?.failure(or: explained) ?? explained
      outcome.refusal = refusal
      if player.secrets.givenPIN != nil, refusal.code == .wrongSecret {
        player.secrets.wrongPIN.withLock { $0 = refusal }
      }
    }
  }

  /// Ends the journey when a server repeats the step after a wrong PIN from standard input: it would be wrong again, and each try costs the
  /// key one of ten, or a token one of often three.
  private func requireUntriedPIN() throws {
    if let wrong = player.secrets.wrongPIN.withLock({ $0 }) { throw wrong }
  }

  /// Ends the journey when a server repeats the step that the password from standard input has answered: it would be wrong again, and each
  /// try brings the account nearer to its lock. A step with other questions, such as the one for a new password, gets it.
  private mutating func requireUntriedPassword(for step: ContinueNode) throws {
    guard player.secrets.givenPassword != nil, step.callbacks.contains(where: Self.asksForPassword) else {
      return
    }
    let prompts = step.callbacks.compactMap { callback in
      switch callback {
      case let callback as NameCallback: callback.prompt
      case let callback as PasswordCallback: callback.prompt
      case let callback as AbstractValidatedCallback: callback.prompt
      default: nil
      }
    }
    guard passwordSteps.insert(prompts).inserted else {
      throw CommandFailure.wrongSecret(
        "The server asks for the password again in \(subject): the one from standard input is wrong, or not allowed, and was tried once."
      )
    }
  }

  private static func asksForPassword(_ callback: any Callback) -> Bool {
    callback is PasswordCallback || callback is ValidatedPasswordCallback
  }

  /// Reports that this client lacks the module; the journey decides what happens then.
  private mutating func decline(_ callback: UnknownCallback) {
    let remark =
      "The journey asks for \(printable(callback.type)), which this command does not have; it says so to the server."
    if said.insert(remark).inserted { Output.remark(remark) }
    _ = callback.answer { _, name in name.hasSuffix(Self.clientError) ? "Unsupported" : nil }
  }

  private static let clientError = "clientError"

  /// Whether the callback accepts that the client cannot answer, as those of PingOne Protect and reCAPTCHA do.
  private static func canDecline(_ callback: any Callback) -> Bool {
    (callback as? UnknownCallback)?.inputNames.contains { $0.hasSuffix(clientError) } == true
  }

  /// Answers a WebAuthn callback; the server also learns about a failure.
  private mutating func use(_ callback: FidoCallback) async throws {
    if let passkeys = player.passkeys { callback.config = passkeys }
    let result =
      switch callback {
      case let callback as FidoRegistrationCallback:
        await callback.register(deviceName: player.deviceName, window: PresentationAnchor())
      case let callback as FidoAuthenticationCallback:
        await confirming(callback).authenticate(window: PresentationAnchor())
      default: Result<[String: Any], any Error>.failure(WebAuthnError(CancellationError()))
      }
    switch result {
    case .success(let members):
      outcome.refusal = nil
      let id = members[FidoConstants.FIELD_RAW_ID] as? Data
      outcome.passkey = id.map { Base64URL.encode($0) } ?? outcome.passkey
    case .failure(let error): outcome.refusal = explain(callback.failure ?? WebAuthnError(error))
    }
  }
}

extension JourneyPlay {
  /// The callback, set up for the authenticator that has one of the passkeys it names.
  private func confirming(_ callback: FidoAuthenticationCallback) async -> FidoAuthenticationCallback {
    #if os(Linux)
      guard let key = player.confirmingKey, let passkeys = player.passkeys else { return callback }
      let options = callback.publicKeyCredentialRequestOptions
      let list = options[FidoConstants.FIELD_ALLOW_CREDENTIALS] as? [[String: Any]] ?? []
      let named = list.compactMap { $0[FidoConstants.FIELD_ID] as? String }
      let own = Set((try? await WebAuthnKeys(config: passkeys).all().map(\.credentialID)) ?? [])
      let isHere = named.isEmpty ? !own.isEmpty : !own.isDisjoint(with: named)
      callback.config.securityKey = isHere ? nil : key
    #endif
    return callback
  }

  /// Ends the journey before the step is answered, if any part of it cannot be answered.
  private func requireAnswers(to step: ContinueNode) throws {
    for callback in step.callbacks where !Self.answers(callback) { throw Self.unanswerable(callback) }
    if step.callbacks.contains(where: { $0 is FidoCallback }), player.passkeys == nil {
      throw CommandFailure.unsupported(
        "The journey asks for a WebAuthn key. Use `sealring passkey`, or choose another with --journey.")
    }
  }

  private static func answers(_ callback: any Callback) -> Bool {
    switch callback {
    case is NameCallback, is ValidatedUsernameCallback, is PasswordCallback, is ValidatedPasswordCallback,
      is TextInputCallback, is TextOutputCallback, is HiddenValueCallback, is PollingWaitCallback,
      is MetadataCallback, is ConfirmationCallback, is ChoiceCallback, is DeviceBindingCallback,
      is DeviceSigningVerifierCallback, is FidoCallback, is DeviceProfileCallback:
      true
    default: ProfileQuestions.answers(callback) || canDecline(callback)
    }
  }

  private static func unanswerable(_ callback: any Callback) -> CommandFailure {
    CommandFailure.unsupported(
      "The journey asks for \(type(of: callback)), which this command cannot answer; nothing of the step was done. Choose another "
        + "with --journey."
    )
  }
}

/// Recovery codes, as a server shows them to clients without a page: one per line.
private enum RecoveryCodeList {
  /// The text above the codes.
  static let introduction =
    "Recovery codes, shown once. Each signs you in once without this device.\nKeep them where nobody else can find them."

  /// Whether a server's message is such a list: several words of equal length, one per line, of letters, digits and hyphens.
  static func isOne(_ message: String) -> Bool {
    let lines = message.split(whereSeparator: \.isNewline)
    guard lines.count >= 2, let length = lines.first?.count, (6...64).contains(length) else { return false }
    return lines.allSatisfy { line in
      line.count == length && line.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    }
  }
}
