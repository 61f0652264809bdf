internal import BindingFormats
internal import Bytes
internal import JourneyEngine
internal import JourneyStore
internal import PushService
internal import StrictJSON

/// Reports the result of the open push message. The number or code was compared when the device answered.
struct PushResultVerifierNode: JourneyNode {
  let outcomes = ["TRUE", "FALSE", "EXPIRED", "WAITING"]
  let stateInputs = [PushState.messageID]
  let stepUse = StepUse.byNode
  let services: NodeServices

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard let id = context.state[PushState.messageID]?.stringValue else {
      throw NodeError("no push message is under way; put a Push Sender node before this one")
    }
    let realm = context.request.realm
    let found = try await services.store.pushMessage(id: id, realm: realm)
    if let found, found.isOpen(at: services.clock()) {
      context.state.shared[PushState.expiration] = .integer(found.expiresAt.millisecondsSince1970)
      return .outcome("WAITING")
    }
    let (message, isLocked) = try await take(id, found, in: &context)
    PushState.clearMessage(&context.state)
    guard let message, message.state != .pending else {
      return context.outcome("EXPIRED", because: "nobody answered the push message in time")
    }
    guard message.username == context.state.username else {
      throw NodeError("the push message was sent to another user than the journey has now")
    }
    guard message.state == .approved else {
      let reason = message.reason.map { ": \($0.quoted)" } ?? ""
      return context.outcome("FALSE", because: "push device \(message.decidedBy ?? "") denied\(reason)")
    }
    guard !isLocked else {
      return context.outcome("FALSE", because: "the account is locked after too many failures")
    }
    context.state.shared[PushState.mechanismUID] = message.decidedBy.map(JSONValue.string)
    if message.type == .challenge, let number = message.answer.flatMap({ Int64($0.digits) }) {
      context.state.shared[PushState.content] = ["challengeResponse": .integer(number)]
    }
    context.state.noteAuthentication(at: services.clock(), by: "push")
    return .outcome("TRUE")
  }

  /// Removes the message, and uses up the answered step in the same write. Only the caller that gets the message acts on it. An approval
  /// that ends the journey is left to the write that makes the session.
  ///
  /// - Parameter found: the message as it was just read.
  private func take(
    _ id: String, _ found: PushMessageRecord?, in context: inout NodeContext
  ) async throws -> (message: PushMessageRecord?, isLocked: Bool) {
    let (username, realm) = (context.state.username ?? "", context.request.realm)
    let lock = try await services.lock(.pushAnswers, of: username, in: context.request)
    let use = PushUse(
      by: UniversalID(username: username, realm: realm), scope: lock.scope, at: services.clock())
    let step = context.answeredStep.map(OnceKey.init)
    context.answeredStep = nil
    if let found, found.state == .approved, found.username == username,
      context.finalOutcomes.contains("TRUE")
    {
      context.deferred = DeferredProof(SessionProof.push(id: id, use: use, step: step))
      return (found, false)
    }
    let usage = try await services.store.usePushMessage(id: id, for: use, using: step)
    switch usage {
    case .taken(let message, let isLocked): return (message, isLocked)
    case .stepWasUsed: throw StepWasUsed()
    }
  }
}

/// State variables that the nodes of push share, under PingAM's names.
enum PushState {
  /// The id of the open message.
  static let messageID = "pushMessageId"

  /// The sender's message timeout in milliseconds.
  static let timeout = "t"
  static let mechanismUID = "pushMechanismUid"

  /// The number or the code that the login page shows.
  static let number = "pushNumberChallengeKey"

  /// End of the open message, in milliseconds since 1970.
  static let expiration = "pushMessageExpiration"

  /// What the device answered to a number challenge, left after success.
  static let content = "pushContent"

  /// Why the sender or the verifier took its failure outcome.
  static let failureReason = "PushAuthFailureReason"

  /// The kind of second factor to register.
  static let method = "mfaMethod"

  /// End of a registration's time, in milliseconds since 1970.
  static let registrationEnd = "pushRegistrationTimeout"

  /// The enrolment URI, for the time of the registration.
  static let registrationURI = "pushRegistrationUri"

  /// Removes everything that belongs to one message.
  static func clearMessage(_ state: inout JourneyState) {
    for key in [messageID, timeout, mechanismUID, number, expiration, content] { state.shared[key] = nil }
  }
}
