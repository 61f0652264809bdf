internal import Accounts
internal import Concurrency
internal import Foundation
internal import JourneyEngine
internal import JourneyFiles
internal import JourneyNodes
internal import JourneyStore
internal import Logging
internal import OpenIDProvider
internal import Operations
internal import Pages
internal import PushTransports
internal import RestAPI
internal import SSHAuthority
internal import SecurityEvents
internal import ServerHTTP
internal import ServiceLifecycle

/// What the server answers: the REST interface, the pages and OpenID Connect, over the same sessions.
struct ServerInterfaces: ServerPart {
  let openID: OpenIDProvider
  private let sessions: SessionAuthority
  private let pages: PageSite
  private let foundation: ServerFoundation
  private let nodes: NodeRuntime
  private let journeys: JourneyRuntime

  init(_ foundation: ServerFoundation, nodes: NodeRuntime, journeys: JourneyRuntime) async throws {
    (self.foundation, self.nodes, self.journeys) = (foundation, nodes, journeys)
    let (configuration, store, realms) = (foundation.configuration, foundation.store, journeys.realms)
    var deciding = nodes.services.accounts
    deciding.stepUpJourney = { realms.catalog.journey(reaching: $0, realm: $1) }
    sessions = try configuration.makeSessions(
      store: store, requests: foundation.requests, accounts: deciding)
    pages = try PageSite(store: store, sessions: sessions, realms: realms, events: foundation.events)
    openID = try await OpenIDProvider(
      try ClientFile(configuration.openIDClients, logger: configuration.logger), grants: StoredGrants(store),
      store: store,
      services: nodes.services, site: pages, themes: configuration.pageThemes,
      outgoing: foundation.outgoing, secrets: foundation.secrets, logger: configuration.logger)
  }

  /// Answers all requests.
  ///
  /// - Parameter weaknesses: of the configuration, for the administration's page.
  func responder(
    weaknesses: [Phrase], ledger: LedgerPublishing, connections: ServerConnections
  ) throws -> ServerResponder {
    let (configuration, metrics) = (foundation.configuration, foundation.metrics)
    let endpoints = endpoints(weaknesses: weaknesses, proofs: ledger.proofs, drain: connections.drain)
    return ServerResponder(
      routes: RouteTable(endpoints, realms: journeys.realms), limits: configuration.limits,
      bodies: BodyBudget(limit: configuration.limits.bodiesUnderWay, metrics: metrics),
      proxies: TrustedProxies(blocks: configuration.trustedProxies, isTLS: configuration.tls != nil),
      events: foundation.events,
      refusals: pages,
      crossOrigin: CrossOrigin(
        rules: try configuration.crossOrigin.checked(), sessionHeader: configuration.cookieName),
      sessions: sessions, drain: connections.drain, metrics: metrics, tracing: foundation.tracing,
      activity: foundation.activity, logger: configuration.logger)
  }

  private func endpoints(weaknesses: [Phrase], proofs: LedgerProofs, drain: Drain) -> [any Endpoint] {
    let configuration = foundation.configuration
    let rest = RestResources.endpoints(
      engine: journeys.engine, services: nodes.services, sessions: sessions,
      realms: journeys.realms, passwords: foundation.passwords, accounts: openID.accounts,
      proofs: proofs, queues: nodes.pushQueues, drain: drain, administrator: Administrator.username,
      ssh: sshAuthority,
      hasKey: { [secrets = foundation.secrets] in secrets.hasCurrentKey }, logger: configuration.logger)
    let pages = pages.endpoints(
      engine: journeys.engine, services: nodes.services, accounts: openID.accounts,
      activity: foundation.activity, themes: configuration.pageThemes, isLocal: configuration.isLocal,
      proofs: proofs, administration: administration(weaknesses))
    return rest + pages + openID.endpoints
  }

  private var sshAuthority: SSHAuthority {
    // The accounts of the sessions know which journey reaches a level.
    SSHAuthority(
      accounts: sessions.accounts, events: foundation.events, randomBytes: foundation.randomBytes,
      attestation: nodes.services.attestation,
      challenges: SSHChallenges { [secrets = foundation.secrets] in
        secrets.secrets(named: ServerKeyRotation.Secret.journeys, lifetime: SSHChallenges.lifetime)
      })
  }

  /// What the pages of the administration need from other parts.
  private func administration(_ weaknesses: [Phrase]) -> Administration.Parts {
    let configuration = foundation.configuration
    let checks = RunningServerChecks(
      configuration: configuration, advice: weaknesses, unavailable: journeys.unavailable,
      keys: foundation.store)
    return Administration.Parts(
      unavailable: journeys.unavailable, journeys: configuration.journeysDirectory,
      sharesAmongRealms: configuration.scripts.sharesAmongRealms, journeyReview: configuration.journeyReview,
      settings: { configuration.shown(port: $0) }, providers: configuration.identityProviders,
      clients: { [file = openID.file] in file.clients.all.map { ($0.id, $0.name, $0.realm) } },
      queues: nodes.pushQueues, checks: checks.all)
  }

  var backgroundServices: [any Service] {
    let (store, openID) = (foundation.store, openID)
    let clock = foundation.clock
    let (removal, started) = (Locked(RemovalTime(start: clock())), ContinuousClock.now)
    let expiry = RepeatedTask(
      description: "expiry", interval: .seconds(60), logger: foundation.logger,
      failure: "expired records could not be removed"
    ) {
      let uptime = started.duration(to: .now) / .seconds(1)
      let now = removal.withLock { $0.next(clock(), uptime: uptime) }
      try await store.removeExpired(now: now)
      try await openID.removeExpired()
    }
    return [expiry] + openID.backgroundServices(logoutNotices: foundation.configuration.logoutNoticeInterval)
  }
}
