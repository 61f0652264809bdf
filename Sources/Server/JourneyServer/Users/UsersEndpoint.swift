internal import BindingFormats
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import JourneyNodes
internal import JourneyStore
internal import PageTemplates
internal import PasswordHashing
internal import PasswordRules
internal import StrictJSON

/// `/users`: accounts, for themselves and for those with a role.
///
/// A change is made by one write that looks again at the session, its account and its right (``JourneyStore/Caller``):
/// hashing a password takes a while, and longer when somebody keeps the hashing threads busy.
struct UsersEndpoint: Endpoint {
  let store: any UserStore & LockoutStore & IdentityStore
  let sessions: SessionAuthority
  let passwords: PasswordHasher
  let check: PasswordCheck
  let policy: PasswordPolicy

  /// Which attributes accounts have.
  let schema: ManagedSchema

  var routes: [Route] {
    [
      Route(
        "users", [.get: list, .post: create], events: { $0.accountCreated() }, bodyLimit: \.userBody),
      Route(
        "users/:user", [.get: read, .post: unlock, .put: replace, .delete: remove],
        events: { try $0.accountChanged() }, bodyLimit: \.userBody),
    ]
  }

  // MARK: The collection

  private func create(_ request: Request, in context: ResourceContext) async throws -> Response {
    try QueryParameters(request.uri.query).requireCreation(of: "users")
    let realm = context.realm
    let body = try await RequestBodyReader.object(of: request)
    let session = try await sessions.requireSession(request)
    let isTrial = request.isTrial
    let user = try await created(body, realm: realm, by: session, isTrial: isTrial)
    return .json(user.representation(), status: isTrial ? .ok : .created)
  }

  /// Creates an account, for whichever interface.
  ///
  /// - Parameters:
  ///   - object: the members of the account, as REST takes them.
  ///   - isTrial: checks everything and stores nothing.
  func created(
    _ object: JSONObject, realm: String, by session: AuthenticatedSession, isTrial: Bool
  ) async throws -> UserRecord {
    try await sessions.require(.administrate, session, of: realm)
    let draft = try UserDraft(object)
    try draft.require(schema, before: nil)
    guard let username = draft.username else { throw ErrorResponse.badRequest("Send a username.") }
    if let fault = LoginName.fault(in: username) { throw ErrorResponse.badRequest(fault) }
    // Before the costly hash; the store decides for good.
    if try await store.user(named: username, realm: realm) != nil {
      throw StoreError.conflict("user \(username)")
    }
    var passwordHash = draft.passwordHash
    if let hash = draft.passwordHash {
      guard draft.password == nil else {
        throw ErrorResponse.badRequest("Send userpassword or userpasswordhash, not both.")
      }
      if let fault = passwords.fault(inHash: hash) {
        throw ErrorResponse.badRequest("The userpasswordhash cannot be used: \(fault).")
      }
    }
    if let password = draft.password { try requireGood(password, username: username, mail: draft.mail ?? []) }
    if let password = draft.password, !isTrial { passwordHash = try await passwords.hash(password) }
    var user = UserRecord(
      realm: realm, username: username, passwordHash: passwordHash, isActive: draft.isActive ?? true,
      mail: draft.mail ?? [], attributes: draft.attributes, createdAt: sessions.clock(),
      mustChangePassword: draft.mustChangePassword ?? false)
    if case .at(let expiry) = draft.passwordExpiry { user.passwordExpiry = expiry }
    guard !isTrial else { return user }
    try await store.createUser(user, by: sessions.caller(session, by: .capability(.administrate)))
    return user
  }

  private func list(_ request: Request, in context: ResourceContext) async throws -> Response {
    let query = try QueryParameters(request.uri.query)
    try await sessions.require(.readAccounts, request, of: context.realm)
    guard query["_queryFilter"] != nil || query["_queryId"] == "*" else {
      throw ErrorResponse.badRequest(
        "Use _queryFilter=true, or a filter such as: mail eq \"ada@example.com\"")
    }
    return .json(try await UserPage(query).answer(from: store, realm: context.realm, now: sessions.clock()))
  }

  // MARK: One account

  /// How each request for one account begins.
  private func opened(
    _ request: Request, _ capability: Capability, in context: ResourceContext
  ) async throws -> (account: UniversalID, session: AuthenticatedSession, right: Caller.Right) {
    let session = try await sessions.requireSession(request)
    let account = try AccountName.account(context.user, realm: context.realm)
    return (account, session, try await sessions.require(capability, session, over: account))
  }

  private func read(_ request: Request, in context: ResourceContext) async throws -> Response {
    let (account, session, _) = try await opened(request, .readAccounts, in: context)
    guard let user = try await store.user(account) else {
      throw ErrorResponse.noSuchUser
    }
    let fields = try UserFields(QueryParameters(request.uri.query))
    guard try await sessions.allows(.readAccounts, session, of: account.realm) else {
      return .json(try fields.selected(of: user.representation()))
    }
    let locks = try await store.locks(
      usernames: [user.username], realm: account.realm, now: sessions.clock())
    return .json(try fields.selected(of: user.representation(locks: locks[user.username])))
  }

  func replace(_ request: Request, in context: ResourceContext) async throws -> Response {
    // Before anything is looked up.
    let body = try await RequestBodyReader.object(of: request)
    let (account, session, right) = try await opened(request, .support, in: context)
    let user = try await update(
      account, with: UserDraft(body), session: session, right: right, cookies: request.headers[.cookie])
    return .json(user.representation())
  }

  private func remove(_ request: Request, in context: ResourceContext) async throws -> Response {
    let (account, session, right) = try await opened(request, .administrate, in: context)
    try await sessions.requireFactorChange(session, of: account)
    let user = try await store.deleteUser(account, by: sessions.caller(session, by: right))
    guard let user else { throw ErrorResponse.noSuchUser }
    return .json(user.representation())
  }

  /// Forgets failed attempts and locks. An account needs the capability even for itself: a stolen session must not allow further
  /// guesses of its password.
  private func unlock(_ request: Request, in context: ResourceContext) async throws -> Response {
    let session = try await sessions.requireSession(request)
    let account = try AccountName.account(context.user, realm: context.realm)
    guard try QueryParameters(request.uri.query)["_action"] == "unlock" else {
      throw ErrorResponse.badRequest("The parameter _action names no action of a user.")
    }
    return .json(["result": .bool(try await unlocked(account, by: session))])
  }

  /// Forgets the failures and locks of an account, for whichever interface; whether there were any.
  func unlocked(_ account: UniversalID, by session: AuthenticatedSession) async throws -> Bool {
    let user = try await store.user(account)
    guard try await sessions.allows(.support, session, of: account.realm, over: user?.roles) else {
      throw ErrorResponse.forbidden("\(session.account.text) may not unlock \(account.text)")
    }
    guard let user else { throw ErrorResponse.noSuchUser }
    return try await store.unlock(
      of: user.account, by: sessions.caller(session, by: .capability(.support)))
  }

  /// Replaces mail and attributes; keeps the name, and password, status and the password's state unless given.
  private func update(
    _ account: UniversalID, with draft: UserDraft, session: AuthenticatedSession, right: Caller.Right,
    cookies: String?
  ) async throws -> UserRecord {
    guard let user = try await store.user(account) else {
      throw ErrorResponse.noSuchUser
    }
    guard draft.passwordHash == nil else {
      throw ErrorResponse.badRequest("A userpasswordhash is for new accounts.")
    }
    if let name = draft.username, UniversalID(username: name, realm: user.realm) != account {
      throw ErrorResponse.badRequest("An account keeps its username.")
    }
    try draft.require(schema, before: user)
    let isAdministrator = try await sessions.allows(.administrate, session, of: user.realm)
    var change = UserChange(
      of: user, caller: sessions.caller(session, by: isAdministrator ? .capability(.administrate) : right))
    let isHelp = !isAdministrator && right != .ownAccount
    if isHelp {
      try draft.requirePasswordOnly(of: user)
      // The help desk knows the password, so the person must choose another.
      change.mustChangePassword = draft.mustChangePassword ?? (draft.password == nil ? nil : true)
    } else {
      let keepsMail = !isAdministrator && !schema.isEditable(ManagedAttribute.mail)
      change.mail = draft.mail ?? (keepsMail ? user.mail : [])
      change.attributes = draft.attributes(replacing: user, isOwner: !isAdministrator, schema)
    }
    if isAdministrator {
      change.isActive = draft.isActive
      change.mustChangePassword = draft.mustChangePassword
      change.passwordExpiry = draft.passwordExpiry
    } else if !isHelp {
      try draft.requireOwnersMembersOnly(of: user, schema)
    }
    if let password = draft.password {
      try requireGood(password, username: user.username, mail: draft.mail ?? user.mail)
      try await sessions.requireFactorChange(session, of: account)
      var checkedVersion: Int?
      if session.account == account {
        checkedVersion = try await provePassword(draft.currentPassword, of: user, cookies: cookies)
        // A person who has chosen the password need not choose another.
        change.mustChangePassword = change.mustChangePassword ?? false
      }
      change.password = UserChange.Password(
        hash: try await passwords.hash(password), checkedVersion: checkedVersion)
    }
    switch try await store.updateUser(change) {
    case .changed(let user): return user
    case .noSuchUser: throw ErrorResponse.noSuchUser
    case .passwordChanged: throw Self.unproven
    case .revisionChanged: throw ErrorResponse.changedMeanwhile
    }
  }

  /// - Throws: 400 with what is wrong with a new password, as PingAM's policies say it.
  private func requireGood(_ password: String, username: String, mail: [String]) throws(ErrorResponse) {
    let faults = policy.faults(in: password, context: [username] + mail)
    guard !faults.isEmpty else { return }
    var refusal = ErrorResponse(
      .badRequest, faults.map(\.description).joined(separator: " "),
      detail: [
        "result": false,
        "failedPolicyRequirements": [
          [
            "property": "userpassword",
            "policyRequirements": .array(faults.map { .object($0.requirement) }),
          ]
        ],
      ])
    refusal.wording = faults.map(AccountPassword.wording(of:))
    throw refusal
  }

  private static let unproven = ErrorResponse.forbidden(
    "the current password is missing or wrong, or the account is locked")

  /// A stolen session must not be enough to take an account over, nor to guess its password.
  ///
  /// - Returns: the version of the password that is right.
  private func provePassword(
    _ password: String?, of user: UserRecord, cookies: String?
  ) async throws -> Int {
    guard let password,
      case .right(let checked) = try await check.verdict(
        username: user.username, password: password, realm: user.realm, cookies: cookies),
      checked.id == user.id
    else { throw Self.unproven }
    return checked.passwordVersion
  }
}

extension Request {
  /// Whether everything is to be checked and nothing to be stored: `dryRun=true`, ours.
  var isTrial: Bool { (try? QueryParameters(uri.query))?["dryRun"] == "true" }
}

extension UserDraft {
  /// Refuses what the help desk may not change. Unchanged members of an answer may come back with the new password.
  fileprivate func requirePasswordOnly(of user: UserRecord) throws(ErrorResponse) {
    guard mail ?? user.mail == user.mail, isActive ?? user.isActive == user.isActive, keepsExpiry(of: user),
      attributes.allSatisfy({ user.attributes[$0.name] == $0.value })
    else { throw .forbidden("the help desk sets passwords, and nothing else of an account") }
  }

  /// Refuses what only administrators may change. Unchanged members of an answer may come back.
  fileprivate func requireOwnersMembersOnly(
    of user: UserRecord, _ schema: ManagedSchema
  ) throws(ErrorResponse) {
    for (name, value) in attributes where !schema.isEditable(name) && user.attributes[name] != value {
      throw .forbidden("only administrators change the attribute \(name)")
    }
    guard schema.isEditable(ManagedAttribute.mail) || mail ?? user.mail == user.mail else {
      throw .forbidden("only administrators change the mail address")
    }
    guard isActive ?? user.isActive == user.isActive else {
      throw .forbidden("only administrators change the status")
    }
    guard mustChangePassword ?? user.mustChangePassword == user.mustChangePassword else {
      throw .forbidden("only administrators decide whether a password must be changed")
    }
    guard keepsExpiry(of: user) else { throw .forbidden("only administrators set the end of a password") }
  }

  private func keepsExpiry(of user: UserRecord) -> Bool {
    passwordExpiry.map { $0 == user.passwordExpiry.map(UserChange.Expiry.at) ?? .never } ?? true
  }
}
