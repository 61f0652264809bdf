internal import Accounts
internal import AppIntegrity
internal import Concurrency
internal import Foundation
internal import JourneyFiles
internal import JourneyNodes
internal import JourneyScripts
internal import JourneyStore
internal import KeyAttestation
internal import Logging
internal import MailService
internal import Operations
internal import PasswordHashing
internal import PasswordRules
internal import PushService
internal import PushTransports
internal import SecurityEvents
internal import ServiceLifecycle

/// What the nodes of journeys work with, and what runs for them: mail, pushes, scripts, and other providers.
struct NodeRuntime: ServerPart {
  let services: NodeServices
  let policies: PolicyFolder
  let scriptWorkers: ScriptWorkers
  let pushQueues: PushQueues

  /// The queue of outgoing mail; `nil` when mail cannot be sent.
  let mail: MailQueue?
  private let foundation: ServerFoundation

  /// Lets checks for unknown names cost what checks for accounts do.
  private let refreshDecoyCosts: @Sendable () async throws -> Void

  /// The requests that wait for messages here.
  var direct: PollWaiters { services.push.direct }

  init(_ foundation: ServerFoundation) async throws {
    let (configuration, store) = (foundation.configuration, foundation.store)
    self.foundation = foundation
    pushQueues = PushQueues(
      configuration.push, store: store, clock: configuration.clock, randomBytes: configuration.randomBytes,
      logger: configuration.logger)
    var services = try await Self.services(foundation, push: pushQueues)
    let mail = try Self.mailQueue(configuration, store: store)
    self.mail = mail
    services.mail = NodeMail(
      sender: configuration.mail.sender, senderName: configuration.mail.senderName
    ) { mail?.send($0) }
    try await Self.index(foundation)
    policies = try PolicyFolder(configuration.journeysDirectory, logger: configuration.logger)
    let scripts = configuration.scripts.services(
      cookieName: configuration.cookieName, policies: policies, logger: configuration.logger)
    services.scripts = scripts
    scriptWorkers = scripts.workers
    if !configuration.identityProviders.isEmpty {
      services.federation = FederationServices(
        providers: configuration.identityProviders, identities: services.identities,
        transformer: ProfileScripts(services: services),
        transport: ProviderHTTP(client: foundation.outgoing), clock: configuration.clock,
        randomBytes: configuration.randomBytes)
    }
    self.services = services
    let (passwords, decoySecret) = (foundation.passwords, try await foundation.secret("password decoys"))
    refreshDecoyCosts = {
      passwords.setDecoys(like: try await store.passwordHashKinds(), secret: decoySecret)
    }
    try await refreshDecoyCosts()
  }

  /// The services that need nothing but the foundation.
  private static func services(
    _ foundation: ServerFoundation, push queues: PushQueues
  ) async throws -> NodeServices {
    let (configuration, clock) = (foundation.configuration, foundation.clock)
    var services = NodeServices(
      store: foundation.store, passwords: foundation.passwords, clock: clock,
      randomBytes: foundation.randomBytes,
      decoys: DecoyCredentials(secret: try await foundation.secret("decoy credentials")),
      knownDevices: knownDevices(foundation))
    services.attestation = configuration.attestation.verifier(clock: clock)
    services.webAuthn = configuration.webAuthn
    services.relyingParty = ServerRelyingParty.provider(configuration) { [port = foundation.listeningPort] in
      port.withLock { $0 }
    }
    services.push = PushSenders(senders: queues.senders.merging(configuration.pushSenders) { $1 })
    (services.pushLimits, services.factorChanges) = (configuration.pushLimits, configuration.factorChanges)
    services.appIntegrity = AppIntegrityVerifier(configuration.attestation, clock: clock)
    services.schema = configuration.identities.schema
    services.terms = configuration.identities.terms
    services.securityQuestions = configuration.identities.securityQuestions
    services.consentMappings = configuration.identities.consentMappings
    services.metrics = foundation.metrics.nodeMetrics
    services.persistentCookies = PersistentCookies { [secrets = foundation.secrets] in
      secrets.secrets(
        named: ServerKeyRotation.Secret.persistentCookies, lifetime: PersistentCookies.longestLife)
    }
    services.events = foundation.events
    services.simulation = configuration.simulation
    services.passwordPolicy = PasswordPolicy(minimumLength: configuration.passwordMinimum)
    services.journeyTimeout = configuration.journeyTimeout
    return services
  }

  private static func knownDevices(_ foundation: ServerFoundation) -> KnownDevices {
    KnownDevices(
      secrets: { [secrets = foundation.secrets] in
        secrets.secrets(named: ServerKeyRotation.Secret.knownDevices, lifetime: KnownDevices.lifetime)
      },
      isHostOnly: foundation.configuration.cookieName.hasPrefix("__Host-"))
  }

  private static func index(_ foundation: ServerFoundation) async throws {
    for duplicate in try await foundation.store.use(foundation.configuration.identities.schema.index) {
      foundation.logger.warning(
        "several accounts have a value that should be unique, so it is unique only for the first",
        metadata: ["value": "\(duplicate)"])
    }
  }

  private static func mailQueue(
    _ configuration: ServerConfiguration, store: any ServerStore
  ) throws -> MailQueue? {
    let folder = try StoreOpening.place(configuration).folder
    let limits = MailLimits(
      store: store, linkLifetime: configuration.suspendedJourneyTimeout, clock: configuration.clock)
    return try configuration.mail.transport(folder: folder, clock: configuration.clock).map { transport in
      MailQueue(
        transport, allows: { try await limits.allows($0) }, clock: configuration.clock,
        randomBytes: configuration.randomBytes, logger: configuration.logger)
    }
  }

  var backgroundServices: [any Service] {
    let decoys = RepeatedTask(
      description: "decoy costs", interval: .seconds(3600), logger: foundation.logger,
      failure: "the costs of password hashes could not be counted", body: refreshDecoyCosts)
    let watcher = PushMessageWatcher(
      store: foundation.store, direct: direct, clock: foundation.clock, logger: foundation.logger)
    return [decoys, watcher] + pushQueues.services
  }
}
