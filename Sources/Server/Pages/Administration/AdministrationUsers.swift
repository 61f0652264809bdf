internal import Accounts
internal import BindingFormats
internal import Foundation
internal import Hummingbird
internal import JourneyNodes
internal import JourneyStore
internal import PageTemplates
internal import QueryFilters
internal import ServerHTTP
internal import StrictJSON

/// `/am/admin/users`: find an account, create one, and help one. ``Accounts`` decides.
struct AdministrationUsers: Endpoint {
  let administration: Administration
  let devices: [any DeviceKind]

  private var accounts: Accounts { administration.pages.sessions.accounts }

  private var store: any ServerStore { administration.pages.store }

  /// Accounts on a page.
  private static let pageSize = 25

  /// Longest text that is searched for, and longest reason. In characters.
  private static let longestSearch = 100
  private static let longestReason = 500

  var routes: [Route] {
    [
      administration.route("/am/admin/users", get: { try await list($0) }, post: create),
      administration.route("/am/admin/users/:user", get: { try await show($0) }, post: change),
    ]
  }

  // MARK: The list

  private func list(_ page: PageContext, problem: String? = nil, draft: PageForm? = nil) async throws
    -> Response
  {
    let find = Self.text(page.query["find"], limit: Self.longestSearch)
    let after = page.query["after"].flatMap { LoginName.isPossible($0) ? $0 : nil }
    let found = try await Self.search(
      find, after: after, limit: Self.pageSize, store: store, realm: page.realm)
    let locks = try await store.locks(
      usernames: found.users.map(\.username), realm: page.realm, now: page.now)
    let rows = found.users.map { user -> PageValue in
      [
        "name": .text(user.username), "mail": .optional(user.mail.first),
        "userLink": .link(page.link(["admin", "users", user.username])),
        "states": .list(Self.states(of: user, locks[user.username], page.texts)),
      ]
    }
    return try page.administration(
      .adminUsers, .users, title: page.texts["admin.users"], problem: problem,
      [
        "find": .text(find), "users": .list(rows), "isEmpty": .flag(rows.isEmpty),
        "usersLink": .link(page.link(["admin", "users"])),
        "newName": .text(draft?["username"] ?? ""), "newMail": .text(draft?["mail"] ?? ""),
        "pages": page.pages(
          of: ["admin", "users"], isFirst: after == nil, [("find", find.isEmpty ? nil : find)],
          next: found.next.map { ("after", $0) }),
      ])
  }

  /// Accounts whose name or indexed attribute begins with the text. The search never reads all accounts.
  static func search(
    _ text: String, after: String?, limit: Int, store: any ServerStore, realm: String
  ) async throws -> (users: [UserRecord], next: String?) {
    guard !text.isEmpty else {
      let users = try await store.users(realm: realm, after: after, limit: limit + 1)
      return (Array(users.prefix(limit)), users.count > limit ? users[limit - 1].username : nil)
    }
    let names = [ManagedAttribute.userName] + attributes(for: text, store.identityIndex)
    let parts = names.compactMap { name in
      JSONPointer(name).map { QueryFilter.comparison($0, .startsWith, .string(text)) }
    }
    let search = IdentitySearch(filter: .or(parts), store: store, realm: realm) { user in
      var object = user.attributes
      object[ManagedAttribute.userName] = .string(user.username)
      object[ManagedAttribute.mail] = .array(user.mail.map(JSONValue.string))
      return object
    }
    let page = try await search.page(after: after, limit: limit)
    return (page.users, page.next)
  }

  /// Short texts are searched in names only, because half of all addresses could begin with them.
  private static func attributes(for text: String, _ index: IdentityIndex) -> [String] {
    text.count < 3 ? [] : [ManagedAttribute.mail, "givenName", "sn"].filter(index.has)
  }

  private static func states(
    of user: UserRecord, _ locks: AccountLocks?, _ texts: Texts
  ) -> [PageValue] {
    var states: [PageValue] = []
    if !user.isActive { states.append(["text": .text(texts["admin.inactive"]), "kind": "bad"]) }
    if locks?.guesses != nil || locks?.signatures != nil {
      states.append(["text": .text(texts["admin.locked"]), "kind": "warn"])
    }
    for role in user.roles.sorted(by: { $0.rawValue < $1.rawValue }) {
      states.append(["text": .text(name(of: role, texts)), "kind": ""])
    }
    if states.isEmpty { states.append(["text": .text(texts["admin.active"]), "kind": "good"]) }
    return states
  }

  private func create(_ form: PageForm, _ page: PageContext) async throws -> Response {
    guard try await page.isFirst(form) else { return page.redirectAsDone(to: ["admin", "users"]) }
    let name = Self.text(form["username"], limit: 256)
    let mail = form["mail"].map { Self.text($0, limit: 320) } ?? ""
    let password = form["password"] ?? ""
    do {
      let user = try await accounts.create(
        UserRecord(realm: page.realm, username: name, mail: mail.isEmpty ? [] : [mail], createdAt: page.now),
        password: password.isEmpty ? nil : password, by: page.session.actor)
      return page.redirect(to: ["admin", "users", user.username], notice: "admin.created")
    } catch { return try await list(page, problem: try administration.problem(error), draft: form) }
  }

  // MARK: One account

  private func account(_ page: PageContext) throws -> UniversalID {
    try AccountName.account(page.parameter("user"), realm: page.realm)
  }

  private func show(_ page: PageContext, problem: String? = nil) async throws -> Response {
    let (account, texts) = (try account(page), page.texts)
    guard let user = try await store.user(account) else { throw ErrorResponse.noSuchUser }
    let locks = try await store.locks(
      usernames: [user.username], realm: user.realm, now: page.now)[user.username]
    var kinds: [PageValue] = []
    var (keys, others) = (0, 0)
    for kind in devices {
      let all: [any DeviceRecord] = try await kind.all(of: account)
      if type(of: kind).isKey { keys += all.count } else { others += all.count }
      if !all.isEmpty { kinds.append(Self.value(kind, all, page)) }
    }
    return try page.administration(
      .adminUser, .users, title: user.username, problem: problem,
      [
        "name": .text(user.username), "mail": .optional(user.mail.first),
        "states": .list(Self.states(of: user, locks, texts)), "created": page.time(user.createdAt),
        "lockedUntil": page.time(locks?.guesses ?? locks?.signatures),
        "hasPassword": .flag(user.passwordHash != nil), "isActive": .flag(user.isActive),
        "kinds": .list(kinds), "hasDevices": .flag(!kinds.isEmpty),
        "lastSignIn": page.time(try await administration.store.latestSuccess(of: account)),
        "sessionCount": .text(String(try await store.sessions(of: account, now: page.now).count)),
        "protection": .text(
          Protection(hasPassword: user.passwordHash != nil, keys: keys, others: others).sentence(texts)),
        "hasGiven": .flag(!user.roles.isEmpty),
        "hasOthers": .flag(user.roles.count < AccountRole.allCases.count),
        "given": .list(Self.roles(user.roles.contains, texts)),
        "others": .list(Self.roles({ !user.roles.contains($0) }, texts)),
        "whyLink": .link(page.link(["admin", "signins"], [("name", user.username)])),
        "ledgerLink": .link(page.link(["admin", "ledger"], [("name", user.username)])),
        "usersLink": .link(page.link(["admin", "users"])),
        "selfLink": .link(page.link(["admin", "users", user.username])),
      ])
  }

  private static func roles(_ isIncluded: (AccountRole) -> Bool, _ texts: Texts) -> [PageValue] {
    AccountRole.allCases.filter(isIncluded).map {
      ["role": .text($0.rawValue), "name": .text(name(of: $0, texts))]
    }
  }

  private static func name(of role: AccountRole, _ texts: Texts) -> String {
    switch role {
    case .administrator: texts["admin.roleAdministrator"]
    case .helpDesk: texts["admin.roleHelpDesk"]
    case .auditor: texts["admin.roleAuditor"]
    }
  }

  private static func value(
    _ kind: any DeviceKind, _ devices: [any DeviceRecord], _ page: PageContext
  ) -> PageValue {
    let name = type(of: kind).name
    return [
      "kind": .text(name), "kindName": .text(Self.name(ofKind: name, page.texts)),
      "devices": .list(
        devices.map { device in
          [
            "name": .text(device.deviceName), "id": .text(device.uuid),
            "added": page.time(device.createdDate), "used": page.time(device.lastAccessDate),
          ]
        }),
    ]
  }

  static func name(ofKind kind: String, _ texts: Texts) -> String {
    switch kind {
    case BoundDevices.name, "bound": texts["admin.kindBinding"]
    case WebAuthnDevices.name: texts["admin.kindWebAuthn"]
    case OathDevices.name: texts["admin.kindOath"]
    case PushDevices.name: texts["admin.kindPush"]
    default: kind
    }
  }

  /// Does what the form asks for. Every act except unlocking and activating needs a reason, which its event records.
  private func change(_ form: PageForm, _ page: PageContext) async throws -> Response {
    let account = try account(page)
    let act = form["do"] ?? ""
    do {
      let reason = Self.text(form["reason"], limit: Self.longestReason)
      guard !reason.isEmpty || ["activate", "unlock"].contains(act) else {
        return try await show(page, problem: page.texts["admin.reasonNeeded"])
      }
      let accounts = reason.isEmpty ? accounts : accounts.because(reason)
      if act == "delete" {
        guard form["name"] == account.username else {
          return try await show(page, problem: page.texts["admin.nameNeeded", ["name": account.username]])
        }
        _ = try await accounts.delete(account, by: page.session.actor)
        return page.redirect(to: ["admin", "users"], notice: "admin.deleted")
      }
      return page.redirect(
        to: ["admin", "users", page.parameter("user")],
        notice: try await perform(act, form, on: account, accounts, page))
    } catch { return try await show(page, problem: try administration.problem(error)) }
  }

  /// Returns the key of the text that says what was done.
  private func perform(
    _ act: String, _ form: PageForm, on account: UniversalID, _ accounts: Accounts, _ page: PageContext
  ) async throws -> String {
    let actor = page.session.actor
    switch act {
    case "activate", "deactivate":
      _ = try await accounts.change(account, by: actor) { _ in
        var change = AccountChange()
        change.isActive = act == "activate"
        return change
      }
      return act == "activate" ? "admin.activated" : "admin.deactivated"
    case "unlock":
      return try await accounts.unlock(account, by: actor) ? "admin.unlocked" : "admin.wasNotLocked"
    case "password":
      _ = try await accounts.change(account, by: actor) { _ in
        var change = AccountChange()
        change.password = form["password"] ?? ""
        change.mustChangePassword = true
        return change
      }
      return "admin.passwordSet"
    case "sessions":
      try await accounts.endSessions(of: account, by: actor)
      return "admin.sessionsEnded"
    case "grant", "revoke":
      guard let role = form["role"].flatMap(AccountRole.init) else {
        throw ErrorResponse.badRequest("There is no such role.")
      }
      _ = try await accounts.change(role, isGrant: act == "grant", of: account, by: actor)
      return act == "grant" ? "admin.roleGiven" : "admin.roleTaken"
    case "remove", "reset":
      guard let kind = devices.first(where: { type(of: $0).name == form["kind"] }) else {
        throw ErrorResponse.badRequest("There is no such kind of device.")
      }
      guard act == "remove" else {
        try await kind.reset(account, by: actor, accounts)
        return "admin.resetDone"
      }
      let gone = try await kind.remove(form["device"] ?? "", of: account, by: actor, accounts)
      return gone == nil ? "methods.gone" : "admin.deviceRemoved"
    default: throw ErrorResponse.badRequest("The form names no action.")
    }
  }

  static func text(_ text: String?, limit: Int) -> String {
    String((text ?? "").trimmingCharacters(in: .whitespacesAndNewlines).prefix(limit))
  }
}
