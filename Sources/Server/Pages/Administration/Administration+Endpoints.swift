package import Foundation
internal import JourneyEngine
package import JourneyFiles
package import JourneyNodes
package import Operations
package import PushTransports
internal import ServerHTTP

extension Administration {
  /// What the pages need from other parts of the server.
  package struct Parts: Sendable {
    let unavailable: [UnavailableJourney]

    /// The operator's folder of journeys.
    package let journeys: URL?

    /// Whether the scripts of all realms share variables or hosts.
    package let sharesAmongRealms: Bool

    /// How many administrators must have seen an upload before it goes live.
    package let journeyReview: JourneyReview

    /// The effective configuration on the port that the request came to, without secrets and their places.
    let settings: @Sendable (_ port: Int?) -> [(name: String, value: String)]
    let providers: IdentityProviders

    /// The registered clients of OpenID Connect.
    let clients: @Sendable () -> [(id: String, name: String, realm: String)]
    let queues: PushQueues
    let checks: @Sendable () async throws -> [HealthCheck]

    package init(
      unavailable: [UnavailableJourney], journeys: URL?, sharesAmongRealms: Bool,
      journeyReview: JourneyReview,
      settings: @escaping @Sendable (_ port: Int?) -> [(name: String, value: String)],
      providers: IdentityProviders,
      clients: @escaping @Sendable () -> [(id: String, name: String, realm: String)], queues: PushQueues,
      checks: @escaping @Sendable () async throws -> [HealthCheck]
    ) {
      (self.unavailable, self.journeys, self.sharesAmongRealms) = (unavailable, journeys, sharesAmongRealms)
      (self.journeyReview, self.settings, self.providers) = (journeyReview, settings, providers)
      (self.clients, self.queues, self.checks) = (clients, queues, checks)
    }
  }

  /// All pages below `/am/admin/`.
  func endpoints(_ parts: Parts, devices: [any DeviceKind], proofs: LedgerProofs) -> [any Endpoint] {
    let uploads = JourneyUploads(
      folder: parts.journeys, sharesAmongRealms: parts.sharesAmongRealms, reviewers: parts.journeyReview,
      realms: pages.realms, sessions: pages.sessions, events: pages.events)
    let findings = ServerFindings(
      checks: parts.checks,
      waiting: { [realms = pages.realms] in
        realms.names.compactMap { realm in
          let count = uploads.waiting(realm: realm).count
          return count > 0 ? (realm: realm, count: count) : nil
        }
      })
    return [
      AdministrationOverview(administration: self, findings: findings),
      AdministrationUsers(administration: self, devices: devices),
      AdministrationSignIns(administration: self),
      AdministrationJourneys(administration: self, uploads: uploads, unavailable: parts.unavailable),
      AdministrationLedger(administration: self, proofs: proofs),
      AdministrationServer(administration: self, facts: parts, findings: findings),
    ]
  }
}
