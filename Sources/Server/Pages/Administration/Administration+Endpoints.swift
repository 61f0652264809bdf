package import Foundation
internal import JourneyEngine
package import JourneyFiles
package import ServerHTTP

extension Administration {
  /// What the pages need beside their own, and other parts of the server have.
  package struct Parts {
    let devices: [any DeviceKind]
    let unavailable: [UnavailableJourney]

    /// The operator's folder of journeys.
    package let journeys: URL?

    /// Whether journeys of one realm reach what is for the journeys of all.
    package let sharesAmongRealms: Bool

    /// How many administrators must have seen what goes live.
    package let journeyReview: JourneyReview
    package let server: ServerFacts

    package init(
      devices: [any DeviceKind], unavailable: [UnavailableJourney], journeys: URL?, sharesAmongRealms: Bool,
      journeyReview: JourneyReview, server: ServerFacts
    ) {
      (self.devices, self.unavailable, self.journeys) = (devices, unavailable, journeys)
      (self.sharesAmongRealms, self.journeyReview, self.server) = (sharesAmongRealms, journeyReview, server)
    }
  }

  /// All pages below `/am/admin/`.
  func endpoints(_ parts: Parts, proofs: LedgerProofs) -> [any Endpoint] {
    let uploads = JourneyUploads(
      folder: parts.journeys, sharesAmongRealms: parts.sharesAmongRealms, reviewers: parts.journeyReview,
      realms: pages.realms, sessions: pages.sessions, events: pages.events)
    let findings = ServerFindings(
      parts.server.checks,
      waiting: { [realms = pages.realms] in
        realms.names.compactMap { realm in
          let count = uploads.waiting(realm: realm).count
          return count > 0 ? (realm: realm, count: count) : nil
        }
      })
    return [
      AdministrationOverview(administration: self, findings: findings),
      AdministrationUsers(administration: self, devices: parts.devices),
      AdministrationSignIns(administration: self),
      AdministrationJourneys(administration: self, uploads: uploads, unavailable: parts.unavailable),
      AdministrationLedger(administration: self, proofs: proofs),
      AdministrationServer(administration: self, facts: parts.server, findings: findings),
    ]
  }
}
