internal import Bytes
internal import EvidenceLedger
internal import Foundation
internal import Hummingbird
internal import JOSE
internal import JourneyEngine
internal import JourneyFiles
internal import JourneyStore
internal import ServerHTTP
internal import SigningTransactions
internal import StrictJSON

/// `/transactions`: applications have transactions approved, and read the verdicts.
struct TransactionsEndpoint: SessionEndpoint {
  let applications: ApplicationAuthority
  let realms: RealmDirectory
  let proofs: LedgerProofs
  var sessions: SessionAuthority { applications.sessions }

  /// Random bytes of an id: knowing the id is enough to start the journey.
  private static let idCount = 24

  var routes: [Route] {
    let isApplications = Route.Admission.proof { request, realm in
      try await applications.application(of: request, realm: realm) != nil
    }
    return [
      Route("transactions", [.post: create], admission: isApplications),
      Route(reading: "transactions/:id", admission: isApplications, read),
      Route(reading: "transactions/:id/proof", admission: isApplications, proof),
    ]
  }

  private func create(_ request: Request, in context: ResourceContext) async throws -> Response {
    let realm = context.realm
    let body = try await RequestBodyReader.object(of: request)
    let application = try await applications.requireApplication(request, realm: realm)
    try QueryParameters(request.uri.query).requireCreation(of: "transactions")
    let draft = try TransactionDraft(body)
    guard realms.catalog.summaries(realm: realm).contains(where: { $0.name == draft.journey && $0.canStart })
    else { throw ErrorResponse.badRequest("There is no such journey in this realm.") }
    let now = clock()
    let transaction = TransactionRecord(
      id: RandomName.make(sessions.randomBytes(Self.idCount)), realm: realm,
      applicationID: application.id, username: draft.username, journey: draft.journey,
      fields: draft.transaction.json, createdAt: now, expiresAt: now.addingTimeInterval(draft.lifetime))
    try await store.createTransaction(transaction)
    return .json(transaction.representation(at: now), status: .created)
  }

  private func read(_ request: Request, in context: ResourceContext) async throws -> Response {
    let transaction = try await transaction(request, in: context)
    var object = transaction.representation(at: clock())
    object["evidence"] = try await evidence(of: transaction).map { .integer($0) }
    return .json(object)
  }

  /// The proof of the approval, as administrators and the account's owner get it.
  private func proof(_ request: Request, in context: ResourceContext) async throws -> Response {
    let transaction = try await transaction(request, in: context)
    guard let number = try await evidence(of: transaction) else {
      throw ErrorResponse.notFound("Nobody has approved this transaction.")
    }
    return try await proofs.file(of: number, for: transaction.applicationID, at: clock())
  }

  /// The number of the ledger's entry that approves the transaction; `nil` when there is none.
  private func evidence(of transaction: TransactionRecord) async throws -> Int64? {
    guard case .approved(let approval) = transaction.decision else { return nil }
    // What the account signed while the transaction was open: a few entries.
    var query = EvidenceQuery(
      realm: transaction.realm, username: approval.username, kind: EvidenceRecord.Kind.sign.rawValue,
      limit: 50)
    query.since = transaction.createdAt.millisecondsSince1970
    query.until = transaction.decidedAt.map { $0.millisecondsSince1970 + 1000 }
    while true {
      let page = try await store.evidence(query)
      if let entry = page.first(where: { $0.record.jws == approval.jws }) { return entry.number }
      guard page.count == query.limit, let last = page.last else { return nil }
      query.before = last.number
    }
  }

  /// The transaction that the path names. An application sees only its own.
  private func transaction(
    _ request: Request, in context: ResourceContext
  ) async throws -> TransactionRecord {
    let application = try await applications.requireApplication(request, realm: context.realm)
    guard let transaction = try await store.transaction(id: context.id, realm: context.realm),
      transaction.applicationID == application.id
    else { throw ErrorResponse.notFound("There is no such transaction.") }
    return transaction
  }
}

extension TransactionRecord {
  /// What its application sees. Times are milliseconds since 1970; members that are not known yet are absent.
  func representation(at now: Date) -> JSONObject {
    var object: JSONObject = ["state": .string(state(at: now)), "fields": .object(fields)]
    object["username"] = username.map(JSONValue.string)
    object["journey"] = .string(journey)
    object["createdAt"] = .integer(createdAt.millisecondsSince1970)
    object["expiresAt"] = .integer(expiresAt.millisecondsSince1970)
    object["decidedAt"] = decidedAt.map { .integer($0.millisecondsSince1970) }
    switch decision {
    case .approved(let approval):
      object["username"] = .string(approval.username)
      object["kid"] = .string(approval.keyID)
      object["nonce"] = .string(Base64URL.encode(approval.nonce))
      object["jwt"] = .string(approval.jws)
    case .refused(let reason): object["reason"] = .string(reason)
    case nil: break
    }
    return object.identified(by: id)
  }

  private func state(at now: Date) -> String {
    switch decision {
    case .approved: "approved"
    case .refused: "refused"
    case nil: isOpen(at: now) ? "pending" : "expired"
    }
  }
}
