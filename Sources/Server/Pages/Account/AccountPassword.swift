internal import Accounts
internal import Hummingbird
internal import JourneyNodes
internal import JourneyStore
internal import PageTemplates
internal import PasswordRules
internal import ServerHTTP

/// `/am/account/password`: a new password in place of the old one.
struct AccountPassword: Endpoint {
  let pages: PageSite
  let check: PasswordCheck

  private var accounts: Accounts { pages.sessions.accounts }

  var routes: [Route] {
    [pages.route("/am/account/password", get: { try await show($0) }, post: change)]
  }

  private func show(_ page: PageContext, problem: String? = nil) async throws -> Response {
    // A stronger sign-in, if needed, comes before anything is typed.
    _ = try await accounts.permit(.changePassword, page.account, by: page.session.actor)
    let texts = page.texts
    let user = try await pages.store.user(page.account)
    return try page.page(
      .accountPassword, title: texts["password.title"], tabs: .account(.password, texts), problem: problem,
      [
        "hasPassword": .flag(user?.passwordHash != nil), "expires": page.time(user?.passwordExpiry),
        "minimum": .text(texts["password.minimum", ["count": String(accounts.policy.minimumLength)]]),
      ])
  }

  /// A stolen session must not be enough to take the account over: the old password is asked for, and wrong ones are counted.
  private func change(_ form: PageForm, _ page: PageContext) async throws -> Response {
    let (texts, account) = (page.texts, page.account)
    let (old, new) = (form["current"] ?? "", form["new"] ?? "")
    guard new == form["again"] ?? "" else {
      return try await show(page, problem: texts["password.different"])
    }
    // A form that is sent twice would find the old password wrong the second time, and count that.
    guard try await page.isFirst(form) else { return page.redirectAsDone() }
    do {
      _ = try await accounts.change(account, by: page.session.actor) { [check] _ in
        var change = AccountChange()
        change.password = new
        change.proof = { try await check.provenVersion(old, of: $0, cookies: page.visit.cookies) }
        return change
      }
    } catch AccountRefusal.password(let faults) {
      let wording = faults.first.map(ErrorResponse.Wording.init)
      return try await show(page, problem: wording.map { texts[$0] })
    } catch AccountRefusal.unproven { return try await show(page, problem: texts["password.wrong"]) }
    return page.redirect(notice: "password.changed")
  }
}
