package import Accounts
package import JourneyEngine
package import JourneyNodes
internal import JourneyStore
package import Operations
internal import PushService
package import ServerHTTP

extension PageSite {
  /// All pages, and the files that they load.
  ///
  /// - Parameters:
  ///   - accounts: the operations on accounts, with the OpenID Connect clients to notify of sign-outs.
  ///   - isLocal: whether only this machine reads the pages.
  package func endpoints(
    engine: JourneyEngine, services: NodeServices, accounts: Accounts, activity: ActivityRecorder,
    themes: PageThemes, isLocal: Bool, proofs: LedgerProofs, administration: Administration.Parts
  ) -> [any Endpoint] {
    let kinds = MethodKind.all(store, direct: services.push.direct)
    let ofAccount = AccountSessions(pages: self, accounts: accounts)
    let entries = AccountActivity(
      pages: self, kinds: kinds, sessions: ofAccount, refused: RefusedSignIns(store: activity.activity))
    let own: [any Endpoint] = [
      HomePage(pages: self, isLocal: isLocal), PageAssets(), VerifyPage(pages: self),
      EnrolmentCode { [requests = sessions.requests] authID in
        engine.step(ofAuthID: authID).map { requests.admits(drawingFor: $0) } ?? false
      },
      SignInPage(site: self, themes: themes),
      SignOutPage(pages: self, accounts: accounts, persistentCookies: services.persistentCookies),
      AccountOverview(pages: self, kinds: kinds, activity: entries),
      AccountMethods(pages: self, kinds: kinds),
      AccountCodes(pages: self, codes: RecoveryCodes(services: services)), ofAccount, entries,
      AccountSignatures(pages: self, proofs: proofs),
      AccountPassword(pages: self, check: PasswordCheck(services: services)),
    ]
    let devices = DeviceKinds.all(store, direct: services.push.direct)
    return own
      + Administration(pages: self, activity: activity)
      .endpoints(administration, devices: devices, proofs: proofs)
  }
}
