internal import BindingFormats
internal import JourneyNodes
internal import JourneyStore
internal import PageTemplates
internal import PasswordHashing
internal import PasswordRules
internal import PushService

/// My account: the endpoints of `/am/account/`.
struct AccountPages {
  let pages: PageSite
  let services: NodeServices
  let passwords: PasswordHasher
  let attempts: any ActivityStore
  let endGrants: @Sendable (_ account: UniversalID, _ session: [UInt8]?) async throws -> Void

  var endpoints: [any Endpoint] {
    let kinds = MethodKind.all(pages.store, direct: services.push.direct)
    let sessions = AccountSessions(pages: pages, endGrants: endGrants)
    let activity = AccountActivity(
      pages: pages, kinds: kinds, sessions: sessions,
      refused: RefusedSignIns(store: attempts))
    return [
      SignOutPage(pages: pages, endGrants: endGrants),
      AccountOverview(pages: pages, kinds: kinds, activity: activity),
      AccountMethods(pages: pages, kinds: kinds),
      AccountCodes(pages: pages, codes: RecoveryCodes(services: services)),
      sessions, activity, AccountSignatures(pages: pages),
      AccountPassword(
        pages: pages, check: PasswordCheck(services: services), policy: services.passwordPolicy,
        passwords: passwords),
    ]
  }
}
