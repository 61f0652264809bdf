internal import Bytes
internal import Hummingbird
internal import JourneyStore
internal import StrictJSON

/// `/audit/push`: what became of push messages, for the realm's administrators.
///
/// Not in the ledger of evidence: an answer is signed with a secret that the server has too, so it proves nothing to
/// others.
struct PushDecisionsEndpoint: Endpoint {
  let store: any AuditPage.Store
  let sessions: SessionAuthority
  let realms: RealmDirectory

  var routes: [Route] { [Route(reading: "audit/push", list)] }

  private func list(_ request: Request, in context: ResourceContext) async throws -> Response {
    let page = try await AuditPage(
      request, realm: context.realm, store: store, sessions: sessions, realms: realms)
    return page.answer(
      try await store.pushDecisions(page.query), number: \.number, representation: \.representation)
  }
}

extension PushDecisionRecord {
  fileprivate var representation: JSONObject {
    let object: JSONObject = [
      "number": .integer(number), "realm": .string(realm), "username": .string(username),
      "messageId": .string(messageID), "type": .string(type.rawValue), "decision": .string(state.rawValue),
      "device": .string(device), "deviceName": .string(deviceName),
      "reason": reason.map { .string($0) } ?? .null, "sent": .integer(sentAt.millisecondsSince1970),
      "decided": .integer(decidedAt.millisecondsSince1970),
    ]
    return object.identified(by: String(number))
  }
}
