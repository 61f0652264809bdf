internal import EvidenceLedger
internal import Hummingbird
internal import JourneyStore
internal import StrictJSON

/// `/audit/evidence`: the verified signatures of a realm, for its administrators and auditors. Nothing here changes them.
struct EvidenceEndpoint: Endpoint {
  let store: any AuditPage.Store
  let sessions: SessionAuthority
  let realms: RealmDirectory

  var routes: [Route] {
    [Route(reading: "audit/evidence", list), Route(reading: "audit/evidence/:id", read)]
  }

  private func list(_ request: Request, in context: ResourceContext) async throws -> Response {
    let page = try await AuditPage(
      request, realm: context.realm, store: store, sessions: sessions, realms: realms)
    return page.answer(
      try await store.evidence(page.query), number: \.number, representation: \.representation)
  }

  private func read(_ request: Request, in context: ResourceContext) async throws -> Response {
    let session = try await sessions.requireSession(request)
    try await sessions.require(.readAudit, session, of: context.realm)
    // The numbers count the entries of all realms; those of others are as good as none.
    guard let number = Int64(context.id), let entry = try await store.evidence(number: number),
      entry.record.realm == context.realm
    else { throw ErrorResponse.notFound("There is no such evidence in this realm.") }
    return .json(entry.representation)
  }
}

extension EvidenceEntry {
  /// What administrators see of an entry: all of it, and how far the signature covers the transaction.
  fileprivate var representation: JSONObject {
    var object = json
    object["transactionProof"] = transactionProof.map { .string($0.rawValue) } ?? .null
    return object.identified(by: String(number))
  }
}
