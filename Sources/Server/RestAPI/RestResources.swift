package import Accounts
package import JourneyEngine
package import JourneyFiles
package import JourneyNodes
internal import JourneyStore
package import Logging
package import PasswordHashing
internal import PushService
package import PushTransports
package import SSHAuthority
package import ServerHTTP

/// The resources of the REST interface: journeys, sessions, accounts, devices, evidence, transactions, and the server's state.
package enum RestResources {
  /// - Parameters:
  ///   - accounts: the operations on accounts, with the OpenID Connect clients to notify of sign-outs.
  ///   - administrator: the account of the root realm that `/health` reads.
  ///   - hasKey: whether this server has the server key in use.
  package static func endpoints(
    engine: JourneyEngine, services: NodeServices, sessions: SessionAuthority, realms: RealmDirectory,
    passwords: PasswordHasher, accounts: Accounts, proofs: LedgerProofs, queues: PushQueues, drain: Drain,
    administrator: String, ssh: SSHAuthority, hasKey: @escaping @Sendable () -> Bool, logger: Logger
  ) -> [any Endpoint] {
    let (store, events) = (sessions.store, services.events)
    let applications = ApplicationAuthority(sessions: sessions)
    let devices = DeviceKinds.all(store, direct: services.push.direct)
    return [
      AuthenticateEndpoint(
        engine: engine, sessions: sessions,
        transactions: TransactionVerdicts(store: store, clock: sessions.clock),
        knownDevices: services.knownDevices, persistentCookies: services.persistentCookies, events: events),
      SessionsEndpoint(
        sessions: sessions, realms: realms, persistentCookies: services.persistentCookies,
        accounts: accounts),
      UsersEndpoint(sessions: sessions, passwords: passwords, check: PasswordCheck(services: services)),
      RolesEndpoint(sessions: sessions), JourneysEndpoint(sessions: sessions, realms: realms),
      RealmsEndpoint(sessions: sessions, realms: realms, events: events),
      DevicesEndpoint(kind: ProfileDevices(SavedDeviceProfiles(services)), sessions: sessions),
      PushEndpoint(
        service: PushDeviceService(services.pushDevices, logger: logger), drain: drain,
        requests: sessions.requests),
      AuditEndpoint(sessions: sessions, realms: realms, proofs: proofs),
      ApplicationsEndpoint(sessions: sessions, applications: applications, events: events),
      TransactionsEndpoint(applications: applications, realms: realms, proofs: proofs),
      PushQueuesEndpoint(queues: queues, sessions: sessions), ServerInfoEndpoint(sessions: sessions),
      HealthEndpoint(account: administrator, sessions: sessions, drain: drain, hasKey: hasKey),
      SSHEndpoint(authority: ssh, sessions: sessions),
    ] + devices.map { endpoint($0, sessions) }
  }

  private static func endpoint(_ kind: some DeviceKind, _ sessions: SessionAuthority) -> any Endpoint {
    DevicesEndpoint(kind: kind, sessions: sessions)
  }
}
