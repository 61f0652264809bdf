internal import Accounts
internal import BindingFormats
internal import Foundation
internal import Hummingbird
internal import JourneyEngine
internal import JourneyFiles
internal import JourneyGraphs
internal import JourneyStore
internal import Operations
internal import PageTemplates
internal import SecurityEvents
internal import ServerHTTP
internal import StrictJSON

/// `/am/admin/journeys`: journeys as graphs, with what runs did in them, and a new version by upload.
struct AdministrationJourneys: Endpoint {
  let administration: Administration
  let uploads: JourneyUploads

  /// Journeys of the operator's that did not load at the start.
  let unavailable: [UnavailableJourney]

  /// Days for which connections are counted.
  private static let days = [1, 7, 30]

  /// Differences that are shown.
  private static let shownChanges = 200

  var routes: [Route] {
    [
      administration.route("/am/admin/journeys", get: list),
      administration.route("/am/admin/journeys/:id", get: show),
      administration.route(
        "/am/admin/upload", bodyLimit: \.uploadBody, get: { try await form($0) }, post: upload),
    ]
  }

  private func list(_ page: PageContext) async throws -> Response {
    let catalog = page.site.realms.catalog
    let warnings = Dictionary(
      grouping: catalog.warnings.filter { $0.realm == page.realm }, by: \.journey
    ).mapValues(\.count)
    let rows = catalog.summaries(realm: page.realm).map { journey -> PageValue in
      [
        "name": .text(journey.name), "description": .text(journey.description),
        "source": .text(Self.source(journey.source)), "level": .text(String(journey.guaranteedLevel)),
        "canStart": .flag(journey.canStart), "warnings": .optional(warnings[journey.name].map(String.init)),
        "journeyLink": .link(page.link(["admin", "journeys", journey.name])),
      ]
    }
    let lost = unavailable.filter {
      $0.realm == page.realm && catalog.document(journey: $0.name, realm: $0.realm) == nil
    }
    return try page.administration(
      .adminJourneys, .journeys, title: page.texts["admin.journeys"],
      [
        "journeys": .list(rows), "uploadLink": .link(page.link(["admin", "upload"])),
        "unavailable": lost.isEmpty
          ? .none : .list(lost.map { ["name": .text($0.name), "reason": .text($0.reason)] }),
      ])
  }

  /// The file's name: the whole path is the operator's affair, and long.
  private static func source(_ source: String) -> String {
    source.split(separator: "/").last.map(String.init) ?? source
  }

  private func show(_ page: PageContext) async throws -> Response {
    let (name, catalog) = (page.parameter("id"), page.site.realms.catalog)
    guard let summary = catalog.summaries(realm: page.realm).first(where: { $0.name == name }) else {
      throw ErrorResponse.notFound("There is no such journey.")
    }
    await administration.activity.store(everything: false)
    func choice(_ parameter: String, of values: [Int], standard: Int) -> Int {
      page.query[parameter].flatMap(Int.init).flatMap { values.contains($0) ? $0 : nil } ?? standard
    }
    let scale = choice("zoom", of: JourneyPicture.scales, standard: 100)
    let days = choice("days", of: Self.days, standard: 7)
    let counts = try await administration.store.edges(
      journey: name, realm: page.realm, since: page.now.addingTimeInterval(-Double(days) * 86_400))
    let picture = JourneyPicture(journey: name, in: page, scale: scale, counts: counts, run: nil)
    func choices(
      _ values: [Int], current: Int, _ text: (Int) -> String, _ query: (Int) -> [(String, String?)]
    )
      -> PageValue
    {
      .list(
        values.map { value in
          [
            "text": .text(text(value)), "isCurrent": .flag(value == current),
            "choiceLink": .link(page.link(["admin", "journeys", name], query(value))),
          ]
        })
    }
    let warnings = catalog.warnings.filter { $0.realm == page.realm && $0.journey == name }
    return try page.administration(
      .adminJourney, .journeys, title: name,
      [
        "name": .text(name), "description": .text(summary.description),
        "source": .text(Self.source(summary.source)), "level": .text(String(summary.guaranteedLevel)),
        "graph": picture?.fields ?? .none, "isTooLarge": .flag(picture == nil),
        "zooms": choices(JourneyPicture.scales, current: scale, { "\($0) %" }) {
          [("zoom", String($0)), ("days", String(days))]
        },
        "spans": choices(
          Self.days, current: days, { Self.name(ofDays: $0, page.texts) },
          { [("zoom", String(scale)), ("days", String($0))] }),
        "warnings": .list(warnings.map { .text("\($0)") }), "isClean": .flag(warnings.isEmpty),
        "journeysLink": .link(page.link(["admin", "journeys"])),
        "uploadLink": .link(page.link(["admin", "upload"])),
      ])
  }

  private static func name(ofDays days: Int, _ texts: Texts) -> String {
    switch days {
    case 1: texts["admin.spanDay"]
    case 7: texts["admin.spanWeek"]
    default: texts["admin.spanMonth"]
    }
  }

  // MARK: Upload

  private func form(_ page: PageContext, problem: String? = nil, export: String = "") async throws -> Response
  {
    try page.administration(
      .adminUpload, .journeys, title: page.texts["admin.upload"], problem: problem,
      [
        "export": .text(export), "hasFolder": .flag(uploads.folder != nil), "review": .none,
        "uploadLink": .link(page.link(["admin", "upload"])),
        "journeysLink": .link(page.link(["admin", "journeys"])),
      ])
  }

  /// First shows what would change; a second form, which names what it was shown, puts it live.
  private func upload(_ form: PageForm, _ page: PageContext) async throws -> Response {
    let export = form["export"] ?? ""
    do {
      let review = try uploads.review(
        Array(export.utf8), realm: page.realm, catalog: page.site.realms.catalog)
      guard form["do"] == "live" else { return try show(review, export: export, page) }
      guard form["base"] == review.base else {
        return try show(review, export: export, page, problem: page.texts["admin.uploadChanged"])
      }
      let sessions = page.site.sessions
      // How everybody signs in is worth as much as the administrator's own factors.
      try await sessions.accounts.requireProof(page.session.record, in: page.account.realm)
      try await sessions.require(.administrate, page.session, of: page.realm)
      try uploads.requireShare(of: page.account)
      // Before it is live: a change that nobody can find later must not be.
      for journey in review.journeys {
        try await page.site.events.require(
          SecurityEvent(
            .journeyChanged, realm: page.realm, actor: "\(page.account.username)@\(page.account.realm)",
            journey: journey.name,
            detail: ["file": .string(review.file), "changes": .integer(Int64(journey.changes.count))]))
      }
      try uploads.store(review, realm: page.realm)
      await page.site.realms.reloadNow()
      return page.redirect(to: ["admin", "journeys"], notice: "admin.uploadLive")
    } catch let problem as JourneyUploads.Problem {
      return try await self.form(page, problem: problem.text(page.texts), export: export)
    }
  }

  private func show(
    _ review: JourneyUploads.Review, export: String, _ page: PageContext, problem: String? = nil
  ) throws -> Response {
    let texts = page.texts
    let journeys = review.journeys.map { journey -> PageValue in
      [
        "name": .text(journey.name), "isNew": .flag(journey.isNew),
        "isSame": .flag(!journey.isNew && journey.changes.isEmpty),
        "changes": .list(
          journey.changes.prefix(Self.shownChanges).map { change in
            let (word, kind) =
              switch change.kind {
              case .added: (texts["admin.changeAdded"], "good")
              case .removed: (texts["admin.changeRemoved"], "bad")
              case .changed: (texts["admin.changeChanged"], "warn")
              }
            return [
              "word": .text(word), "kind": .text(kind),
              "place": .text(
                [change.node ?? texts["admin.changeJourney"], change.property].compactMap(\.self)
                  .joined(separator: " · ")),
              "before": .optional(change.before.map(Self.shortened)),
              "after": .optional(change.after.map(Self.shortened)),
            ]
          }),
        "moreChanges": journey.changes.count > Self.shownChanges
          ? .text(
            texts["admin.moreChanges", ["count": String(journey.changes.count - Self.shownChanges)]]) : .none,
      ]
    }
    return try page.administration(
      .adminUpload, .journeys, title: texts["admin.upload"], problem: problem,
      [
        "export": .text(export), "hasFolder": true,
        "review": [
          "base": .text(review.base), "file": .text(review.file), "journeys": .list(journeys),
          "warnings": .list(review.warnings.map { .text($0) }), "isClean": .flag(review.warnings.isEmpty),
        ],
        "uploadLink": .link(page.link(["admin", "upload"])),
        "journeysLink": .link(page.link(["admin", "journeys"])),
      ])
  }

  private static func shortened(_ value: JSONValue) -> String {
    value.text.count <= 200 ? value.text : value.text.prefix(199) + "…"
  }
}
