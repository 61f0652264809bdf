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
    var mayUse = false
    if let found, found.state == .approved, found.username == context.state.username {
      mayUse = try await services.lock(.guesses, of: found.username, in: context.request).recordSuccess()
    }
    // Only the caller that removed the message acts on it.
    let message = try await services.store.removePushMessage(
      id: id, realm: realm, usedAt: mayUse ? services.clock() : nil)
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
    guard mayUse else {
      return context.outcome("FALSE", because: "the account is locked after too many failures")
    }
    context.state.shared[PushState.mechanismUID] = message.decidedBy.map(JSONValue.string)
    if message.type == .challenge, let number = message.answer.flatMap({ Int64($0.digits) }) {
      context.state.shared[PushState.content] = ["challengeResponse": .integer(number)]
    }
    context.state.noteAuthentication(at: services.clock(), by: "push")
    return .outcome("TRUE")
  }
}
