package import Accounts
package import JourneyEngine
package import JourneyFiles
package import JourneyNodes
package import JourneyStore
package import Logging
package import PasswordHashing
internal import PushService
package import PushTransports
package import SSHAuthority
package import ServerHTTP

/// The resources of the REST interface: journeys, sessions, accounts, devices, evidence, transactions, and the server's state.
package enum RestResources {
  /// - Parameters:
  ///   - accounts: what may happen to accounts, with what clients of OpenID Connect were granted.
  ///   - administrator: the account of the root realm that `/health` reads.
  ///   - hasKey: whether this server has the server key in use.
  package static func endpoints(
    engine: JourneyEngine, store: any ServerStore, services: NodeServices, sessions: SessionAuthority,
    realms: RealmDirectory, passwords: PasswordHasher, accounts: Accounts,
    proofs: LedgerProofs, queues: PushQueues, drain: Drain, administrator: String, ssh: SSHAuthority,
    hasKey: @escaping @Sendable () -> Bool,
    logger: Logger
  ) -> [any Endpoint] {
    let (requests, clock, events) = (sessions.requests, services.clock, services.events)
    let applications = ApplicationAuthority(
      store: store, requests: requests, randomBytes: services.randomBytes)
    let devices = DeviceKinds.all(store, direct: services.push.direct)
    return [
      AuthenticateEndpoint(
        engine: engine, store: store, sessions: sessions,
        transactions: TransactionVerdicts(store: store, clock: clock),
        knownDevices: services.knownDevices, persistentCookies: services.persistentCookies, events: events),
      SessionsEndpoint(
        store: store, sessions: sessions, realms: realms, persistentCookies: services.persistentCookies,
        accounts: accounts),
      UsersEndpoint(
        store: store, sessions: sessions, passwords: passwords, check: PasswordCheck(services: services)),
      RolesEndpoint(store: store, sessions: sessions), JourneysEndpoint(sessions: sessions, realms: realms),
      RealmsEndpoint(store: store, sessions: sessions, realms: realms, events: events),
      DevicesEndpoint(kind: ProfileDevices(SavedDeviceProfiles(services)), users: store, sessions: sessions),
      PushEndpoint(
        service: PushDeviceService(services.pushDevices, logger: logger), drain: drain, requests: requests),
      AuditEndpoint(store: store, sessions: sessions, realms: realms, proofs: proofs, clock: clock),
      ApplicationsEndpoint(store: store, sessions: sessions, applications: applications, events: events),
      TransactionsEndpoint(
        store: store, applications: applications, realms: realms, proofs: proofs, clock: clock),
      PushQueuesEndpoint(queues: queues, sessions: sessions), ServerInfoEndpoint(sessions: sessions),
      HealthEndpoint(
        store: store, account: administrator, requests: requests, drain: drain, hasKey: hasKey, clock: clock),
      SSHEndpoint(authority: ssh, sessions: sessions),
    ] + devices.map { endpoint($0, store, sessions) }
  }

  private static func endpoint(
    _ kind: some DeviceKind, _ users: any ServerStore, _ sessions: SessionAuthority
  ) -> any Endpoint {
    DevicesEndpoint(kind: kind, users: users, sessions: sessions)
  }
}
