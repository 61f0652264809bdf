internal import BindingFormats
internal import Bytes
internal import EvidenceLedger
internal import Foundation
internal import Hummingbird
internal import JourneyFiles
internal import JourneyStore
internal import ServerHTTP
internal import StrictJSON

/// `/audit/evidence` and `/audit/push`: the verified signatures of a realm and the outcomes of its push messages, for its administrators
/// and auditors. `/audit/export`: the ledger of all realms, for those of the root realm. Nothing here changes them.
///
/// Push outcomes are not in the ledger of evidence: an answer is signed with a secret that the server has too, so it proves
/// nothing to others.
struct AuditEndpoint: SessionEndpoint {
  let sessions: SessionAuthority
  let realms: RealmDirectory
  let proofs: LedgerProofs

  var routes: [Route] {
    [
      Route(reading: "audit/evidence", listEvidence), Route(reading: "audit/evidence/:id", readEvidence),
      Route(reading: "audit/evidence/:id/proof") { request, context in
        let (entry, session) = try await entry(request, in: context)
        return try await proofs.file(of: entry.number, for: session.account.text, at: clock())
      },
      Route(reading: "audit/export", export),
      Route(reading: "audit/push", listPushDecisions),
    ]
  }

  private func listEvidence(_ request: Request, in context: ResourceContext) async throws -> Response {
    let page = try await page(request, context)
    return page.answer(
      try await store.evidence(page.query), number: \.number, representation: \.representation)
  }

  private func readEvidence(_ request: Request, in context: ResourceContext) async throws -> Response {
    .json(try await entry(request, in: context).entry.representation)
  }

  /// The whole ledger, which has the entries of all realms.
  private func export(_ request: Request, in context: ResourceContext) async throws -> Response {
    guard context.realm == "root" else {
      throw ErrorResponse.notFound("The ledger has the entries of all realms: ask in the root realm.")
    }
    let session = try await sessions.require(.readAudit, request, of: context.realm)
    return try await proofs.export(for: session.account.text, at: clock())
  }

  /// The entry that the path names, and the session that asks for it.
  private func entry(
    _ request: Request, in context: ResourceContext
  ) async throws -> (entry: EvidenceEntry, session: AuthenticatedSession) {
    let session = try await sessions.require(.readAudit, request, of: context.realm)
    return (try await AuditHorizon.entry(context.id, of: context.realm, for: session, store), session)
  }

  private func listPushDecisions(_ request: Request, in context: ResourceContext) async throws -> Response {
    let page = try await page(request, context)
    return page.answer(
      try await store.pushDecisions(page.query), number: \.number, representation: \.representation)
  }

  private func page(_ request: Request, _ context: ResourceContext) async throws -> AuditPage {
    try await AuditPage(request, realm: context.realm, sessions: sessions, realms: realms)
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

extension PushDecisionRecord {
  fileprivate var representation: JSONObject { json.identified(by: String(number)) }
}
