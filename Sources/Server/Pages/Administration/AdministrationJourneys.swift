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

/// `/am/admin/journeys`: journeys as graphs with the counts of their runs, and the upload of new versions.
struct AdministrationJourneys: Endpoint {
  let administration: Administration
  let uploads: JourneyUploads

  /// Journeys of the operator that did not load at the start.
  let unavailable: [UnavailableJourney]

  /// Days for which connections are counted.
  private static let days = [1, 7, 30]

  /// The most differences that are shown.
  private static let shownChanges = 2000

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

  /// The file's name. The whole path is long, and only the operator's concern.
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
    let scale = choice("zoom", of: JourneyPicture.scales, standard: JourneyPicture.fit)
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
        "zooms": choices(
          JourneyPicture.scales, current: scale,
          { $0 == JourneyPicture.fit ? page.texts["admin.zoomFit"] : "\($0) %" }
        ) {
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
    // The link to a waiting upload shows what it would change.
    if problem == nil, let file = page.query["waiting"] {
      guard let upload = uploads.waiting(realm: page.realm).first(where: { $0.file == file }) else {
        return try await form(page, problem: page.texts["admin.uploadGone"])
      }
      do {
        return try show(
          try uploads.review(upload.export, realm: page.realm), export: "", waiting: upload, page)
      } catch let problem as JourneyUploads.Problem {
        return try await form(page, problem: problem.text(page.texts))
      }
    }
    return try page.administration(
      .adminUpload, .journeys, title: page.texts["admin.upload"], problem: problem,
      fields(page, export: export))
  }

  private func fields(_ page: PageContext, export: String, review: PageValue = .none) -> [String: PageValue] {
    let waiting = uploads.waiting(realm: page.realm)
    return [
      "export": .text(export), "hasFolder": .flag(uploads.folder != nil), "review": review,
      "uploadLink": .link(page.link(["admin", "upload"])),
      "journeysLink": .link(page.link(["admin", "journeys"])),
      "hasWaiting": .flag(!waiting.isEmpty),
      "waiting": .list(
        waiting.map {
          [
            "file": .text($0.file), "administrator": .text($0.administrator), "time": page.time($0.time),
            "waitingLink": .link(page.link(["admin", "upload"], [("waiting", $0.file)])),
          ]
        }),
    ]
  }

  /// Shows first what an upload would change. A second form, which names what was shown, puts it live. If scripts differ, a third form
  /// confirms that they were read.
  private func upload(_ form: PageForm, _ page: PageContext) async throws -> Response {
    let (export, file) = (form["export"] ?? "", form["file"] ?? "")
    let (base, readsCode) = (form["base"], form["scripts"] == "read")
    var waiting: WaitingUpload?
    do {
      switch form["do"] {
      case "live":
        let outcome = try await uploads.submit(
          export, base: base, readsCode: readsCode, by: page.session, at: page.now, realm: page.realm)
        return page.redirect(
          to: ["admin", "journeys"],
          notice: outcome == .live ? "admin.uploadLive" : "admin.uploadProposed")
      case "agree":
        waiting = uploads.waiting(realm: page.realm).first { $0.file == file }
        try await uploads.agree(
          to: file, base: base, readsCode: readsCode, by: page.session, realm: page.realm)
        return page.redirect(to: ["admin", "journeys"], notice: "admin.uploadLive")
      case "withdraw":
        try await uploads.withdraw(file, by: page.session, realm: page.realm)
        return page.redirect(to: ["admin", "upload"], notice: "admin.uploadWithdrawn")
      default: return try show(try uploads.review(export, realm: page.realm), export: export, page)
      }
    } catch JourneyUploads.Problem.changed(let review) {
      return try show(
        review, export: export, waiting: waiting, page, problem: page.texts["admin.uploadChanged"])
    } catch JourneyUploads.Problem.codeUnread(let review) {
      return try show(
        review, export: export, waiting: waiting, asksAgain: true, page,
        problem: page.texts["admin.uploadScripts"])
    } catch let problem as JourneyUploads.Problem {
      return try await self.form(page, problem: problem.text(page.texts), export: export)
    }
  }

  /// - Parameter asksAgain: whether the button says that the changed scripts were read.
  private func show(
    _ review: JourneyUploads.Review, export: String, waiting: WaitingUpload? = nil, asksAgain: Bool = false,
    _ page: PageContext, problem: String? = nil
  ) throws -> Response {
    let texts = page.texts
    let same = review.names.filter { name in
      !review.changes.contains { $0.realm == page.realm && $0.name == name }
    }
    let journeys =
      review.changes.map { Self.fields(of: $0, in: page) }
      + same.map { name -> PageValue in
        [
          "name": .text(name), "isNew": false, "isSame": true, "isGone": false, "changes": .list([]),
          "moreChanges": .none, "counts": .none, "before": .none, "after": .none,
        ]
      }
    let isOwn = waiting.map { JourneyUploads.isOwn($0, page.session) } ?? false
    return try page.administration(
      .adminUpload, .journeys, title: texts["admin.upload"], problem: problem,
      fields(
        page, export: export,
        review: [
          "base": .text(review.base), "file": .text(review.file), "journeys": .list(journeys),
          "warnings": .list(review.warnings.map { .text($0) }), "isClean": .flag(review.warnings.isEmpty),
          "asksAgain": .flag(asksAgain), "isUpload": .flag(waiting == nil),
          "needsSecond": .flag(uploads.reviewers == .two),
          "proposed": waiting.map { upload in
            [
              "file": .text(upload.file), "administrator": .text(upload.administrator),
              "time": page.time(upload.time), "isOwn": .flag(isOwn),
            ]
          } ?? .none,
        ]))
  }

  private static func fields(of change: JourneyChange, in page: PageContext) -> PageValue {
    let (texts, changes) = (page.texts, change.difference.changes)
    let counts = change.difference.counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    let realm = change.realm == page.realm ? "" : " (\(change.realm))"
    return [
      "name": .text(change.name + realm), "isNew": .flag(change.before == nil),
      "isGone": .flag(change.after == nil), "isSame": false,
      "counts": counts.isEmpty ? .none : .text(counts.joined(separator: ", ")),
      "before": .optional(change.before?.hash), "after": .optional(change.after?.hash),
      "changes": .list(changes.prefix(Self.shownChanges).map { fields(of: $0, texts) }),
      "moreChanges": changes.count > Self.shownChanges
        ? .text(texts["admin.moreChanges", ["count": String(changes.count - Self.shownChanges)]]) : .none,
    ]
  }

  private static func fields(of change: JourneyDifference.Change, _ texts: Texts) -> PageValue {
    let (word, kind) =
      switch change.kind {
      case .added: (texts["admin.changeAdded"], "good")
      case .removed: (texts["admin.changeRemoved"], "bad")
      case .changed: (texts["admin.changeChanged"], "warn")
      }
    let (before, after) = change.excerpts()
    let name = [change.part, change.node].compactMap(\.self).joined(separator: " ")
    let lines = change.lines?.lines ?? []
    return [
      "word": .text(word), "kind": .text(kind),
      "place": .text(
        [name.isEmpty ? texts["admin.changeJourney"] : name, change.property].compactMap(\.self)
          .joined(separator: " · ")),
      "before": .optional(before), "after": .optional(after), "hasLines": .flag(!lines.isEmpty),
      "lines": .list(
        lines.map { line in
          ["kind": .text(line.kind.rawValue), "text": .text(line.shown + "\n")]
        }),
    ]
  }
}
