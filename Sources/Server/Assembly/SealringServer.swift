public import Accounts
internal import AppIntegrity
internal import Concurrency
public import JourneyEngine
internal import JourneyFiles
internal import JourneyNodes
internal import JourneyScripts
public import JourneyStore
internal import KeyAttestation
internal import Logging
internal import MailService
internal import NIOCore
internal import OpenIDProvider
internal import Operations
internal import Pages
internal import PageTemplates
public import PasswordHashing
internal import PasswordRules
internal import PushService
internal import PushTransports
internal import RestAPI
internal import SecurityEvents
public import ServerHTTP
internal import ServiceLifecycle
internal import StrictJSON
internal import UnixSignals

/// A journey server: its store, its journeys, and the HTTP in front of them.
public struct SealringServer: Sendable {
  /// Everything that the server stores; tests and tools may read and write it while the server runs.
  public let store: any ServerStore

  /// The journeys that can be run now.
  public var catalog: JourneyCatalog { realms.catalog }

  let realms: RealmDirectory

  /// The password of `amAdmin`, when this start created the account with a random one. Show it once.
  public var generatedAdministratorPassword: Secret? {
    if case .created(let password) = administrator { password } else { nil }
  }

  /// What this start did with the account `amAdmin`.
  private let administrator: AdministratorState

  /// Journeys of the operator's that did not load.
  private let unavailableJourneys: [UnavailableJourney]

  /// Weaknesses of the configuration, a line each, with what to do. Show them once.
  public let advice: [String]

  let configuration: ServerConfiguration
  let events: SecurityEvents
  let responder: ServerResponder

  /// OpenID Connect, for this server's tests, too.
  let openID: OpenIDProvider
  private let passwords: PasswordHasher

  /// Stores what has been going on, for pages and plots.
  let activity: ActivityRecorder

  /// What is made anew with each server key.
  let secrets: RotatingSecrets

  /// The port that is listened on, once it is.
  let listeningPort: Locked<Int>

  /// The requests that wait for messages here.
  let direct: PollWaiters
  let pushQueues: PushQueues
  let scriptWorkers: ScriptWorkers

  /// Mail on its way; `nil` when there is no way.
  let mail: MailQueue?

  /// Lets checks for unknown names cost what checks for accounts do.
  let refreshDecoyCosts: @Sendable () async throws -> Void

  /// `nil` for plain HTTP.
  let certificate: ServerCertificate?
  let publishers: [CheckpointPublisher]
  let gate: ConnectionGate

  /// What is still to be answered, and whether the server is about to stop.
  let drain: Drain

  let metrics: ServerMetrics
  let collection: MetricsCollection
  let exporter: OTLPExporter?

  /// The port on which metrics are read, once it is listened on.
  let metricsPort = Locked<Int?>(nil)

  /// Opens the store, loads the journeys, and creates the administrator if there is none.
  ///
  /// - Throws: ``ServerSetupError``, or `StoreError` when the store cannot be opened. Both say what to do.
  public static func make(_ configuration: ServerConfiguration) async throws -> SealringServer {
    try configuration.requireSafeTransport()
    try configuration.requireSafeSimulation()
    try configuration.requireChosenFactorChanges()
    var configuration = configuration
    configuration.logger = configuration.logger.escaping
    let store = try await StoreOpening.open(configuration)
    do { return try await SealringServer(configuration, store: store) } catch {
      try? await store.close()
      throw error
    }
  }

  private init(
    _ configuration: ServerConfiguration, store: any ServerStore
  ) async throws {
    let metrics = configuration.makeMetrics()
    let (tracing, exporter) = try configuration.makeTracing(metrics: metrics)
    let passwords = PasswordHasher(
      cost: configuration.passwordCost, queueLimit: configuration.limits.waitingPasswords,
      randomBytes: configuration.randomBytes, observer: metrics.hashing)
    let pushQueues = PushQueues(
      configuration.push, store: store, clock: configuration.clock, randomBytes: configuration.randomBytes,
      logger: configuration.logger)
    let events = SecurityEvents(
      sink: metrics.counting(try await EventFiles.sink(configuration)), clock: configuration.clock,
      logger: configuration.logger
    )
    let listeningPort = Locked(configuration.port)
    let (clock, randomBytes) = (configuration.clock, configuration.randomBytes)
    let secrets = RotatingSecrets(
      store: store, clock: clock, randomBytes: randomBytes, logger: configuration.logger)
    try await secrets.refresh()
    func secret(_ name: String) async throws -> [UInt8] {
      try await store.secret(named: name) { randomBytes(32) }
    }
    var services = NodeServices(
      store: store, passwords: passwords, clock: clock, randomBytes: randomBytes,
      attestation: configuration.attestation.verifier(clock: clock), webAuthn: configuration.webAuthn,
      relyingParty: ServerRelyingParty.provider(configuration) { listeningPort.withLock { $0 } },
      decoys: DecoyCredentials(secret: try await secret("decoy credentials")),
      knownDevices: KnownDevices(
        secrets: {
          secrets.secrets(named: ServerKeyRotation.Secret.knownDevices, lifetime: KnownDevices.lifetime)
        },
        isHostOnly: configuration.cookieName.hasPrefix("__Host-")),
      push: PushSenders(senders: pushQueues.senders.merging(configuration.pushSenders) { $1 }),
      pushLimits: configuration.pushLimits, factorChanges: configuration.factorChanges)
    let stored = try await store.realms()
    let names = RealmDirectory.names(configured: configuration.realms, stored: stored.names)
    try configuration.requireRealms()
    try configuration.requireFactorChangesOfKnownRealms(names)
    services.appIntegrity = AppIntegrityVerifier(configuration.attestation, clock: clock)
    services.schema = configuration.identities.schema
    services.terms = configuration.identities.terms
    services.securityQuestions = configuration.identities.securityQuestions
    services.consentMappings = configuration.identities.consentMappings
    services.metrics = metrics.nodeMetrics
    services.persistentCookies = PersistentCookies {
      secrets.secrets(
        named: ServerKeyRotation.Secret.persistentCookies, lifetime: PersistentCookies.longestLife)
    }
    let mail = try Self.mailQueue(configuration, store: store)
    services.mail = NodeMail(
      sender: configuration.mail.sender, senderName: configuration.mail.senderName
    ) { mail?.send($0) }
    for duplicate in try await store.use(configuration.identities.schema.index) {
      configuration.logger.warning(
        "several accounts have a value that should be unique, so it is unique only for the first",
        metadata: ["value": "\(duplicate)"])
    }
    services.events = events
    services.simulation = configuration.simulation
    let policies = try PolicyFolder(configuration.journeysDirectory, logger: configuration.logger)
    let scripts = configuration.scripts.services(
      cookieName: configuration.cookieName, policies: policies, logger: configuration.logger)
    services.scripts = scripts
    scriptWorkers = scripts.workers
    let outgoing = OutgoingClient()
    if !configuration.identityProviders.isEmpty {
      services.federation = FederationServices(
        providers: configuration.identityProviders, identities: services.identities,
        transformer: ProfileScripts(services: services), transport: ProviderHTTP(client: outgoing),
        clock: clock, randomBytes: randomBytes)
    }
    services.passwordPolicy = PasswordPolicy(minimumLength: configuration.passwordMinimum)
    services.journeyTimeout = configuration.journeyTimeout
    let decoySecret = try await secret("password decoys")
    refreshDecoyCosts = {
      passwords.setDecoys(like: try await store.passwordHashKinds(), secret: decoySecret)
    }
    try await refreshDecoyCosts()
    let registry = NodeLibrary.registry(services: services).adding(configuration.furtherNodes)
    var journeys = JourneyLoading(registry: registry, realms: names, logger: configuration.logger)
    // Before the files are read: what changes meanwhile is loaded again.
    let fingerprint = configuration.journeysDirectory.map { JourneyFolder.fingerprint(of: $0) } ?? []
    try journeys.load(configuration.bundledJourneys, isPublic: StartupAdvice.isPublic(configuration))
    if let directory = configuration.journeysDirectory {
      try journeys.load(directory: directory, isStrict: configuration.requiresAllJourneys)
      if configuration.refusesJourneyDeviations { try journeys.refuseDeviations() }
    }
    journeys.logWarnings()
    let realms = RealmDirectory(
      RealmDirectory.Snapshot(version: stored.version, names: names, catalog: journeys.catalog),
      from: configuration.realmSources, store: store, registry: registry, fingerprint: fingerprint,
      policies: policies, clock: clock, logger: configuration.logger)
    let requests = RequestLimits(configuration.limits, clock: clock, metrics: metrics)
    // Beyond the journey's end for servers whose clocks differ. A client that waits for a link has an `authId`, too.
    let sealedLife = max(configuration.journeyTimeout, configuration.suspendedJourneyTimeout) + 60
    let sealingKeys = SealingKeys()
    let engine = JourneyEngine(
      catalogs: { realms.catalog },
      sealing: {
        sealingKeys.keys(
          of: secrets.secrets(named: ServerKeyRotation.Secret.journeys, lifetime: sealedLife))
      },
      beforeRequests: secrets.refreshIfOld,
      steps: StoredStepLedger(store: store), clock: clock, randomBytes: randomBytes,
      lifetime: configuration.journeyTimeout, logger: configuration.logger,
      observer: JourneyMetrics(metrics: metrics, tracing: tracing, other: configuration.journeyObserver),
      suspension: JourneySuspension(
        store: StoredSuspensions(store: store, requests: requests),
        lifetime: configuration.suspendedJourneyTimeout))
    var deciding = services.accounts
    deciding.stepUpJourney = { realms.catalog.journey(reaching: $0, realm: $1) }
    let sessions = try configuration.makeSessions(store: store, requests: requests, accounts: deciding)
    let grants = StoredGrants(store)
    let clients = try ClientFile(configuration.openIDClients, logger: configuration.logger)
    let forgeryGuard = RequestForgeryGuard(sessions: sessions, baseAddress: sessions.baseAddress)
    let pages = try PageSite(
      store: store, sessions: sessions, realms: realms, forgeryGuard: forgeryGuard, events: events)
    let openID = try await OpenIDProvider(
      clients, grants: grants, store: store, services: services, site: pages,
      themes: configuration.pageThemes,
      outgoing: outgoing, logger: configuration.logger)
    self.openID = openID
    self.configuration = configuration
    self.secrets = secrets
    self.events = events
    certificate = try configuration.tls.map {
      try ServerCertificate($0, clock: clock, logger: configuration.logger)
    }
    publishers = try configuration.makePublishers(store: store, events: events)
    self.passwords = passwords
    self.listeningPort = listeningPort
    self.pushQueues = pushQueues
    self.mail = mail
    gate = ConnectionGate(
      configuration.limits, behind: configuration.trustedProxies, clock: clock, metrics: metrics)
    self.store = store
    direct = services.push.direct
    drain = Drain(direct: direct, gate: gate, randomBytes: randomBytes, logger: configuration.logger)
    unavailableJourneys = journeys.unavailable
    self.realms = realms
    let journeyNames = names.flatMap { journeys.catalog.summaries(realm: $0).map(\.name) }
    let weaknesses = StartupAdvice(configuration: configuration, journeyNames: Set(journeyNames)).phrases
    advice = weaknesses.map(\.english)
    let activities = StoredActivity(store, randomBytes: randomBytes)
    let activity = ActivityRecorder(activity: activities, clock: clock, logger: configuration.logger)
    self.activity = activity
    let proofs = LedgerProofs(archive: try StoreOpening.place(configuration).ledgerArchive(of: store))
    let administrationParts = Administration.Parts(
      devices: DeviceKinds.all(store, direct: direct), unavailable: unavailableJourneys,
      journeys: configuration.journeysDirectory, sharesAmongRealms: configuration.scripts.sharesAmongRealms,
      journeyReview: configuration.journeyReview,
      server: ServerFacts(
        settings: configuration.shown, providers: configuration.identityProviders, keys: store,
        clients: {
          clients.clients.all.map { ServerFacts.Client(id: $0.id, name: $0.name, realm: $0.realm) }
        },
        queues: pushQueues,
        checks: RunningServerChecks(
          configuration: configuration, advice: weaknesses, unavailable: unavailableJourneys, keys: store
        ).all))
    let endpoints =
      RestResources.endpoints(
        engine: engine, store: store, services: services, sessions: sessions, realms: realms,
        passwords: passwords, accounts: openID.accounts, grants: grants, proofs: proofs, queues: pushQueues,
        drain: drain,
        administrator: Administrator.username, hasKey: { [secrets] in secrets.hasCurrentKey },
        logger: configuration.logger)
      + pages.endpoints(
        engine: engine, services: services, accounts: openID.accounts, activity: activity,
        themes: configuration.pageThemes, isLocal: configuration.isLocal, proofs: proofs,
        administration: administrationParts)
      + openID.endpoints
    responder = ServerResponder(
      routes: RouteTable(endpoints, realms: realms),
      realms: realms,
      limits: configuration.limits, requests: requests,
      bodies: BodyBudget(limit: configuration.limits.bodiesUnderWay, metrics: metrics),
      proxies: TrustedProxies(blocks: configuration.trustedProxies, isTLS: configuration.tls != nil),
      events: events,
      forgeryGuard: forgeryGuard, refusals: pages,
      transportSecurity: TransportSecurity(baseAddress: sessions.baseAddress),
      crossOrigin: CrossOrigin(
        rules: try configuration.crossOrigin.checked(), sessionHeader: configuration.cookieName),
      sessions: sessions,
      drain: drain, metrics: metrics, tracing: tracing, activity: activity, logger: configuration.logger)
    self.metrics = metrics
    self.exporter = exporter
    collection = MetricsCollection(
      metrics: metrics, store: store, gate: gate, drain: drain, direct: direct, passwords: passwords,
      pushQueues: pushQueues)
    administrator = try await Administrator.create(
      in: store, passwords: passwords, configuration: configuration)
  }

  /// What an operator wants to know once the server listens.
  ///
  /// - Parameter port: the port that it listens on.
  public func report(port: Int) -> ServerReport {
    ServerReport(
      configuration, port: port, realms: realms.snapshot, unavailable: unavailableJourneys,
      administrator: administrator)
  }

  /// Adds an active account.
  ///
  /// The password policy does not apply: this is for programs that embed the server, such as an app's tests. REST, the command
  /// line and journeys apply it.
  ///
  /// - Throws: `StoreError.conflict` when the name is taken.
  public func createUser(_ username: String, password: Secret, realm: String) async throws {
    try await store.createUser(
      UserRecord(
        realm: realm, username: username, passwordHash: try await passwords.hash(password.reveal()),
        createdAt: configuration.clock()))
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
}

extension PasswordHasher: PasswordVerifying {
  public func verify(_ password: String, against hash: String?) async throws -> Bool {
    try await verify(password, against: hash, of: "")
  }
}
