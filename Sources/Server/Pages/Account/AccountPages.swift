internal import Accounts
internal import JourneyNodes
internal import JourneyStore
internal import PageTemplates
internal import PushService
internal import ServerHTTP

/// My account: the endpoints of `/am/account/`.
struct AccountPages {
  let pages: PageSite
  let proofs: LedgerProofs
  let services: NodeServices
  let attempts: StoredActivity
  let accounts: Accounts

  var endpoints: [any Endpoint] {
    let kinds = MethodKind.all(pages.store, direct: services.push.direct)
    let sessions = AccountSessions(pages: pages, accounts: accounts)
    let activity = AccountActivity(
      pages: pages, kinds: kinds, sessions: sessions,
      refused: RefusedSignIns(store: attempts))
    return [
      SignOutPage(
        pages: pages, accounts: accounts, persistentCookies: services.persistentCookies),
      AccountOverview(pages: pages, kinds: kinds, activity: activity),
      AccountMethods(pages: pages, kinds: kinds),
      AccountCodes(pages: pages, codes: RecoveryCodes(services: services)),
      sessions, activity, AccountSignatures(pages: pages, proofs: proofs),
      AccountPassword(pages: pages, check: PasswordCheck(services: services)),
    ]
  }
}
