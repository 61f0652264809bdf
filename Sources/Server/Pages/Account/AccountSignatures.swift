internal import BindingFormats
internal import Bytes
internal import EvidenceLedger
internal import Foundation
internal import Hummingbird
internal import JourneyStore
internal import PageTemplates
internal import ServerHTTP
internal import SigningTransactions
internal import StrictJSON

/// `/am/account/signatures`: what the account's keys have signed, each with a proof to download.
struct AccountSignatures: Endpoint {
  let pages: PageSite
  let proofs: LedgerProofs

  private static let pageSize = 20

  var routes: [Route] {
    [
      pages.route("/am/account/signatures", get: list),
      pages.route("/am/account/signatures/:number", get: proof),
    ]
  }

  private func list(_ page: PageContext) async throws -> Response {
    let texts = page.texts
    var query = EvidenceQuery(
      realm: page.account.realm, username: page.account.username, accountID: page.accountID,
      kind: EvidenceRecord.Kind.sign.rawValue, limit: Self.pageSize + 1)
    query.before = page.query["before"].flatMap { $0.utf8.count <= 18 ? Int64($0) : nil }
    let found = try await pages.store.evidence(query)
    let shown = found.prefix(Self.pageSize)
    let signatures = shown.map { entry -> PageValue in
      let statement = SignedStatement(entry)
      let fields = texts.fields(of: statement, entry)
      return [
        "time": page.time(Date(millisecondsSince1970: entry.record.time)),
        "number": .text(String(entry.number)), "what": .text(texts.headline(statement)),
        "fields": .list(fields), "hasFields": .flag(!fields.isEmpty),
        "proofLink": proofs.archive == nil
          ? .none : .link(page.link(["account", "signatures", String(entry.number)])),
      ]
    }
    let last = found.count > shown.count ? shown.last : nil
    return try page.page(
      .accountSignatures, title: texts["signatures.title"], tabs: .account(.signatures, texts),
      [
        "signatures": .list(signatures),
        "pages": page.pages(
          of: ["account", "signatures"], isFirst: true, next: last.map { ("before", String($0.number)) }),
        "verifyLink": .link(PageLink(root: page.visit.root, path: ["verify"])),
      ])
  }

  /// Downloads the proof of one of the account's signatures, the same as for administrators.
  private func proof(_ page: PageContext) async throws -> Response {
    // Entries of other accounts, and of an earlier account with the same name, are reported as missing.
    guard let number = Int64(page.parameter("number")), number > 0, number < .max,
      let entry = try await pages.store.evidence(
        EvidenceQuery(
          realm: page.account.realm, username: page.account.username, accountID: page.accountID,
          before: number + 1, limit: 1)
      ).first, entry.number == number
    else { throw ErrorResponse.notFound("There is no such signature.") }
    return try await proofs.file(of: number, for: page.session.account.text, at: page.now)
  }
}

extension Texts {
  /// The number of fields that are shown. The proof has all of them.
  private static let shownFields = 30

  /// What was signed, in one line.
  func headline(_ statement: SignedStatement) -> String {
    switch statement {
    case .transaction(let transaction, _): transaction.summary(pattern: self["signatures.amountTo"])
    case .text: self["signatures.signedText"]
    case .signIn: self["signatures.signIn"]
    case .binding: self["signatures.binding"]
    case .certificate: self["activity.certified"]
    }
  }

  /// The fields of a signed statement, with names in the page's language.
  func fields(of statement: SignedStatement, _ entry: EvidenceEntry) -> [PageValue] {
    var rows: [(String, String)] = []
    switch statement {
    case .transaction(let transaction, _):
      if let amount = transaction.amount {
        rows.append((self["signatures.amount"], "\(amount) \(transaction.currency ?? "")"))
      }
      if let payee = transaction.payee { rows.append((self["signatures.payee"], payee)) }
      if let account = transaction.account { rows.append((self["signatures.account"], account)) }
      if let text = transaction.text { rows.append((self["signatures.message"], text)) }
    case .text(let text), .certificate(let text): rows.append((self["signatures.message"], text))
    case .signIn, .binding:
      // A journey stored this beside the signature, which does not cover it.
      if let remark = entry.record.transaction {
        let fields = remark["fields"]?.objectValue ?? remark
        rows = fields.map {
          ("\($0.name) (\(self["signatures.unsigned"]))", $0.value.stringValue ?? $0.value.text)
        }
      }
    }
    if let added = entry.applicationClaims { rows.insert((self["signatures.added"], added), at: 0) }
    return rows.prefix(Self.shownFields).map { ["name": .text($0.0), "value": .text($0.1)] }
  }
}
