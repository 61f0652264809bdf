import DeviceKeys
import Foundation
import JOSE
import PingBinding
import PingDeviceProfile
import PingFido
import PingJourney
import PingJourneyPlugin
import PingOrchestrate
import StrictJSON
import SigningTransactions

/// Plays a journey to its end with the answers that a command has.
struct JourneyPlayer {
  let journey: Journey
  let username: String?
  let secrets: Secrets

  /// Answers a TextInputCallback, such as the transaction to sign; `nil` when the command has none.
  var text: String?

  /// How to answer the two binding callbacks.
  var configureBinding: @Sendable (DeviceBindingConfig) -> Void = { _ in }

  /// Answers a question with several answers by the number of one, counted from 0; `nil` when nobody does. By default
  /// the only answer is chosen, and several are asked about at the terminal.
  var choose: @Sendable (_ question: String, _ answers: [String]) async throws -> Int? = JourneyQuestion.ask

  /// Takes what the server offers to a device to enrol with, once for each offer.
  var offerEnrolment: @Sendable (_ uri: String) async throws -> Void = { _ in
    Output.remark("The server offers an enrolment; `sealring push qr` shows it as a QR code.")
  }

  /// Makes a one-time code that the journey asks for; `nil` when the person has to type it.
  var makeCode: @Sendable (_ prompt: String) async throws -> String? = { _ in nil }

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

    /// Whether the proof that was accepted brought an attestation of its key.
    var isAttested: Bool {
      guard let jws = deviceAnswer["jws"], let proof = try? UnverifiedJWS(compact: jws) else { return false }
      return proof.header.jwk?["x5c"] != nil
    }
  }

  /// Why the device could not do what a callback asked for.
  private struct Refusal {
    /// For the person, with what to do next.
    let text: String
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
    try await goOn(from: await journey.start(transaction: id), subject: "the transaction")
  }

  private func goOn(from first: any Node, subject: String) async throws -> Outcome {
    var node = first
    var transaction: Transaction?
    var answer: [String: String] = [:]
    var refusal: Refusal?
    var passkey: String?
    var (steps, remarks) = (0, Remarks())
    while steps < Self.maximumSteps {
      switch node {
      case let step as ContinueNode:
        let isWaiting = step.callbacks.contains { $0 is PollingWaitCallback }
        if !isWaiting { steps += 1 }
        let isWebAuthn = step.callbacks.contains { $0 is FidoCallback }
        var hasCode = false
        for callback in step.callbacks {
          // The button beside a WebAuthn step asks for a recovery code instead.
          if isWebAuthn, callback is ConfirmationCallback { continue }
          // So does the second one beside a code, which is there already.
          if hasCode, let callback = callback as? ConfirmationCallback {
            callback.selectedIndex = 0
            continue
          }
          if let callback = callback as? NameCallback, callback.prompt == Self.oneTimeCodePrompt,
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
        node = await step.next()
      case let success as SuccessNode:
        if !success.session.value.isEmpty { OpenSessions.ofThisCommand.add(journey) }
        return Outcome(
          session: success.session, deviceAnswer: answer, transaction: transaction,
          messages: remarks.messages, wasOfferedEnrolment: remarks.hasOfferedEnrolment, passkey: passkey)
      case let error as ErrorNode:
        if let needed = error.neededStepUp { throw CommandFailure(StepUpOptions.advice(needed)) }
        throw CommandFailure(refusal?.text ?? explain(error, subject: subject, address: journey.address))
      case let failure as FailureNode:
        throw CommandFailure(refusal?.text ?? explain(failure.cause))
      default:
        throw CommandFailure("The server's answer has no known form. Is \(journey.address) a journey server?")
      }
    }
    throw CommandFailure(
      "The server still asks in \(subject) after \(Self.maximumSteps) steps. Check the journey's connections for a loop."
    )
  }

  /// What was said already, so that a step that comes again while it waits says nothing twice.
  private struct Remarks {
    private var said: Set<String> = []
    /// What was said for good.
    private(set) var messages: [String] = []
    var hasOfferedEnrolment = false

    /// Whether it is new.
    mutating func insert(_ text: String) -> Bool { said.insert(text).inserted }

    mutating func say(message: String) {
      messages.append(message)
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
      try await Task.sleep(for: .milliseconds(min(max(callback.waitTime, 100), 60_000)))
    }
  }

  private func respond(
    to callback: any Callback, isWaiting: Bool, _ remarks: inout Remarks, _ answer: inout [String: String],
    _ refusal: inout Refusal?
  ) async throws {
    switch callback {
    case let callback as NameCallback where Self.codePrompts.contains(callback.prompt):
      callback.name = try await code(callback.prompt)
    case let callback as NameCallback: callback.name = try requiredUsername(callback.prompt)
    case let callback as ValidatedUsernameCallback: callback.username = try requiredUsername(callback.prompt)
    case let callback as PasswordCallback: callback.password = try await password()
    case let callback as ValidatedPasswordCallback: callback.password = try await password()
    case let callback as TextInputCallback:
      guard let text else {
        throw CommandFailure(
          "The journey asks for text (\(printable(callback.prompt))). Give it with --text.")
      }
      callback.text = text
    case let callback as TextOutputCallback where callback.messageType == .script:
      // A script is for browsers.
      guard !callback.message.contains("webAuthnOutcome") else {
        throw CommandFailure(
          "The journey's WebAuthn node sends a script for browsers. Switch \"Return challenge as JavaScript\" (asScript) off in it."
        )
      }
    case let callback as TextOutputCallback: show(callback.message, isWaiting: isWaiting, &remarks)
    case let callback as HiddenValueCallback:
      if callback.valueId == Self.enrolmentID, remarks.insert(callback.value) {
        remarks.hasOfferedEnrolment = true
        try await offerEnrolment(callback.value)
      }
    case is PollingWaitCallback, is MetadataCallback: break
    // While a page waits, its button is the way out of it.
    case is ConfirmationCallback where isWaiting: break
    case let callback as ConfirmationCallback:
      callback.selectedIndex = try await choose(callback.prompt, callback.options)
    case let callback as ChoiceCallback:
      if let index = try await choose(callback.prompt, callback.choices) { callback.selectedIndex = index }
    case let callback as DeviceBindingCallback:
      let result = await callback.bind(config: configureBinding)
      record(result, because: callback.failure, &answer, &refusal)
    case let callback as DeviceSigningVerifierCallback:
      let result = await callback.sign(config: configureBinding)
      record(result, because: callback.failure, &answer, &refusal)
    case let callback as DeviceProfileCallback: try await profile.answer(callback)
    default:
      throw CommandFailure(
        "The journey asks for \(type(of: callback)), which this command cannot answer. Choose another with --journey."
      )
    }
  }

  /// The id of the hidden value that carries an enrolment URI.
  private static let enrolmentID = "mfaDeviceRegistration"

  private func show(_ message: String, isWaiting: Bool, _ remarks: inout Remarks) {
    if isWaiting {
      remarks.say(message)
    } else {
      remarks.say(message: message)
    }
  }

  private func requiredUsername(_ prompt: String) throws -> String {
    guard let username else {
      throw CommandFailure(
        "The journey asks who you are (\(printable(prompt))). Give the name with --username.")
    }
    return username
  }

  /// What PingAM's nodes ask for in a callback for names, and what is none.
  private static let codePrompts: Set<String> = [oneTimeCodePrompt, "Recovery Code"]

  private static let oneTimeCodePrompt = "Enter verification code"

  private func code(_ prompt: String) async throws -> String {
    switch await Terminal.controlling.ask("\(prompt): ", echoes: true) {
    case .text(let text): return text
    case .cancelled: throw CommandFailure("Cancelled: no code was entered. Run the command again when ready.")
    case .unavailable(let reason):
      throw CommandFailure("The journey asks for a code, and nobody can be asked: \(reason).")
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
  ) {
    switch result {
    case .success(let json):
      refusal = nil
      for input in json["input"] as? [[String: Any]] ?? [] {
        guard let name = input["name"] as? String, let value = input["value"] as? String else { continue }
        let suffix = name.drop { !$0.isNumber }.drop { $0.isNumber }
        answer[String(suffix)] = value
      }
    case .failure(let error):
      refusal = Refusal(text: explain(error as? DeviceBindingStatus ?? .abort, because: cause))
    }
  }

  /// Answers a WebAuthn callback; the id of the key that was used, `nil` when there was a failure, which the server is told.
  private func respond(to callback: FidoCallback, _ refusal: inout Refusal?) async throws -> String? {
    guard let passkeys else {
      throw CommandFailure(
        "The journey asks for a WebAuthn key. Use `sealring passkey`, or choose another with --journey.")
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
      refusal = Refusal(text: explain(WebAuthnError(error)))
      return nil
    }
  }
}

extension Workflow {
  /// The server's address for messages.
  fileprivate var address: String { (config as? JourneyConfig)?.serverUrl ?? "the server" }
}

/// What a status of the device's side means for the person, and what to do next.
func explain(_ status: DeviceBindingStatus, because cause: (any Error)? = nil) -> String {
  switch cause {
  // Without the key's tag, which means nothing to the person.
  case DeviceKeyError.lockedOut(_, let retryAfter)?:
    let wait = retryAfter.map { "in \(DeviceKeyError.wholeSeconds($0)) seconds" } ?? "later"
    return "Too many wrong PINs: none is taken for now, not even the right one. Try again \(wait)."
  case DeviceKeyError.disabled?:
    return "Too many wrong PINs: the key is disabled for good. Bind the device again with `sealring bind`."
  case DeviceKeyError.lost(_, let reason)?:
    return "The key is gone: \(reason). Bind the device again with `sealring bind`."
  default: return explanation(of: status)
  }
}

private func explanation(of status: DeviceBindingStatus) -> String {
  switch status {
  case .timeout: "The time for this step ran out before the key was unlocked. Run the command again."
  case .abort:
    "Cancelled: no PIN was entered, no key was chosen, or the transaction was not approved. Run the command again when ready."
  case .unsupported(let message):
    message ?? "This device cannot do that."
  case .clientNotRegistered:
    "There is no usable key for this on this device. Bind it first with `sealring bind`."
  case .unAuthorize:
    "The PIN is wrong. Run the command again with the right one; a forgotten PIN means binding again."
  case .invalidCustomClaims:
    "A claim has a reserved name (sub, exp, iat, nbf, iss, challenge, txn, platform) or a value that JSON cannot hold. Rename it."
  }
}

private func explain(_ error: ErrorNode, subject: String, address: String) -> String {
  let message = error.message.isEmpty ? "status \(error.status ?? 0)" : error.message
  return switch error.status {
  case 401:
    "The server refused \(subject): \(printable(message)). Check name, password and binding; its log has the reason."
  case 404 where MissingPath.isLikely(in: address):
    "The server has nothing there (\(printable(message))).\(MissingPath.hint(for: address))"
  case 404: "The server does not know that realm (\(printable(message))). Check --realm."
  case 400: "The server does not accept the request: \(printable(message)). Check --journey."
  default: "The server answered \(error.status ?? 0): \(printable(message)). Its log has the reason."
  }
}

private func explain(_ error: any Error) -> String {
  if case ApiError.error(let status, _, let text) = error {
    return
      "The server answered \(status): \(printable(String(text.prefix(200)))). Try again; its log has the reason."
  }
  return
    "The server cannot be reached: \(sentence(error.localizedDescription)) Check --server and that it runs (`sealring serve`)."
}
