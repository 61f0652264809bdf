internal import Concurrency
internal import Foundation
internal import JourneyFiles
internal import JourneyStore
internal import Logging
internal import Operations
internal import PasswordHashing
internal import PushTransports
internal import SecurityEvents
internal import ServerHTTP
internal import ServiceLifecycle

/// The foundation of the other parts: configuration, store, keys, limits, metrics and records.
struct ServerFoundation: ServerPart {
  let configuration: ServerConfiguration
  let store: any ServerStore
  let metrics: ServerMetrics
  let tracing: ServerTracing
  let exporter: OTLPExporter?
  let passwords: PasswordHasher
  let events: SecurityEvents

  /// The secrets that are made anew with each server key.
  let secrets: RotatingSecrets
  let requests: RequestLimits

  /// Stores activity for pages and plots.
  let activity: ActivityRecorder

  /// Sends the server's own requests.
  let outgoing = OutgoingClient()

  /// The port that is listened on, once it is.
  let listeningPort: Locked<Int>
  let storedRealms: RealmList

  /// - Throws: ``ServerSetupError``, or what the store throws.
  init(_ configuration: ServerConfiguration, store: any ServerStore) async throws {
    let (clock, randomBytes, logger) = (configuration.clock, configuration.randomBytes, configuration.logger)
    (self.configuration, self.store) = (configuration, store)
    metrics = configuration.makeMetrics()
    (tracing, exporter) = try configuration.makeTracing(metrics: metrics)
    passwords = PasswordHasher(
      cost: configuration.passwordCost, queueLimit: configuration.limits.waitingPasswords,
      randomBytes: randomBytes, observer: metrics.hashing)
    events = SecurityEvents(
      sink: metrics.counting(try await configuration.makeEventSink()), clock: clock, logger: logger)
    secrets = RotatingSecrets(store: store, clock: clock, randomBytes: randomBytes, logger: logger)
    requests = RequestLimits(configuration.limits, clock: clock, metrics: metrics)
    activity = ActivityRecorder(
      activity: StoredActivity(store, randomBytes: randomBytes), clock: clock, logger: logger)
    listeningPort = Locked(configuration.port)
    try await secrets.refresh()
    storedRealms = try await store.realms()
    try configuration.requireFactorChangesOfKnownRealms(realmNames)
  }

  var clock: @Sendable () -> Date { configuration.clock }
  var randomBytes: @Sendable (Int) -> [UInt8] { configuration.randomBytes }
  var logger: Logger { configuration.logger }

  /// The configured realms, then the created ones.
  var realmNames: [String] {
    RealmDirectory.names(configured: configuration.realms, stored: storedRealms.names)
  }

  /// The secret of that name, which all servers on the store share.
  func secret(_ name: String) async throws -> [UInt8] {
    try await store.secret(named: name) { randomBytes(32) }
  }

  var backgroundServices: [any Service] {
    [
      // Somebody may rotate the server key, and the other servers then use it.
      RepeatedTask(
        description: "server keys", interval: .seconds(2), logger: logger,
        failure: "the server keys could not be looked at", body: secrets.refresh),
      RepeatedTask(
        description: "activity", interval: ActivityRecorder.interval, logger: logger,
        failure: "what has been going on could not be stored"
      ) { [activity] in await activity.store(everything: false) },
    ]
  }
}
