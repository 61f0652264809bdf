internal import BindingFormats
internal import Bytes
internal import JourneyEngine
internal import JourneyStore
internal import PushService
internal import StrictJSON

/// Says what became of the message under way. Numbers and codes have been compared when the device answered.
struct PushResultVerifierNode: JourneyNode {
  let outcomes = ["TRUE", "FALSE", "EXPIRED", "WAITING"]
  let stateInputs = [PushState.messageID]
  let services: NodeServices

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard let id = context.state[PushState.messageID]?.stringValue else {
      throw NodeError("no push message is under way; put a Push Sender node before this one")
    }
    let realm = context.request.realm
    if let message = try await services.store.pushMessage(id: id, realm: realm),
      message.isOpen(at: services.clock())
    {
      context.state.shared[PushState.expiration] = .integer(message.expiresAt.millisecondsSince1970)
      return .outcome("WAITING")
    }
    // Only the caller that removed the message acts on it.
    let message = try await services.store.removePushMessage(id: id, realm: realm)
    PushState.clearMessage(&context.state)
    guard let message, message.state != .pending else {
      context.logReason("nobody answered the push message in time")
      return .outcome("EXPIRED")
    }
    guard message.username == context.state.username else {
      throw NodeError("the push message was sent to another user than the journey has now")
    }
    guard message.state == .approved else {
      let reason = message.reason.map { ": \(JSONValue.string($0).text)" } ?? ""
      context.logReason("push device \(message.decidedBy ?? "") denied\(reason)")
      return .outcome("FALSE")
    }
    let lock = try await services.lock(.guesses, of: message.username, in: context.request)
    guard try await lock.recordSuccess() else {
      context.logReason("the account is locked after too many failures")
      return .outcome("FALSE")
    }
    try await services.store.recordPushSuccess(
      of: UniversalID(username: message.username, realm: realm), mechanismUID: message.decidedBy,
      at: services.clock())
    context.state.shared[PushState.mechanismUID] = message.decidedBy.map(JSONValue.string)
    if message.type == .challenge, let number = message.answer.flatMap({ Int64($0.digits) }) {
      context.state.shared[PushState.content] = ["challengeResponse": .integer(number)]
    }
    context.state.noteAuthentication(at: services.clock(), by: "push")
    return .outcome("TRUE")
  }
}
