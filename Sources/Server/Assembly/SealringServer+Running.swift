internal import Concurrency
internal import JourneyNodes
internal import JourneyScripts
internal import JourneyStore
internal import Logging
internal import MailService
internal import OpenIDProvider
internal import Operations
internal import PushTransports
internal import SecurityEvents
internal import ServerHTTP
internal import ServiceLifecycle
internal import UnixSignals

extension SealringServer {
  /// How long requests may continue after their connections were cut. Then their tasks are cancelled.
  private static let cuttingTime = Duration.seconds(1)

  /// Serves until the task is cancelled or a surrounding service group shuts down gracefully; then finishes the requests that it
  /// has begun within ``ServerConfiguration/drainTime``, cuts and logs the others, and closes the store.
  ///
  /// - Parameter onListening: called once connections are accepted, with the port.
  /// - Throws: when the address cannot be listened on, or the store cannot be closed.
  public func run(onListening: @escaping @Sendable (_ port: Int) async -> Void) async throws {
    try await run(signals: [], onListening: onListening)
  }

  /// The same, for a process of its own: SIGTERM and SIGINT shut it down gracefully, SIGHUP loads the certificate again.
  public func runUntilSignal(onListening: @escaping @Sendable (_ port: Int) async -> Void) async throws {
    try await run(signals: [.sigterm, .sigint], onListening: onListening)
  }

  private func run(
    signals: [UnixSignal], onListening: @escaping @Sendable (_ port: Int) async -> Void
  ) async throws {
    var group = ServiceGroupConfiguration(
      // Services stop last to first, so that the metrics show the server stopping, and the last spans are sent.
      services: (foundation.exporter.map { [$0] } ?? []) + metricsServices + [
        DrainedService(
          served: application(ownsProcess: !signals.isEmpty, onListening: onListening), drain: drain,
          time: .seconds(configuration.drainTime)),
        DrainNotice(drain: drain, time: .seconds(configuration.drainNotice)),
      ], gracefulShutdownSignals: signals, logger: configuration.logger)
    group.maximumGracefulShutdownDuration =
      .seconds(configuration.drainNotice + configuration.drainTime) + Self.cuttingTime
      + (foundation.exporter == nil ? .zero : OTLPExporter.farewell)
    do { try await ServiceGroup(configuration: group).run() } catch {
      if error is CancellationError { await noteStop() }
      try? await close()
      // Asked to stop, by cancellation or by the limit above.
      guard error is CancellationError else { throw error }
      return
    }
    await noteStop()
    try await close()
  }

  /// The services that let metrics be read, or pass them on.
  private var metricsServices: [any Service] {
    guard metrics.factory != nil else { return [] }
    guard let prometheus = metrics.factory as? PrometheusMetrics, let port = configuration.metricsPort else {
      let collection = collection
      return [
        RepeatedTask(
          description: "metrics", interval: .seconds(10), logger: configuration.logger,
          failure: "the metrics could not be collected"
        ) { await collection.collect() }
      ]
    }
    return [
      MetricsService(
        responder: MetricsResponder(
          metrics: prometheus, collect: { [collection] in await collection.collect() },
          isLoopback: ServerRelyingParty.isLoopback(configuration.metricsHost)),
        pipeline: ConnectionPipeline(
          limits: ServerLimits(), drain: drain, closingTime: configuration.drainTime),
        host: configuration.metricsHost, port: port, logger: configuration.logger
      ) { [metricsPort] port in metricsPort.withLock { $0 = port } }
    ]
  }

  /// Runs in a task of its own, which nobody has cancelled.
  private func noteStop() async {
    await Task { [events] in await events.note(SecurityEvent(.serverStopped)) }.value
  }

  /// How long mail may take to leave when the server stops. Seconds.
  private static let mailTime = 5.0

  /// Closes the store of a server that was made and not run.
  public func close() async throws {
    await mail?.close(within: Self.mailTime)
    nodes.scriptWorkers.close()
    try? await secrets.leave()
    await foundation.outgoing.close()
    await activity.store(everything: true)
    try await store.close()
  }
}
