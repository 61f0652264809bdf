internal import BindingFormats
internal import Bytes
internal import Foundation
internal import JourneyEngine
internal import JourneyStore
internal import PushFormats
internal import PushService
internal import StrictJSON

/// Sends a question to the user's devices. The first answer decides; a Push Result Verifier node asks for it.
///
/// The push type `CODE` is ours: the login page shows six digits, which the person enters on the device.
struct PushAuthenticationSenderNode: JourneyNode {
  private let services: NodeServices
  private let random: PushRandom

  /// Seconds from sending to the end of the message.
  private let lifetime: Int
  private let userMessage: LocalizedText
  private let isMandatory: Bool
  private let sharesContext: Bool
  private let payloadVariables: [String]
  private let type: PushMessageRecord.PushType
  private let capturesFailure: Bool

  /// Longest custom payload in bytes: push services carry little.
  private static let maximumPayloadBytes = 3 << 10

  /// The longest message in bytes: a longer one would not fit the answer to one poll.
  private static let maximumTextBytes = 1 << 10

  private static let codeSeconds = 600

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    random = PushRandom(randomBytes: services.randomBytes)
    type = try definition.choice(
      "pushType", default: "DEFAULT",
      among: [("BIOMETRIC", .biometric), ("CHALLENGE", .challenge), ("CODE", .code), ("DEFAULT", .default)])
    let milliseconds = try definition.integer(
      "messageTimeout", default: 120_000, in: 1000...3_600_000, clamping: .down)
    let longest = type == .code ? Self.codeSeconds * 1000 : milliseconds
    if milliseconds > longest {
      definition.repaired(
        "messageTimeout", "must be at most \(longest) for the type CODE", instead: "\(longest) is used.")
    }
    lifetime = min(milliseconds, longest) / 1000
    userMessage = try definition.localized(
      "userMessage", builtIn: "Login attempt from {{user}} at {{issuer}}")
    isMandatory = try definition.flag("mandatory", default: false, instead: true)
    sharesContext = try definition.flag("contextInfo", default: false, instead: false)
    let variables = try definition.strings("customPayload")
    payloadVariables = variables.filter { $0 != StateKey.password }
    if payloadVariables.count < variables.count {
      definition.repaired(
        "customPayload", "must not hold password: payloads can be read on their way",
        instead: "It is not sent.")
    }
    capturesFailure = try definition.flag("captureFailure", default: false, instead: false)
  }

  var outcomes: [String] {
    ["SENT", "NOT_REGISTERED"] + (isMandatory ? [] : ["SKIPPED"]) + (capturesFailure ? ["FAILURE"] : [])
  }

  let stateInputs = [StateKey.username]
  let stateOutputs = [PushState.messageID]

  /// Until the message is stored, this node has no effects.
  let stepUse = StepUse.byNode

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard let username = context.state.username else {
      return try fail("MISSING_USERNAME", "the journey has not identified a user", in: &context)
    }
    guard context.state[PushState.messageID] == nil else {
      return try fail("SENDER_ALREADY_USED", "a push message is under way in this journey", in: &context)
    }
    let realm = context.request.realm
    let setting = try await services.store.pushDevices.skipSetting(
      of: UniversalID(username: username, realm: realm))
    if !isMandatory, setting == .skippable {
      return context.outcome("SKIPPED", because: "the user has opted out of push")
    }
    // An unknown or inactive account looks like one without devices.
    guard let user = try await services.user(in: &context), user.isActive else {
      return notRegistered(in: &context)
    }
    let devices = services.push.reached(of: try await services.store.pushDevices.all(of: user.account))
    guard let first = devices.first else { return notRegistered(in: &context) }
    guard try await !services.lock(.pushAnswers, of: user, in: context.request).isLocked() else {
      return try fail("ACCOUNT_LOCKED", "the account is locked after too many failures", in: &context)
    }
    return try await send(to: devices, first: first, of: user, in: &context)
  }

  private func notRegistered(in context: inout NodeContext) -> NodeResult {
    context.state.shared[PushState.method] = "push"
    return context.outcome("NOT_REGISTERED", because: "the user has no push device")
  }

  private func send(
    to devices: [PushDeviceRecord], first: PushDeviceRecord, of user: UserRecord,
    in context: inout NodeContext
  ) async throws -> NodeResult {
    let now = services.clock()
    let id = services.pushMessageID(.authenticate, at: now)
    let challenge = random.secret()
    var generator = random
    var message = PushMessage(
      mechanismUID: "", challenge: try PushChallenge(challenge.reveal()),
      loadBalancer: PushMessage.noLoadBalancer, text: text(user: user, issuer: first.issuer, context),
      sentAtMilliseconds: now.millisecondsSince1970, timeToLive: lifetime, username: user.username,
      customPayload: try payload(context), contextInfo: sharesContext ? facts(context) : nil)
    var answer: String?
    switch type {
    case .default: break
    case .biometric: message.type = .biometric
    case .challenge:
      let numbers = PushNumberChallenge.random(using: &generator)
      message.type = .challenge
      message.numbers = numbers.options
      answer = String(numbers.answer)
    case .code:
      let code = PushCodeChallenge.random(using: &generator)
      message.type = .challenge
      message.codeLength = code.code.count
      answer = code.code
    }
    let outgoing = try await message.outgoing(id: id, to: devices)
    let record = PushMessageRecord(
      id: id, realm: user.realm, username: user.username, kind: .authentication, type: type,
      challenge: challenge, answer: answer.map { StoredSecret($0.utf8) }, sentAt: now,
      expiresAt: now.addingTimeInterval(TimeInterval(lifetime)),
      knownDevice: services.lock(.pushAnswers, of: user, in: context.request).scope.device)
    // Stored first: an answer may come before the senders return.
    let opening: PushOpening
    do {
      opening = try await services.store.openPushMessage(
        record, inboxes: outgoing.map(\.item), limits: services.pushLimits,
        using: context.answeredStep.map(OnceKey.init))
      context.answeredStep = nil
    } catch let error as StoreError {
      return try fail("CTS_ERROR", "the push message cannot be stored: \(error)", in: &context)
    }
    guard opening == .opened else { return try refused(opening, in: &context) }
    let failures = await services.push.handOver(outgoing)
    for failure in failures {
      context.logReason("push device \(failure.device.uuid) could not be reached: \(failure.reason)")
    }
    guard failures.count < outgoing.count else {
      _ = try await services.store.removePushMessage(id: id, realm: user.realm)
      return try fail("TRANSMISSION_FAILURE", "no push device could be reached", in: &context)
    }
    // The name as the account has it, which the verifier compares with the message's.
    context.state.username = user.username
    context.state.shared[PushState.messageID] = .string(id)
    context.state.shared[PushState.timeout] = .integer(Int64(lifetime) * 1000)
    context.state.shared[PushState.mechanismUID] = .string(first.mechanismUID)
    context.state.shared[PushState.number] = answer.map(JSONValue.string)
    context.state.shared[PushState.expiration] = .integer(record.expiresAt.millisecondsSince1970)
    return .outcome("SENT")
  }

  private func refused(_ opening: PushOpening, in context: inout NodeContext) throws -> NodeResult {
    switch opening {
    case .opened, .noSuchUser: notRegistered(in: &context)
    case .tooManyOpen: try fail("TOO_MANY_OPEN", "too many push messages of the user are open", in: &context)
    case .tooManySinceSuccess:
      try fail("TOO_MANY_MESSAGES", "too many push messages since the user's last success", in: &context)
    case .stepWasUsed: throw StepWasUsed()
    case .tooManyWrongAnswers:
      try fail(
        "TOO_MANY_WRONG_ANSWERS", "too many wrong numbers or codes since the last success", in: &context)
    }
  }

  private func fail(
    _ reason: String, _ cause: String, in context: inout NodeContext
  ) throws(NodeError) -> NodeResult {
    guard capturesFailure else { throw NodeError(cause) }
    context.state.shared[PushState.failureReason] = .string(reason)
    return context.outcome("FAILURE", because: cause)
  }

  // MARK: What the person reads

  private func text(user: UserRecord, issuer: String, _ context: NodeContext) -> String {
    let values = ["user": user.username, "issuer": issuer]
    let text = userMessage.text(for: context.request.locales).filled { values[String($0)] }
    return text.utf8.count <= Self.maximumTextBytes ? text : String(text.prefix(Self.maximumTextBytes / 4))
  }

  private func payload(_ context: NodeContext) throws(NodeError) -> String {
    var payload = JSONObject()
    for name in payloadVariables {
      if let value = context.state.shared[name] ?? context.state.transient[name] { payload[name] = value }
    }
    let bytes = payload.serialized
    guard bytes.count <= Self.maximumPayloadBytes else {
      throw NodeError("the custom payload has \(bytes.count) bytes, more than \(Self.maximumPayloadBytes)")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func facts(_ context: NodeContext) -> String {
    var facts = JSONObject()
    if let location = context.state.shared["forgeRock.device.profile"]?["location"]?.objectValue {
      facts["location"] = .object(location)
    }
    if !context.request.clientAddress.isEmpty {
      facts["remoteIp"] = .string(context.request.clientAddress)
    }
    if let agent = context.request.headers["user-agent"] {
      facts["userAgent"] = .string(String(agent.prefix(256)))
    }
    return String(decoding: facts.serialized, as: UTF8.self)
  }
}
