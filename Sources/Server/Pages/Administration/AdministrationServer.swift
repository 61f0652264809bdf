internal import Accounts
internal import Foundation
internal import Hummingbird
internal import JourneyFiles
internal import JourneyNodes
internal import JourneyStore
internal import Operations
internal import PageTemplates
internal import PushTransports
internal import ServerHTTP
internal import StrictJSON

/// `/am/admin/server`: configuration and health: findings, keys and their age, clients and providers, push delivery. No secrets.
struct AdministrationServer: Endpoint {
  let administration: Administration
  let facts: Administration.Parts
  let findings: ServerFindings

  private static let mostClients = 100

  var routes: [Route] { [administration.route("/am/admin/server", isOfRoot: true, get: show)] }

  private func show(_ page: PageContext) async throws -> Response {
    let texts = page.texts
    let entries = try await page.site.store.read(ServerKeySQL.entries)
    let registered = facts.clients()
    let providers = page.site.realms.names.flatMap { realm in
      facts.providers.all(in: realm).map { (realm: realm, name: $0.name) }
    }
    let (checkedAt, found) = try await findings.all(at: page.now)
    return try page.administration(
      .adminServer, .server, title: texts["admin.server"],
      [
        "findings": .list(found.map { finding($0, page) }), "checked": page.time(checkedAt),
        "keys": .list(entries.map { key($0, page) }),
        "clients": .list(
          registered.prefix(Self.mostClients).map {
            ["id": .text($0.id), "name": .text($0.name), "realm": .text($0.realm)]
          }),
        "hasClients": .flag(!registered.isEmpty),
        "providers": .list(providers.map { ["name": .text($0.name), "realm": .text($0.realm)] }),
        "hasProviders": .flag(!providers.isEmpty),
        "queues": .list(
          facts.queues.report.map { name, counts in
            [
              "name": .text(name),
              "counts": .list(
                (counts.objectValue ?? JSONObject()).filter { $0.value.integerValue != nil }.map {
                  ["name": .text($0.name), "value": .text($0.value.text)]
                }),
            ]
          }), "hasQueues": .flag(!facts.queues.report.isEmpty),
        "settings": .list(
          facts.settings(page.visit.context.localPort).map {
            ["name": .text($0.name), "value": .text($0.value)]
          }),
      ])
  }

  /// The page where an administrator fixes what a check found; `nil` for what is fixed on the machine, as the advice says.
  private static func place(ofMending check: HealthCheck) -> [String]? {
    guard check.state == .failed || check.state == .warning else { return nil }
    return switch check.subject.id {
    case "uploads": ["admin", "upload"]
    case "journeys": ["admin", "journeys"]
    case "databaseLedger", "checkpoints": ["admin", "ledger"]
    default: nil
    }
  }

  private func finding(_ check: HealthCheck, _ page: PageContext) -> PageValue {
    let texts = page.texts
    let (state, kind) =
      switch check.state {
      case .ok: (texts["admin.checkOK"], "good")
      case .warning: (texts["admin.checkWarning"], "warn")
      case .failed: (texts["admin.checkFailed"], "bad")
      case .absent: (texts["admin.checkAbsent"], "")
      }
    return [
      "name": .text(check.subject.name.text(in: texts)), "text": .text(check.finding.text(in: texts)),
      "advice": .optional(check.advice?.text(in: texts)),
      "placeLink": Self.place(ofMending: check).map { .link(page.link($0)) } ?? .none,
      "state": .text(state), "kind": .text(kind),
    ]
  }

  private func key(_ entry: ServerKeyEntry, _ page: PageContext) -> PageValue {
    let texts = page.texts
    let (state, kind) =
      if entry.isRevoked {
        (texts["admin.keyRevoked"], "bad")
      } else if entry.isRetired {
        (texts["admin.keyRetired"], "")
      } else if entry.activatedAt != nil {
        (texts["admin.keyActive"], "good")
      } else {
        (texts["admin.keyAnnounced"], "warn")
      }
    // A database from before rotation does not know when its key was made.
    let since = entry.activatedAt ?? entry.announcedAt
    let isKnown = since.timeIntervalSince1970 > 0
    return [
      "id": .text(entry.id), "state": .text(state), "kind": .text(kind),
      "since": isKnown ? page.time(since) : .none,
      "age": isKnown
        ? .text(
          texts["admin.ageDays", ["days": String(max(0, Int(page.now.timeIntervalSince(since) / 86_400)))]])
        : .none,
    ]
  }
}
