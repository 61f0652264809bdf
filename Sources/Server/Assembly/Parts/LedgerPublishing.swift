internal import Foundation
internal import JourneyStore
internal import Logging
internal import Operations
internal import SecurityEvents
internal import ServerHTTP
internal import ServiceLifecycle

/// The ledger's proofs, its published checkpoints, and the retention of its content.
struct LedgerPublishing: ServerPart {
  let proofs: LedgerProofs
  let publishers: [CheckpointPublisher]
  private let foundation: ServerFoundation

  /// What says what time it was before this server wrote anything.
  private let newest: Date?

  init(_ foundation: ServerFoundation) async throws {
    self.foundation = foundation
    let (configuration, store) = (foundation.configuration, foundation.store)
    publishers = try configuration.makePublishers(store: store, events: foundation.events)
    proofs = LedgerProofs(archive: try StoreOpening.place(configuration).ledgerArchive(of: store))
    newest = configuration.ledgerRetention == nil ? nil : try await LedgerRetention.newest(in: store)
  }

  var backgroundServices: [any Service] {
    let configuration = foundation.configuration
    var services: [any Service] = publishers.map { publisher in
      RepeatedTask(
        description: "checkpoints", interval: .seconds(max(10, configuration.checkpoints.interval)),
        logger: foundation.logger, failure: "a checkpoint could not be published"
      ) { await publisher.publish() }
    }
    if let age = configuration.ledgerRetention {
      let started = ContinuousClock.now
      let retention = LedgerRetention(
        age: age, store: foundation.store, newest: newest,
        published: publishers.map { publisher in { await publisher.arrived } }, events: foundation.events,
        clock: foundation.clock, uptime: { started.duration(to: .now) / .seconds(1) },
        logger: foundation.logger)
      services.append(
        RepeatedTask(
          description: "retention", interval: .seconds(600), logger: foundation.logger,
          failure: "the content of old entries could not be removed from the ledger", body: retention.run))
    }
    return services
  }
}
