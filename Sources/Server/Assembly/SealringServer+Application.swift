internal import Concurrency
package import Hummingbird
internal import HummingbirdCore
internal import JourneyFiles
internal import JourneyStore
internal import Logging
internal import OpenIDProvider
internal import Operations
internal import PushService
internal import PushTransports
internal import SecurityEvents
package import ServerHTTP
internal import ServiceLifecycle
internal import StrictJSON
internal import UnixSignals

extension SealringServer {
  private func noteStart(port: Int) async {
    var detail: JSONObject = [
      "host": .string(configuration.host), "port": .integer(Int64(port)),
      "tls": .bool(configuration.tls != nil),
      "realms": .array(realms.names.map { .string($0) }),
      "weaknesses": .array(advice.map { .string($0) }),
    ]
    if let url = configuration.publicURL { detail["publicUrl"] = .string(url) }
    await events.note(SecurityEvent(.serverStarted, detail: detail))
  }

  /// The server as a Hummingbird application; tests use it without a socket.
  ///
  /// - Parameter ownsProcess: whether SIGHUP, which is the whole process's, reloads the certificate.
  package func application(
    ownsProcess: Bool = false, onListening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
  ) -> Application<ConnectionResponder> {
    let (certificate, gate) = (certificate, gate)
    let pipeline = ConnectionPipeline(
      limits: configuration.limits, drain: drain, metrics: metrics, closingTime: configuration.drainTime)
    return Application(
      responder: ConnectionResponder(responder),
      server: HTTPServerBuilder { responder in
        AcceptedConnections(
          pipeline: pipeline, gate: gate, certificate: certificate, responder: responder)
      },
      configuration: ApplicationConfiguration(
        address: .hostname(configuration.host, port: configuration.port), serverName: nil),
      services: backgroundTasks + pushQueues.services
        + (certificate.map { [CertificateRenewal(certificate: $0, signals: ownsProcess ? [.sighup] : [])] }
          ?? []),
      onServerRunning: { [configuration, listeningPort] channel in
        let port = channel.localAddress?.port ?? configuration.port
        listeningPort.withLock { $0 = port }
        await noteStart(port: port)
        await onListening(port)
      },
      logger: configuration.logger)
  }

  /// What is done again and again beside the requests.
  private var backgroundTasks: [any Service] {
    let (store, realms, clock, logger) = (store, realms, configuration.clock, configuration.logger)
    let (secrets, openID, activity) = (secrets, openID, activity)
    let (removal, started) = (Locked(RemovalTime(start: clock())), ContinuousClock.now)
    var tasks: [any Service] = [
      RepeatedTask(
        description: "decoy costs", interval: .seconds(3600), logger: logger,
        failure: "the costs of password hashes could not be counted", body: refreshDecoyCosts),
      // Another server on the same database may have created or deleted a realm.
      RepeatedTask(
        description: "realms", interval: .seconds(1), logger: logger,
        failure: "the realms could not be read", body: realms.refresh),
      // Somebody may rotate the server key, and the other servers then use it.
      RepeatedTask(
        description: "server keys", interval: .seconds(2), logger: logger,
        failure: "the server keys could not be looked at", body: secrets.refresh),
      RepeatedTask(
        description: "expiry", interval: .seconds(60), logger: logger,
        failure: "expired records could not be removed"
      ) {
        let uptime = started.duration(to: .now) / .seconds(1)
        let now = removal.withLock { $0.next(clock(), uptime: uptime) }
        try await store.removeExpired(now: now)
        try await openID.removeExpired(now: now)
        try await activity.removeOld(now: now)
      },
      RepeatedTask(
        description: "activity", interval: ActivityRecorder.interval, logger: logger,
        failure: "what has been going on could not be stored"
      ) { await activity.store(everything: false) },
      PushMessageWatcher(store: store, direct: direct, clock: clock, logger: logger),
    ]
    // Without clients there is nothing to read and nobody to tell.
    if openID.file.isConfigured {
      tasks.append(
        RepeatedTask(
          description: "clients", interval: .seconds(2), logger: logger,
          failure: "the clients could not be read", body: { openID.file.refresh() }))
      tasks.append(
        RepeatedTask(
          description: "logout notices", interval: configuration.logoutNoticeInterval, logger: logger,
          failure: "clients could not be told of sign-outs", body: { try await openID.notifier.run() }))
    }
    if configuration.watchesJourneys {
      tasks.append(
        RepeatedTask(
          description: "journey files", interval: .seconds(1), logger: logger,
          failure: "the journey files could not be looked at"
        ) {
          for change in try await realms.reloadIfChanged() { await events.note(.journeyChanged(change)) }
        })
    }
    tasks += publishers.map { publisher in
      RepeatedTask(
        description: "checkpoints", interval: .seconds(max(10, configuration.checkpoints.interval)),
        logger: logger, failure: "a checkpoint could not be published"
      ) { await publisher.publish() }
    }
    if let age = configuration.ledgerRetention {
      let retention = LedgerRetention(
        age: age, store: store, published: publishers.map { publisher in { await publisher.arrived } },
        events: events, clock: clock, uptime: { started.duration(to: .now) / .seconds(1) })
      tasks.append(
        RepeatedTask(
          description: "retention", interval: .seconds(600), logger: logger,
          failure: "the content of old entries could not be removed from the ledger", body: retention.run))
    }
    return tasks
  }
}
