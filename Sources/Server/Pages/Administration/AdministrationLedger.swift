internal import BindingFormats
internal import EvidenceLedger
internal import Foundation
internal import Hummingbird
internal import JourneyStore
internal import PageTemplates
internal import ServerHTTP
internal import StrictJSON

/// `/am/admin/ledger`: signatures that were accepted, and their verification in the browser, which need not trust the server.
struct AdministrationLedger: Endpoint {
  let administration: Administration

  let proofs: LedgerProofs

  /// The whole ledger; `nil` for one in memory.
  private var archive: (@Sendable () async throws -> any LedgerArchive)? { proofs.archive }

  private var store: any ServerStore { administration.pages.store }
  private static let pageSize = 25

  var routes: [Route] {
    [
      administration.route("/am/admin/ledger", get: list),
      administration.route("/am/admin/ledger/:id", get: show),
      administration.route("/am/admin/proof/:id", get: proof),
      // The ledger has the entries of all realms.
      administration.route("/am/admin/verify", isOfRoot: true, get: verify),
      administration.route("/am/admin/export", isOfRoot: true, get: export),
    ]
  }

  private func list(_ page: PageContext) async throws -> Response {
    let name = AdministrationUsers.text(page.query["name"], limit: 256)
    let kind = page.query["kind"].flatMap { EvidenceRecord.Kind(rawValue: $0) }
    var query = EvidenceQuery(realm: page.realm, limit: Self.pageSize + 1)
    query.username = name.isEmpty ? nil : name
    query.before = page.query["before"].flatMap(Int64.init)
    query.kind = kind?.rawValue
    query.since = try await AuditHorizon.start(of: page.realm, for: page.session, store)
    let found = try await store.evidence(query)
    let filter: [(String, String?)] = [("name", query.username), ("kind", query.kind)]
    let last = found.count > Self.pageSize ? found[Self.pageSize - 1].number : nil
    return try page.administration(
      .adminLedger, .ledger, title: page.texts["admin.ledger"],
      [
        "name": .text(name), "isBind": .flag(kind == .bind), "isSign": .flag(kind == .sign),
        "isCertify": .flag(kind == .certify),
        "entries": .list(found.prefix(Self.pageSize).map { row($0, page) }),
        "isEmpty": .flag(found.isEmpty), "ledgerLink": .link(page.link(["admin", "ledger"])),
        "verifyLink": page.session.record.realm == "root"
          ? .link(page.link(["admin", "verify"])) : .none,
        "pages": page.pages(
          of: ["admin", "ledger"], isFirst: query.before == nil, filter,
          next: last.map { ("before", String($0)) }),
      ])
  }

  private func row(_ entry: EvidenceEntry, _ page: PageContext) -> PageValue {
    let record = entry.record
    return [
      "number": .text(String(entry.number)),
      "time": page.time(Date(timeIntervalSince1970: Double(record.time) / 1000)),
      "kind": .text(Self.kind(record.kind, page.texts)),
      "username": .text(record.username), "journey": .text(record.journey),
      "what": .text(page.texts.headline(SignedStatement(entry))),
      "proof": .optional(Self.proof(entry, page.texts)),
      "entryLink": .link(page.link(["admin", "ledger", String(entry.number)])),
    ]
  }

  private static func kind(_ kind: EvidenceRecord.Kind, _ texts: Texts) -> String {
    switch kind {
    case .bind: texts["admin.entryBind"]
    case .sign: texts["admin.entrySign"]
    case .certify: texts["admin.entryCertify"]
    }
  }

  /// How far the signature covers the transaction.
  private static func proof(_ entry: EvidenceEntry, _ texts: Texts) -> String? {
    switch entry.transactionProof {
    case .txn?: texts["admin.proofShown"]
    case .plain?: texts["admin.proofPlain"]
    case nil: nil
    default:
      entry.transactionProof.map {
        $0.rawValue == "none" ? texts["admin.proofNone"] : texts["admin.proofContradicted"]
      }
    }
  }

  /// The entry that the path names. Other realms' entries are reported as missing.
  private func entry(_ page: PageContext) async throws -> EvidenceEntry {
    try await AuditHorizon.entry(page.parameter("id"), of: page.realm, for: page.session, store)
  }

  private func show(_ page: PageContext) async throws -> Response {
    let entry = try await entry(page)
    let record = entry.record
    return try page.administration(
      .adminEntry, .ledger, title: page.texts["admin.entry", ["number": String(entry.number)]],
      [
        "row": row(entry, page), "device": .text(record.device), "userID": .text(record.userID),
        "hash": .text(entry.hash.text), "previous": .text(entry.previous.text), "jws": .text(record.jws),
        "fields": .list(page.texts.fields(of: SignedStatement(entry), entry)),
        "attestation": .optional(record.attestation.map { JSONValue.object($0).text }),
        "proofLink": archive == nil ? .none : .link(page.link(["admin", "proof", String(entry.number)])),
        "ledgerLink": .link(page.link(["admin", "ledger"])),
      ])
  }

  private func verify(_ page: PageContext) async throws -> Response {
    try page.administration(
      .adminVerify, .ledger, title: page.texts["admin.verify"],
      [
        "hasArchive": .flag(archive != nil), "exportLink": .link(page.link(["admin", "export"])),
        "ledgerLink": .link(page.link(["admin", "ledger"])),
      ].merging(VerifyPage.fields(page.visit)) { own, _ in own })
  }

  /// The export, as `sealring audit export` writes it.
  private func export(_ page: PageContext) async throws -> Response {
    try await proofs.export(for: page.session.account.text, at: page.now)
  }

  /// The proof that an entry is in the ledger, as `sealring audit prove` writes it. It has only the hashes of other entries.
  private func proof(_ page: PageContext) async throws -> Response {
    try await proofs.file(of: try await entry(page).number, for: page.session.account.text, at: page.now)
  }
}
