internal import Accounts
internal import BindingFormats
internal import Hummingbird
internal import JourneyFiles
internal import JourneyStore
internal import PageTemplates
internal import ServerHTTP

/// `/am/account/`: how the account is protected, and what happened lately.
struct AccountOverview: Endpoint {
  let pages: PageSite
  let kinds: [MethodKind]
  let activity: AccountActivity

  private static let latest = 5

  var routes: [Route] { [pages.route("/am/account/", get: show)] }

  private func show(_ page: PageContext) async throws -> Response {
    let texts = page.texts
    var methods: [PageValue] = []
    var (keys, others) = (0, 0)
    for kind in kinds {
      let count = try await kind.all(of: page.account).count
      guard count > 0 else { continue }
      if kind.isKey { keys += count } else { others += count }
      methods.append(["kind": .text(texts[kind.title]), "count": .text(String(count))])
    }
    let user = try await pages.store.user(page.account)
    let sessions = try await pages.store.sessions(of: page.account, now: page.now)
    let entries = try await activity.entries(
      of: page.account, id: page.accountID, before: nil, limit: Self.latest, mostRefused: 1, now: page.now,
      texts)
    let protection = Protection(hasPassword: user?.passwordHash != nil, keys: keys, others: others)
    return try page.page(
      .accountOverview, title: texts["account.title"], tabs: .account(.overview, texts),
      [
        "advice": .optional(user?.mustChangePassword == true ? texts["account.mustChange"] : nil),
        "verdict": .text(protection.sentence(texts)), "look": .text(protection.look),
        "methods": .list(methods), "hasMethods": .flag(!methods.isEmpty),
        "hasPassword": .flag(user?.passwordHash != nil),
        "signedIn": page.time(page.session.record.authenticatedAt),
        "how": .text(AccountSessions.words(for: page.session.record, texts)),
        "realmPath": .text(page.session.record.realm.realmPath),
        "sessionCount": .text(String(sessions.count)),
        "entries": .list(entries.map { AccountActivity.value($0, page) }),
        "administrationLink": try await pages.sessions.accounts.allows(
          .administrate, page.session.record, of: page.account.realm)
          ? .link(page.link(["admin", ""])) : .none,
        "methodsLink": .link(page.link(["account", "methods"])),
        "sessionsLink": .link(page.link(["account", "sessions"])),
        "activityLink": .link(page.link(["account", "activity"])),
      ])
  }
}
