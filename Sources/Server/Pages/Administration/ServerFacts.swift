package import JourneyNodes
package import JourneyStore
package import Operations
package import PushTransports

/// What the page of the server shows, from the parts that know it.
package struct ServerFacts: Sendable {
  /// The effective configuration, without secrets and without the places where they are, on the port that the request came to.
  let settings: @Sendable (_ port: Int?) -> [(name: String, value: String)]
  let providers: IdentityProviders
  let keys: any ServerStore

  /// The registered clients of OpenID Connect.
  let clients: @Sendable () -> [(id: String, name: String, realm: String)]
  let queues: PushQueues
  let checks: @Sendable () async throws -> [HealthCheck]

  package init(
    settings: @escaping @Sendable (_ port: Int?) -> [(name: String, value: String)],
    providers: IdentityProviders, keys: any ServerStore,
    clients: @escaping @Sendable () -> [(id: String, name: String, realm: String)], queues: PushQueues,
    checks: @escaping @Sendable () async throws -> [HealthCheck]
  ) {
    (self.settings, self.providers, self.keys) = (settings, providers, keys)
    (self.clients, self.queues, self.checks) = (clients, queues, checks)
  }
}
