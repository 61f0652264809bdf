package import Accounts
package import JourneyEngine
package import JourneyNodes
package import Operations
package import ServerHTTP

extension PageSite {
  /// All pages, and the files that they load.
  ///
  /// - Parameters:
  ///   - accounts: what may happen to accounts, with what clients of OpenID Connect were granted.
  ///   - isLocal: whether only this machine reads the pages.
  package func endpoints(
    engine: JourneyEngine, services: NodeServices, accounts: Accounts, activity: ActivityRecorder,
    themes: PageThemes, isLocal: Bool, proofs: LedgerProofs, administration: Administration.Parts
  ) -> [any Endpoint] {
    let account = AccountPages(
      pages: self, proofs: proofs, services: services, attempts: activity.activity, accounts: accounts)
    let own: [any Endpoint] = [
      HomePage(pages: self, isLocal: isLocal), PageAssets(), VerifyPage(pages: self),
      EnrolmentCode { [requests = sessions.requests] authID in
        engine.step(ofAuthID: authID).map { requests.admits(drawingFor: $0) } ?? false
      },
      SignInPage(site: self, themes: themes),
    ]
    return own + account.endpoints
      + Administration(pages: self, activity: activity).endpoints(administration, proofs: proofs)
  }
}
