internal import BindingFormats
internal import Bytes
internal import EvidenceLedger
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import JourneyStore
internal import NIOCore
internal import PageTemplates
internal import ServerHTTP
internal import StrictJSON

/// `/am/account/signatures`: what the account's keys have signed, each with its proof to take along.
struct AccountSignatures: Endpoint {
  let pages: PageSite

  private static let pageSize = 20

  /// Fields of a transaction that are shown; the proof has all.
  private static let shownFields = 30

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
      let fields = Self.fields(of: entry.record.transaction).prefix(Self.shownFields).map {
        name, value -> PageValue in
        ["name": .text(name), "value": .text(value)]
      }
      return [
        "time": page.time(Date(millisecondsSince1970: entry.record.time)),
        "number": .text(String(entry.number)),
        "what": .text(
          entry.record.transaction == nil ? texts["signatures.signIn"] : texts["signatures.transaction"]),
        "fields": .list(fields), "hasFields": .flag(!fields.isEmpty),
        "proofLink": .link(page.link(["account", "signatures", String(entry.number)])),
      ]
    }
    let more: PageValue =
      if found.count > shown.count, let last = shown.last {
        [
          "nextLink": .link(page.link(["account", "signatures"], [("before", String(last.number))])),
          "previousLink": .none, "position": .none,
        ]
      } else { .none }
    return try page.page(
      .accountSignatures, title: texts["signatures.title"], tabs: .account(.signatures, texts),
      ["signatures": .list(signatures), "pages": more])
  }

  /// What the person has signed, as texts.
  private static func fields(of transaction: JSONObject?) -> [(String, String)] {
    (transaction?["fields"]?.objectValue ?? JSONObject()).map { name, value in
      (name, value.stringValue ?? String(decoding: value.serialized, as: UTF8.self))
    }
  }

  /// The ledger's entry as it stands there and in every export: with the signature, the key, and what was signed.
  private func proof(_ page: PageContext) async throws -> Response {
    // Another account's entry is as unknown as one that is not there, and so is that of an account that had the name before.
    guard let number = Int64(page.parameter("number")), number > 0, number < .max,
      let entry = try await pages.store.evidence(
        EvidenceQuery(
          realm: page.account.realm, username: page.account.username, accountID: page.accountID,
          before: number + 1, limit: 1)
      ).first, entry.number == number
    else { throw ErrorResponse.notFound("There is no such signature.") }
    var headers = PageHeaders.common
    headers[.contentType] = "application/json"
    headers[.contentDisposition] = "attachment; filename=\"sealring-signature-\(number).json\""
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: entry.line + [UInt8(ascii: "\n")])))
  }
}
