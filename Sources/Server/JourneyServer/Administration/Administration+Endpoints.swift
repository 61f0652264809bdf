internal import JourneyFiles
internal import JourneyStore
internal import Operations
internal import PushTransports
internal import ServerHTTP

extension Administration {
  /// What the pages need beside their own, and other parts of the server have.
  struct Parts {
    let configuration: ServerConfiguration
    let devices: [any DeviceKind]
    let advice: [Phrase]
    let unavailable: [UnavailableJourney]
    let keys: any ServerStore
    let clients: ClientFile
    let queues: PushQueues
    let proofs: LedgerProofs
  }

  /// All pages below `/am/admin/`.
  func endpoints(_ parts: Parts) -> [any Endpoint] {
    let uploads = JourneyUploads(
      folder: parts.configuration.journeysDirectory,
      sharesAmongRealms: parts.configuration.scripts.sharesAmongRealms,
      reviewers: parts.configuration.journeyReview, realms: pages.realms, sessions: pages.sessions,
      events: pages.events)
    let findings = ServerFindings(
      RunningServerChecks(
        configuration: parts.configuration, advice: parts.advice, unavailable: parts.unavailable,
        keys: parts.keys),
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
      AdministrationLedger(administration: self, proofs: parts.proofs),
      AdministrationServer(administration: self, parts, findings: findings),
    ]
  }
}
