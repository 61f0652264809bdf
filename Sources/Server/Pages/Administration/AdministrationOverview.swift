internal import Bytes
internal import Concurrency
internal import Crypto
internal import Foundation
internal import Hummingbird
internal import JourneyFiles
internal import JourneyStore
internal import Operations
package import PageTemplates
package import Plots
internal import ServerHTTP
internal import StrictJSON

/// `/am/admin/`: sign-ins, outcomes, latency and load as plots, and `/am/admin/devices`: how many devices there are of which kind.
struct AdministrationOverview: Endpoint {
  let administration: Administration
  let findings: ServerFindings

  /// The cached counts of devices by realm. A count reads all devices.
  private let counted = Locked<[String: (at: Date, counts: [DeviceCount])]>([:])
  private let turn = AsyncMutex()

  /// Seconds.
  private static let countingInterval: TimeInterval = 60

  var routes: [Route] {
    [
      administration.route("/am/admin/", get: show),
      administration.watch("/am/admin/plots", get: news),
      administration.route("/am/admin/devices", get: devices),
    ]
  }

  private func show(_ page: PageContext) async throws -> Response {
    // Administrators of all realms want to see the realm that has people.
    if page.visit.realm == nil, page.realm == "root", let people = page.site.realms.snapshot.forPeople {
      return PageVisit.redirect(to: page.visit.link(to: people, with: []))
    }
    let texts = page.texts
    let span = Self.span(page)
    let (drawn, figures) = try await drawn(page)
    return try page.administration(
      .adminOverview, .overview, title: texts["admin.overview"],
      [
        "plots": .list(drawn.map(\.fields)), "figures": .list(figures),
        "live": [
          "plotsLink": .link(page.link(["admin", "plots"], [("span", span.rawValue)])),
          "againLink": .link(page.visit.link(to: page.visit.realm, with: [])),
          "moduleLink": .link(PageLink(root: page.visit.root, path: ["assets", "plots.js"])),
          "mark": .text(Self.mark(of: drawn)), "every": .text(String(span.refreshInterval)),
          "working": .text(texts["admin.plotsLive"]),
        ],
        "spans": .list(
          ActivityPlots.Span.allCases.map { choice in
            [
              "text": .text(Self.name(of: choice, texts)), "isCurrent": .flag(choice == span),
              "choiceLink": .link(page.link(["admin", ""], [("span", choice.rawValue)])),
            ]
          }),
      ])
  }

  /// `/am/admin/plots`: the plots, if they differ from those of the mark `after`, and the mark for the next request.
  private func news(_ page: PageContext) async throws -> Response {
    let (drawn, figures) = try await drawn(page)
    let mark = Self.mark(of: drawn)
    var answer: JSONObject = ["mark": .string(mark)]
    if page.query["after"] != mark {
      answer["plots"] = .array(drawn.map(\.fields.json))
      answer["figures"] = .array(figures.map(\.json))
    }
    return PageSite.answer(.object(answer))
  }

  private static func span(_ page: PageContext) -> ActivityPlots.Span {
    page.query["span"].flatMap { ActivityPlots.Span(rawValue: $0) } ?? .hour
  }

  /// A text that changes when any of the plots changes.
  private static func mark(of plots: [DrawnPlot]) -> String { plots.map(\.version).joined(separator: "-") }

  /// A plot's line or bars, with the colour's number in the style sheet and the total for the legend.
  private typealias Series = (name: String, values: [Double?], total: String?, colour: Int)

  /// The colour of a kind of responses: calm, pale, amber, red.
  private static func colour(ofAnswers kind: String) -> Int {
    switch kind.first {
    case "3": 4
    case "4": 3
    case "5": 1
    default: 0
    }
  }

  private func drawn(_ page: PageContext) async throws -> (plots: [DrawnPlot], figures: [PageValue]) {
    await administration.activity.store(everything: false)
    let texts = page.texts
    let plots = ActivityPlots(Self.span(page), now: page.now)
    let ended = plots.sums(try await counts(.signIns, plots, realm: page.realm))
    let refusals = plots.sums(try await counts(.refusals, plots, realm: page.realm))
    let latency = try await counts(.latency, plots, realm: page.realm)
    let none = Array(repeating: 0.0, count: plots.span.count)
    func time(_ share: Double) -> String? {
      plots.quantile(ofAll: share, latency).map { "\(Int($0)) ms" }
    }
    let (successes, failures) = (ended["success"] ?? none, ended["failure"] ?? none)
    var drawn = [
      plot(
        texts["admin.plotSignIns"], .bars,
        [
          (texts["admin.stateSuccess"], successes, Self.sum(successes), 0),
          (texts["admin.stateFailure"], failures, Self.sum(failures), 1),
        ],
        plots),
      // The few kinds of nodes that refuse most.
      plot(
        texts["admin.plotRefusals"], .bars,
        refusals.sorted { ($0.value.reduce(0, +), $1.key) > ($1.value.reduce(0, +), $0.key) }.prefix(5)
          .enumerated().map { ($1.key, $1.value, Self.sum($1.value), $0) }, plots),
      plot(
        texts["admin.plotLatency"], .lines,
        [
          (texts["admin.plotMedian"], plots.quantile(0.5, latency), time(0.5), 0),
          (texts["admin.plotSlowest"], plots.quantile(0.95, latency), time(0.95), 1),
        ], plots, unit: " ms"),
    ]
    var figures = [
      Self.figure(texts["admin.plotSignIns"], Self.sum(successes)),
      Self.figure(texts["admin.stateFailure"], Self.sum(failures)),
      Self.figure(texts["admin.plotSlowest"], time(0.95) ?? "–"),
    ]
    if page.session.record.realm == "root" {
      drawn.append(try await load(page, plots))
      figures.append(try await openFindings(page))
    }
    return (drawn, figures)
  }

  private func counts(
    _ series: ActivityCount.Series, _ plots: ActivityPlots, realm: String
  ) async throws -> [ActivityCount] {
    try await administration.store.counts(
      series, plots.span.grain, realm: realm, from: plots.from, to: plots.to)
  }

  private static func sum(_ values: [Double]) -> String { String(Int(values.reduce(0, +))) }

  /// The requests of the whole server.
  private func load(_ page: PageContext, _ plots: ActivityPlots) async throws -> DrawnPlot {
    let requests = plots.sums(try await counts(.requests, plots, realm: "root"))
    return plot(
      page.texts["admin.plotRequests"], .bars,
      requests.sorted { $0.key < $1.key }.map {
        ($0.key, $0.value, Self.sum($0.value), Self.colour(ofAnswers: $0.key))
      }, plots)
  }

  /// The count of the whole server's open findings, with a link to their page, for those who may see it.
  private func openFindings(_ page: PageContext) async throws -> PageValue {
    let open = try await findings.openCount(at: page.now)
    return Self.figure(
      page.texts["admin.openFindings"], String(open), link: open == 0 ? nil : page.link(["admin", "server"]))
  }

  private static func figure(_ name: String, _ figure: String, link: PageLink? = nil) -> PageValue {
    ["name": .text(name), "figure": .text(figure), "figureLink": link.map { .link($0) } ?? .none]
  }

  private static func name(of span: ActivityPlots.Span, _ texts: Texts) -> String {
    switch span {
    case .hour: texts["admin.spanHour"]
    case .day: texts["admin.spanDay"]
    case .week: texts["admin.spanWeek"]
    case .month: texts["admin.spanMonth"]
    case .year: texts["admin.spanYear"]
    }
  }

  private func plot(
    _ title: String, _ form: PlotDrawing.Form, _ series: [Series],
    _ plots: ActivityPlots, unit: String = ""
  ) -> DrawnPlot {
    let drawing = PlotDrawing(
      form: form, series: series.map { PlotDrawing.Series(name: $0.name, values: $0.values) },
      places: plots.places, unit: unit, frame: .page)
    return DrawnPlot(
      drawing.fields(
        title: title,
        colours: series.map(\.colour),
        legend: series.map { series in
          [
            "series": .text("series-\(series.colour)"), "name": .text(series.name),
            "total": .optional(series.total),
          ]
        }))
  }

  // MARK: Devices

  private func devices(_ page: PageContext) async throws -> Response {
    let (at, counts) = try await deviceCounts(page)
    let kinds = Dictionary(grouping: counts, by: \.kind).sorted { $0.key < $1.key }
    return try page.administration(
      .adminDevices, .devices, title: page.texts["admin.devices"],
      [
        "counted": page.time(at), "isEmpty": .flag(counts.isEmpty),
        "kinds": .list(
          kinds.map { kind, counts in
            [
              "kindName": .text(AdministrationUsers.name(ofKind: kind, page.texts)),
              "total": .text(String(counts.reduce(0) { $0 + $1.count })),
              "models": .list(
                counts.map { count in
                  [
                    "model": .text(count.model.isEmpty ? "–" : count.model),
                    "attestation": .text(
                      count.attestation == "none" ? page.texts["admin.notAttested"] : count.attestation),
                    "isAttested": .flag(count.attestation != "none"), "count": .text(String(count.count)),
                  ]
                }),
            ]
          }),
      ])
  }

  /// Counts one at a time and keeps the result for a while, so that repeated requests keep nobody waiting.
  private func deviceCounts(_ page: PageContext) async throws -> (at: Date, counts: [DeviceCount]) {
    try await turn.withLock {
      let now = page.now
      if let known = counted.withLock({ $0[page.realm] }),
        abs(now.timeIntervalSince(known.at)) < Self.countingInterval
      {
        return known
      }
      let found = (at: now, counts: try await administration.store.deviceCounts(realm: page.realm))
      counted.withLock { $0[page.realm] = found }
      return found
    }
  }
}

/// A plot as the template `adminPlot` and the page's script draw it.
private struct DrawnPlot {
  /// A text that differs whenever the plot looks different.
  let version: String
  let fields: PageValue

  private static let digits = 16

  init(_ plot: [String: PageValue]) {
    let digest = SHA256.hash(data: Data(PageValue.fields(plot).json.serialized))
    version = String(Array(digest).hexadecimal.prefix(Self.digits))
    fields = .fields(plot.merging(["version": .text(version)]) { plot, _ in plot })
  }
}

extension PlotFrame {
  /// The frame of the template `adminPlot`. Narrower bars could not be pointed at.
  package static let page = PlotFrame(
    width: 720, height: 180, left: 48, right: 8, top: 10, bottom: 24, parts: 2, labels: 6, stand: .middle,
    most: 400)
}

extension PlotDrawing {
  /// The fields of the template `adminPlot`.
  ///
  /// - Parameter colours: each series' number in the style sheet.
  package func fields(title: String, colours: [Int], legend: [PageValue]) -> [String: PageValue] {
    let shapes = shapes
    func fields(_ shape: Any, _ series: Int) -> PageValue {
      .fields(PageValue.properties(of: shape).merging(["series": .text("series-\(colours[series])")]) { $1 })
    }
    return [
      "title": .text(title), "legend": .list(legend),
      "isEmpty": .flag(shapes.bars.isEmpty && shapes.dots.isEmpty),
      "grid": PageValue(reflecting: shapes.grid), "labels": PageValue(reflecting: shapes.labels),
      "bars": .list(shapes.bars.map { fields($0, $0.series) }),
      "lines": .list(shapes.lines.map { fields((path: $0.path, series: $0.series), $0.series) }),
      "dots": .list(shapes.dots.map { fields($0, $0.series) }),
    ]
  }
}
