internal import Accounts
internal import BindingFormats
internal import Hummingbird
internal import JourneyNodes
internal import JourneyStore
internal import PageTemplates
internal import ServerHTTP

/// `/am/account/codes`: makes new recovery codes for a lost device. They are shown once, in the answer to the form.
struct AccountCodes: Endpoint {
  let pages: PageSite
  let codes: RecoveryCodes

  var routes: [Route] { [pages.route("/am/account/codes", get: { try await show($0) }, post: make)] }

  /// The kinds with recovery codes of which the account has a device: their path in forms and the key of their name.
  private func kinds(_ page: PageContext) async throws -> [(path: String, title: String)] {
    var kinds: [(path: String, title: String)] = []
    let store = pages.store
    if try await !store.webAuthnDevices.all(of: page.account).isEmpty {
      kinds.append(("WEB_AUTHN", "methods.passkey"))
    }
    if try await !store.pushDevices.all(of: page.account).isEmpty { kinds.append(("PUSH", "methods.push")) }
    if try await !store.oathDevices.all(of: page.account).isEmpty { kinds.append(("OATH", "methods.app")) }
    return kinds
  }

  private func show(_ page: PageContext, made: [String] = []) async throws
    -> Response
  {
    let texts = page.texts
    let left = try await pages.store.recoveryCodes(of: page.account)
    let kinds = try await kinds(page).map { kind -> PageValue in
      [
        "path": .text(kind.path), "title": .text(texts[kind.title]),
        "left": .text(texts["codes.left", ["count": String(left[kind.path] ?? 0)]]),
      ]
    }
    return try page.page(
      .accountCodes, title: texts["codes.title"], tabs: .account(.methods, texts),
      [
        "kinds": .list(kinds), "hasKinds": .flag(!kinds.isEmpty), "hasCodes": .flag(!made.isEmpty),
        "codes": .list(made.map { .text($0) }), "copied": .text(texts["codes.copied"]),
        "backLink": .link(page.link(["account", "methods"])),
      ])
  }

  private func make(_ form: PageForm, _ page: PageContext) async throws -> Response {
    guard let kind = form["kind"], try await kinds(page).contains(where: { $0.path == kind }),
      let user = try await pages.store.user(page.account)
    else { throw ErrorResponse.badRequest("There is no such kind of recovery code.") }
    _ = try await pages.sessions.accounts.permit(
      .makeRecoveryCodes, page.account, by: page.session.actor)
    // Loading the answer again would replace the codes that the person has just written down.
    guard try await page.isFirst(form) else { return page.redirectAsDone() }
    return try await show(page, made: try await codes.replace(kinds: [kind], of: user))
  }
}
