internal import Foundation
internal import JourneyEngine
internal import JourneyFiles
internal import JourneyNodes
internal import JourneyStore
internal import Logging
internal import Operations
internal import RestAPI
internal import SecurityEvents
internal import ServiceLifecycle

/// The journeys of all realms, and the engine that runs them.
struct JourneyRuntime: ServerPart {
  let realms: RealmDirectory
  let engine: JourneyEngine

  /// The operator's journeys that did not load.
  let unavailable: [UnavailableJourney]

  /// The names of the journeys of all realms, at the start.
  let names: Set<String>
  private let foundation: ServerFoundation

  init(_ foundation: ServerFoundation, nodes: NodeRuntime) throws {
    let configuration = foundation.configuration
    self.foundation = foundation
    let registry = NodeLibrary.registry(services: nodes.services).adding(configuration.furtherNodes)
    // Before the files are read: what changes meanwhile is loaded again.
    let fingerprint = configuration.journeysDirectory.map { JourneyFolder.fingerprint(of: $0) } ?? []
    let journeys = try Self.load(registry, foundation)
    let realmNames = foundation.realmNames
    realms = RealmDirectory(
      RealmDirectory.Snapshot(
        version: foundation.storedRealms.version, names: realmNames,
        created: foundation.storedRealms.created, catalog: journeys.catalog),
      from: configuration.realmSources, store: foundation.store, registry: registry, fingerprint: fingerprint,
      policies: nodes.policies, clock: configuration.clock, logger: configuration.logger)
    engine = Self.engine(realms, foundation)
    unavailable = journeys.unavailable
    names = Set(realmNames.flatMap { journeys.catalog.summaries(realm: $0).map(\.name) })
  }

  private static func load(
    _ registry: NodeRegistry, _ foundation: ServerFoundation
  ) throws -> JourneyLoading {
    let configuration = foundation.configuration
    var journeys = JourneyLoading(
      registry: registry, realms: foundation.realmNames, logger: configuration.logger)
    try journeys.load(configuration.bundledJourneys, isPublic: StartupAdvice.isPublic(configuration))
    if let directory = configuration.journeysDirectory {
      try journeys.load(directory: directory, isStrict: configuration.requiresAllJourneys)
      if configuration.refusesJourneyDeviations { try journeys.refuseDeviations() }
    }
    journeys.logWarnings()
    return journeys
  }

  private static func engine(_ realms: RealmDirectory, _ foundation: ServerFoundation) -> JourneyEngine {
    let (configuration, store, secrets) = (foundation.configuration, foundation.store, foundation.secrets)
    // Keys outlive a journey by a minute, for servers whose clocks differ. A client that waits for a link has an `authId`, too.
    let sealedLife = max(configuration.journeyTimeout, configuration.suspendedJourneyTimeout) + 60
    let sealingKeys = SealingKeys()
    return JourneyEngine(
      catalogs: { realms.catalog },
      sealing: {
        sealingKeys.keys(
          of: secrets.secrets(named: ServerKeyRotation.Secret.journeys, lifetime: sealedLife))
      },
      beforeRequests: secrets.refreshIfOld,
      steps: StoredStepLedger(store: store), clock: configuration.clock,
      randomBytes: configuration.randomBytes, lifetime: configuration.journeyTimeout,
      logger: configuration.logger,
      observer: JourneyMetrics(
        metrics: foundation.metrics, tracing: foundation.tracing, other: configuration.journeyObserver),
      suspension: JourneySuspension(
        store: StoredSuspensions(store: store, requests: foundation.requests),
        lifetime: configuration.suspendedJourneyTimeout))
  }

  var backgroundServices: [any Service] {
    let (logger, events) = (foundation.logger, foundation.events)
    // Another server on the same database may have created or deleted a realm.
    let refresh = RepeatedTask(
      description: "realms", interval: .seconds(1), logger: logger, failure: "the realms could not be read",
      body: realms.refresh)
    guard foundation.configuration.watchesJourneys else { return [refresh] }
    let reload = RepeatedTask(
      description: "journey files", interval: .seconds(1), logger: logger,
      failure: "the journey files could not be looked at"
    ) { [realms] in
      for change in try await realms.reloadIfChanged() { await events.note(.journeyChanged(change)) }
    }
    return [refresh, reload]
  }
}
