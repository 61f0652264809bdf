internal import Accounts
internal import Foundation
internal import JourneyFiles
internal import JourneyStore
internal import Operations
internal import SecurityEvents
internal import ServerHTTP

/// The parts of a server as its configuration asks for them.
extension ServerConfiguration {
  func makeMetrics() -> ServerMetrics {
    ServerMetrics(factory: metricsFactory ?? metricsPort.map { _ in PrometheusMetrics() })
  }

  /// - Returns: the exporter is `nil` when nothing sends spans, or the program that embeds the server does.
  func makeTracing(metrics: ServerMetrics) throws(ServerSetupError) -> (ServerTracing, OTLPExporter?) {
    if let tracer { return (ServerTracing(tracer: tracer), nil) }
    guard let traceEndpoint else { return (.none, nil) }
    return try ServerTracing.exporting(
      to: traceEndpoint, ratio: traceRatio, metrics: metrics, logger: logger, randomBytes: randomBytes)
  }

  /// The sink of security events: the configured file, else one in the data folder.
  ///
  /// - Throws: ``ServerSetupError`` when the file cannot be written.
  func makeEventSink() async throws -> (any SecurityEventSink)? {
    if let eventSink { return eventSink }
    let folder = try StoreOpening.place(self).folder
    guard let path = eventsFile ?? folder?.appending(path: "events.jsonl") else { return nil }
    let file = EventFile(path: path.path, sizeLimit: eventsFileSize, keep: eventsFilesKept)
    do { try await file.open() } catch {
      throw ServerSetupError("\(error) Choose another file with --events.")
    }
    return file
  }

  var realmSources: RealmDirectory.Sources {
    RealmDirectory.Sources(
      realms: realms, bundled: bundledJourneys, isPublic: StartupAdvice.isPublic(self),
      directory: journeysDirectory, longestRun: 2 * journeyTimeout + suspendedJourneyTimeout)
  }

  func makeSessions(
    store: any ServerStore, requests: RequestLimits, accounts: Accounts
  ) throws -> SessionAuthority {
    try SessionAuthority(
      cookieName: cookieName, isAlwaysSecure: secureCookie || tls != nil, idleTime: sessionIdleTime,
      lifetime: sessionLifetime,
      at: try BaseAddress(publicURL, realms: realmURLs, basePath: try BasePath(parsing: basePath)),
      store: store, requests: requests, accounts: accounts, clock: clock, randomBytes: randomBytes)
  }

  func makePublishers(store: any ServerStore, events: SecurityEvents) throws -> [CheckpointPublisher] {
    guard !checkpoints.isEmpty else { return [] }
    let place = try StoreOpening.place(self)
    return try CheckpointPublisher.all(
      checkpoints, of: place.ledgerArchive(of: store), folder: place.folder, clock: clock, events: events,
      logger: logger)
  }
}
