internal import Accounts
internal import BindingFormats
internal import Hummingbird
internal import JourneyEngine
internal import JourneyFiles
internal import JourneyStore
internal import PageTemplates
internal import PushService
internal import ServerHTTP
internal import StrictJSON

/// `/am/account/methods`: shows, names, adds and removes the methods by which the account signs in.
struct AccountMethods: Endpoint {
  let pages: PageSite
  let kinds: [MethodKind]

  private var accounts: Accounts { pages.sessions.accounts }

  /// Methods on one page.
  private static let pageSize = 25

  var routes: [Route] {
    [
      pages.route("/am/account/methods", get: list),
      pages.route("/am/account/methods/add/:kind", get: add),
      pages.route("/am/account/methods/:kind/:id", get: { try await show($0) }, post: rename),
      pages.route(
        "/am/account/methods/:kind/:id/remove", get: { try await confirm($0) }, post: { try await remove($1) }
      ),
    ]
  }

  // MARK: All methods

  /// All methods of an account in the order of the kinds, each kind's newest first. A store's quota bounds them.
  static func all(_ kinds: [MethodKind], of account: UniversalID) async throws -> [(
    MethodKind, AccountMethod
  )] {
    var all: [(MethodKind, AccountMethod)] = []
    for kind in kinds { all += try await kind.all(of: account).map { (kind, $0) } }
    return all
  }

  private func list(_ page: PageContext) async throws -> Response {
    let texts = page.texts
    let all = try await Self.all(kinds, of: page.account)
    let pager = Pager(page.query, size: Self.pageSize)
    let methods = pager.slice(all).map { kind, method -> PageValue in
      [
        "kind": .text(texts[kind.title]), "name": .text(method.name), "place": .text(texts[method.place]),
        "trouble": .optional(method.trouble.map { texts[$0] }), "lastUsed": page.time(method.lastUsed),
        // The time tells apart two devices with the same name.
        "created": page.time(method.created),
        "methodLink": .link(page.link(["account", "methods", kind.path, method.id])),
      ]
    }
    let user = try await pages.store.user(page.account)
    return try page.page(
      .accountMethods, title: texts["methods.title"], tabs: .account(.methods, texts),
      [
        "methods": .list(methods), "hasPassword": .flag(user?.passwordHash != nil),
        "passwordLink": .link(page.link(["account", "password"])),
        "codesLink": .link(page.link(["account", "codes"])),
        "pages": pager.links(
          hasMore: pager.offset + methods.count < all.count, path: ["account", "methods"], in: page),
        "additions": .list(additions(page, having: Set(all.map(\.0.path)))),
      ])
  }

  /// The kinds of methods that this realm's journeys can add.
  private func addable(_ page: PageContext) -> [MethodKind] {
    let journeys = pages.realms.catalog.summaries(realm: page.account.realm)
    let startable = Set(journeys.filter(\.canStart).map(\.name))
    return kinds.filter { startable.contains($0.journey) }
  }

  /// The links that add a method, or the reason why a kind cannot be added again.
  ///
  /// - Parameter kinds: paths of the kinds of which the account has one.
  private func additions(_ page: PageContext, having kinds: Set<String>) -> [PageValue] {
    addable(page).map { kind in
      let text = page.texts[kind.adding]
      guard kinds.contains(kind.path), isOne(kind, page) else {
        return [
          "text": .text(text), "refusal": .none,
          "additionLink": .link(page.link(["account", "methods", "add", kind.path])),
        ]
      }
      return [
        "text": .text(text), "additionLink": .none,
        "refusal": .text(page.texts["methods.onlyOne", ["kind": page.texts[kind.title]]]),
      ]
    }
  }

  private func isOne(_ kind: MethodKind, _ page: PageContext) -> Bool {
    MethodLimit.isOne(pages.realms.catalog.document(journey: kind.journey, realm: page.account.realm))
  }

  /// Redirects to a journey that adds a method. A stronger sign-in, if needed, comes first: the journey would refuse the person at its end.
  private func add(_ page: PageContext) async throws -> Response {
    let path = page.parameter("kind")
    guard let kind = addable(page).first(where: { $0.path == path }) else {
      throw ErrorResponse.notFound("There is no such device.")
    }
    // The page then has no button for this kind, but an older page may.
    if isOne(kind, page), try await !kind.all(of: page.account).isEmpty {
      return page.redirect(to: ["account", "methods"], notice: "methods.onlyOneNotice")
    }
    _ = try await accounts.permit(.addMethod, page.account, by: page.session.actor)
    return page.visit.signIn(
      journey: kind.journey, isAgain: true, realm: page.account.realm, back: ["account", "methods"])
  }

  // MARK: One method

  /// The method that the path names, if it is the account's own.
  private func method(_ page: PageContext) async throws -> (MethodKind, AccountMethod) {
    let (path, id) = (page.parameter("kind"), page.parameter("id"))
    guard let kind = kinds.first(where: { $0.path == path }),
      let method = try await kind.all(of: page.account).first(where: { $0.id == id })
    else { throw ErrorResponse.notFound("There is no such device.") }
    return (kind, method)
  }

  private func show(_ page: PageContext, problem: String? = nil, name: String? = nil) async throws -> Response
  {
    let (kind, method) = try await method(page)
    let texts = page.texts
    let facts = method.facts.filter { !$0.value.isEmpty }.map { fact -> PageValue in
      ["label": .text(texts[fact.label]), "value": .text(fact.value)]
    }
    return try page.page(
      .accountMethod, title: texts[kind.title], tabs: .account(.methods, texts), problem: problem,
      [
        "name": .text(method.name), "typed": .text(name ?? method.name), "kind": .text(texts[kind.title]),
        "place": .text(texts[method.place]), "proof": .optional(method.proof.map { texts[$0] }),
        "trouble": .optional(method.trouble.map { texts[$0] }), "created": page.time(method.created),
        "lastUsed": page.time(method.lastUsed), "facts": .list(facts),
        "removeLink": .link(page.link(["account", "methods", kind.path, method.id, "remove"])),
        "backLink": .link(page.link(["account", "methods"])),
      ])
  }

  private func rename(_ form: PageForm, _ page: PageContext) async throws -> Response {
    let (kind, id) = (try await method(page).0, page.parameter("id"))
    let given = form["name"] ?? ""
    guard let name = DeviceName(given), type(of: kind.devices).fault(inName: name.text) == nil else {
      return try await show(page, problem: page.texts["methods.badName"], name: String(given.prefix(200)))
    }
    guard
      try await kind.devices.rename(id, to: name.text, of: page.account, by: page.session.actor, accounts)
        != nil
    else {
      return page.redirect(to: ["account", "methods"], notice: "methods.gone")
    }
    return page.redirect(notice: "methods.renamed")
  }

  // MARK: Removal

  /// Asks for confirmation, and says what is left. A stronger sign-in, if needed, comes first, so that nobody decides twice.
  private func confirm(_ page: PageContext) async throws -> Response {
    let (kind, method) = try await method(page)
    _ = try await accounts.permit(.removeMethod, page.account, by: page.session.actor)
    let texts = page.texts
    let isLast = try await Self.all(kinds, of: page.account).count == 1
    let hasPassword = try await pages.store.user(page.account)?.passwordHash != nil
    let warning: String? =
      isLast ? (hasPassword ? texts["methods.lastFactor"] : texts["methods.lastMethod"]) : nil
    return try page.page(
      .accountMethodRemoval, title: texts["methods.removeTitle"], tabs: .account(.methods, texts),
      [
        "name": .text(method.name), "kind": .text(texts[kind.title]), "warning": .optional(warning),
        "backLink": .link(page.link(["account", "methods", kind.path, method.id])),
      ])
  }

  private func remove(_ page: PageContext) async throws -> Response {
    let (path, id) = (page.parameter("kind"), page.parameter("id"))
    guard let kind = kinds.first(where: { $0.path == path }) else {
      throw ErrorResponse.notFound("There is no such device.")
    }
    // Somebody else's device is as unknown as one that is gone.
    guard try await kind.devices.remove(id, of: page.account, by: page.session.actor, accounts) != nil else {
      return page.redirect(to: ["account", "methods"], notice: "methods.gone")
    }
    return page.redirect(to: ["account", "methods"], notice: "methods.removed")
  }
}
