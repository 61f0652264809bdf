internal import Accounts
internal import BindingFormats
internal import Bytes
internal import EvidenceLedger
internal import Foundation
internal import Hummingbird
internal import JourneyEngine
internal import JourneyFiles
internal import JourneyStore
internal import Logging
internal import PageTemplates
internal import SecurityEvents
internal import ServerHTTP
internal import StrictJSON

/// `/am/account/activity`: the account's recent activity, as far as the store keeps it, and a form that reports activity of somebody else.
struct AccountActivity: Endpoint {
  let pages: PageSite
  let kinds: [MethodKind]
  let sessions: AccountSessions
  let refused: RefusedSignIns

  private static let pageSize = 20

  var routes: [Route] {
    [
      pages.route("/am/account/activity", get: list),
      pages.route("/am/account/activity/report", get: confirm, post: { try await report($1) }),
    ]
  }

  /// An entry of the activity list.
  struct Entry: Sendable {
    let time: Date
    let what: String

    /// Text of unknown origin, which is shown unchanged and apart.
    var detail: String?

    /// The network address or addresses that the activity came from.
    var place: String?
    var isRefusal = false
    var isRefusedSignIn = false
  }

  /// The newest entries before a moment, at most `limit`. Each source returns at most that many, too.
  ///
  /// - Parameters:
  ///   - id: the account's id. Entries of an earlier account with the same name are left out.
  ///   - mostRefused: the most entries for refused sign-ins. A short list has few, because others can cause one a day.
  func entries(
    of account: UniversalID, id: String, before end: Date?, limit: Int, mostRefused: Int = .max, now: Date,
    _ texts: Texts
  ) async throws -> [Entry] {
    let query = EvidenceQuery(
      realm: account.realm, username: account.username, accountID: id, until: end?.millisecondsSince1970,
      limit: limit)
    var all = try await pages.store.evidence(query).map { entry -> Entry in
      let record = entry.record
      let what =
        switch record.kind {
        case .bind: texts["activity.bound"]
        case .certify: texts["activity.certified"]
        case .sign: record.transaction == nil ? texts["activity.signedIn"] : texts["activity.approved"]
        }
      return Entry(time: Date(millisecondsSince1970: record.time), what: what, detail: record.journey)
    }
    all += try await pages.store.pushDecisions(query).map { decision in
      Entry(
        time: decision.decidedAt,
        what: decision.state == .approved ? texts["activity.pushApproved"] : texts["activity.pushDenied"],
        detail: decision.deviceName, isRefusal: decision.state != .approved)
    }
    all += try await pages.store.sessions(of: account, now: now).map { session in
      Entry(
        time: session.createdAt, what: texts["activity.session"],
        detail: AccountSessions.words(for: session, texts),
        place: session.properties[SessionAuthority.addressProperty]?.stringValue)
    }
    for kind in kinds {
      all += try await kind.all(of: account).map { method in
        Entry(
          time: method.created, what: texts["activity.added", ["kind": texts[kind.title]]],
          detail: method.name)
      }
    }
    let startable = pages.realms.catalog.summaries(realm: account.realm).map(\.name)
    all += try await refused.entries(
      of: account, journeys: Set(startable), limit: mostRefused, now: now, texts)
    return Array(
      all.filter { entry in end.map { entry.time < $0 } ?? true }.sorted { $0.time > $1.time }.prefix(limit))
  }

  private func list(_ page: PageContext) async throws -> Response {
    let texts = page.texts
    let end = page.query["until"].flatMap { $0.utf8.count <= 15 ? Int64($0) : nil }.map {
      Date(millisecondsSince1970: $0)
    }
    let found = try await entries(
      of: page.account, id: page.accountID, before: end, limit: Self.pageSize + 1, now: page.now, texts)
    let shown = found.prefix(Self.pageSize)
    let last = found.count > shown.count ? shown.last : nil
    return try page.page(
      .accountActivity, title: texts["activity.title"], tabs: .account(.activity, texts),
      [
        "entries": .list(shown.map { Self.value($0, page) }),
        "pages": page.pages(
          of: ["account", "activity"], isFirst: true,
          next: last.map { ("until", String($0.time.millisecondsSince1970)) }),
        "hasRefused": .flag(shown.contains(where: \.isRefusedSignIn)),
        "reportLink": .link(page.link(["account", "activity", "report"])),
      ])
  }

  static func value(_ entry: Entry, _ page: PageContext) -> PageValue {
    [
      "time": page.time(entry.time), "what": .text(entry.what), "detail": .optional(entry.detail),
      "place": .optional(entry.place.flatMap { $0.isEmpty ? nil : $0 }),
      "isRefusal": .flag(entry.isRefusal),
    ]
  }

  // MARK: This was not me

  private func confirm(_ page: PageContext) async throws -> Response {
    try page.page(
      .accountReport, title: page.texts["activity.reportTitle"], tabs: .account(.activity, page.texts),
      ["backLink": .link(page.link(["account", "activity"]))])
  }

  /// Ends all other sessions, tells the administrators, and leads on to a new password.
  private func report(_ page: PageContext) async throws -> Response {
    let count = try await sessions.accounts.endOtherSessions(of: page.session.record)
    try await pages.events.require(
      SecurityEvent(
        .accountReported, realm: page.account.realm, account: page.account.username,
        accountID: page.session.record.accountID, detail: ["sessions": .integer(Int64(count))]))
    page.logger.warning(
      "the owner of an account reports activity of somebody else",
      metadata: ["account": "\(page.account.text)", "endedSessions": "\(count)"])
    let hasPassword = try await pages.store.user(page.account)?.passwordHash != nil
    return page.redirect(to: ["account", hasPassword ? "password" : "methods"], notice: "activity.reported")
  }
}
