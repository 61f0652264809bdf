internal import Hummingbird
internal import JourneyNodes
internal import JourneyStore
internal import PageTemplates
internal import PasswordHashing
internal import PasswordRules
internal import SecurityEvents

/// `/am/account/password`: a new password in place of the old one.
struct AccountPassword: Endpoint {
  let pages: PageSite
  let check: PasswordCheck
  let policy: PasswordPolicy
  let passwords: PasswordHasher

  var routes: [Route] {
    [pages.route("/am/account/password", get: { try await show($0) }, post: change)]
  }

  private func show(_ page: PageContext, problem: String? = nil) async throws -> Response {
    // What needs a stronger sign-in asks for it before anything is typed.
    try await pages.sessions.requireFactorChange(page.session, of: page.account)
    let texts = page.texts
    let user = try await pages.store.user(page.account)
    return try page.page(
      .accountPassword, title: texts["password.title"], tabs: .account(.password, texts), problem: problem,
      [
        "hasPassword": .flag(user?.passwordHash != nil), "expires": page.time(user?.passwordExpiry),
        "minimum": .text(texts["password.minimum", ["count": String(policy.minimumLength)]]),
      ])
  }

  /// A stolen session must not be enough to take the account over: the old password is asked for, and wrong ones are counted.
  private func change(_ form: PageForm, _ page: PageContext) async throws -> Response {
    let (texts, account) = (page.texts, page.account)
    let (old, new) = (form["current"] ?? "", form["new"] ?? "")
    guard let user = try await pages.store.user(account) else { throw ErrorResponse.noSuchUser }
    if let fault = policy.faults(in: new, context: [user.username] + user.mail).first {
      return try await show(page, problem: texts[Self.wording(of: fault)])
    }
    guard new == form["again"] else { return try await show(page, problem: texts["password.different"]) }
    try await pages.sessions.requireFactorChange(page.session, of: account)
    // The second of two same forms would find the old password wrong, and count that.
    guard try await page.isFirst(form) else { return page.redirectAsDone() }
    guard
      case .right(let checked) = try await check.verdict(
        username: user.username, password: old, realm: user.realm, cookies: page.visit.cookies),
      checked.id == user.id
    else { return try await show(page, problem: texts["password.wrong"]) }
    var change = UserChange(of: user, caller: pages.sessions.caller(page.session, by: .ownAccount))
    change.mustChangePassword = false
    change.password = UserChange.Password(
      hash: try await passwords.hash(new), checkedVersion: checked.passwordVersion)
    switch try await pages.store.updateUser(change) {
    case .changed: break
    case .noSuchUser: throw ErrorResponse.noSuchUser
    case .passwordChanged, .revisionChanged: return try await show(page, problem: texts["password.wrong"])
    }
    try await page.record(.passwordChanged)
    return page.redirect(notice: "password.changed")
  }

  static func wording(of fault: PasswordPolicy.Fault) -> ErrorResponse.Wording {
    switch fault {
    case .tooShort(let minimum): .init(key: "password.tooShort", values: ["count": String(minimum)])
    case .tooLong(let maximum): .init(key: "password.tooLong", values: ["count": String(maximum)])
    case .unknownCharacters: .init(key: "password.unknownCharacters")
    case .common: .init(key: "password.common")
    case .personal: .init(key: "password.personal")
    }
  }
}
