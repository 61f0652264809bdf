internal import Accounts
internal import Concurrency
internal import Foundation
internal import Hummingbird
internal import JourneyFiles
internal import JourneyNodes
internal import JourneyStore
internal import Operations
internal import PageTemplates
internal import ProductVersion
internal import PushTransports
internal import ServerHTTP
internal import StrictJSON

/// `/am/admin/server`: what is configured and how it does: findings, keys and their age, clients and providers, push delivery. No secrets.
struct AdministrationServer: Endpoint {
  let administration: Administration
  let facts: ServerFacts

  private static let mostClients = 100

  /// What the checks found, for a while: some ask other programs.
  private let checked = Locked<(at: Date, found: [HealthCheck])?>(nil)
  private let turn = AsyncMutex()

  /// Seconds.
  private static let checkingInterval: TimeInterval = 60

  init(administration: Administration, facts: ServerFacts) {
    (self.administration, self.facts) = (administration, facts)
  }

  var routes: [Route] { [administration.route("/am/admin/server", isOfRoot: true, get: show)] }

  private func show(_ page: PageContext) async throws -> Response {
    let texts = page.texts
    let entries = try await facts.keys.keyEntries()
    let found = facts.clients()
    let providers = page.site.realms.names.flatMap { realm in
      facts.providers.all(in: realm).map { (realm: realm, name: $0.name) }
    }
    let (checkedAt, findings) = try await findings(page)
    return try page.administration(
      .adminServer, .server, title: texts["admin.server"],
      [
        "findings": .list(findings.map { finding($0, texts) }), "checked": page.time(checkedAt),
        "keys": .list(entries.map { key($0, page) }),
        "clients": .list(
          found.prefix(Self.mostClients).map {
            ["id": .text($0.id), "name": .text($0.name), "realm": .text($0.realm)]
          }),
        "hasClients": .flag(!found.isEmpty),
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
        "settings": .list(facts.settings.map { ["name": .text($0.name), "value": .text($0.value)] }),
      ])
  }

  /// One look at a time, and each is good for a while: whoever loads the page again and again keeps nobody waiting.
  private func findings(_ page: PageContext) async throws -> (at: Date, found: [HealthCheck]) {
    try await turn.withLock {
      let now = page.now
      if let known = checked.withLock({ $0 }), abs(now.timeIntervalSince(known.at)) < Self.checkingInterval {
        return known
      }
      let found = (at: now, found: try await facts.checks())
      checked.withLock { $0 = found }
      return found
    }
  }

  private func finding(_ check: HealthCheck, _ texts: Texts) -> PageValue {
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
