internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import JourneyNodes
internal import JourneyStore
internal import PasswordHashing
internal import PasswordRules
internal import StrictJSON

/// `/users`: accounts, for themselves and for administrators.
///
/// A change is made by one write that looks again at the session, its account and its right (``JourneyStore/Caller``):
/// hashing a password takes a while, and longer when somebody keeps the hashing threads busy.
struct UsersEndpoint: Sendable {
  let store: any ServerStore
  let sessions: SessionAuthority
  let passwords: PasswordHasher
  let check: PasswordCheck
  let policy: PasswordPolicy

  // MARK: The collection

  func respondForCollection(to request: Request, realm: String) async throws -> Response {
    let query = try QueryParameters(request.uri.query)
    switch request.method {
    case .post where query["_action"] == "create": return try await create(request, realm: realm)
    case .post: throw ErrorResponse.badRequest("The parameter _action names no action of users.")
    case .get: return try await list(request, realm: realm, query: query)
    default: throw ErrorResponse.methodNotAllowed([.get, .post])
    }
  }

  private func create(_ request: Request, realm: String) async throws -> Response {
    let body = try await RequestBodyReader.object(of: request)
    let session = try await sessions.requireSession(request)
    try await sessions.requireAdministrator(session, of: realm)
    let draft = try UserDraft(body)
    guard let username = draft.username else { throw ErrorResponse.badRequest("Send a username.") }
    if let fault = AccountName.fault(in: username) { throw ErrorResponse.badRequest(fault) }
    // Before the costly hash; the store decides for good.
    if try await store.user(named: username, realm: realm) != nil {
      throw StoreError.conflict("user \(username)")
    }
    var passwordHash: String?
    if let password = draft.password {
      try requireGood(password, username: username, mail: draft.mail ?? [])
      passwordHash = try await passwords.hash(password)
    }
    var user = UserRecord(
      realm: realm, username: username, passwordHash: passwordHash, isActive: draft.isActive ?? true,
      mail: draft.mail ?? [], attributes: draft.attributes, createdAt: sessions.clock(),
      mustChangePassword: draft.mustChangePassword ?? false)
    if case .at(let expiry) = draft.passwordExpiry { user.passwordExpiry = expiry }
    try await store.createUser(user, by: sessions.caller(session, asAdministrator: true))
    return .json(user.representation, status: .created)
  }

  private func list(_ request: Request, realm: String, query: QueryParameters) async throws -> Response {
    let session = try await sessions.requireSession(request)
    try await sessions.requireAdministrator(session, of: realm)
    guard query["_queryFilter"] == "true" || query["_queryId"] == "*" else {
      throw ErrorResponse.badRequest("Use _queryFilter=true.")
    }
    return .json(try await UserPage(query).answer(from: store, realm: realm))
  }

  // MARK: One account

  func respond(to request: Request, name: String, realm: String) async throws -> Response {
    guard [.get, .put, .delete].contains(request.method) else {
      throw ErrorResponse.methodNotAllowed([.get, .put, .delete])
    }
    // Before anything is looked up.
    let body = request.method == .put ? try await RequestBodyReader.object(of: request) : JSONObject()
    let session = try await sessions.requireSession(request)
    let account = try AccountName.account(name, realm: realm)
    try await sessions.requireAccess(session, to: account)
    let user: UserRecord?
    switch request.method {
    case .put:
      user = try await update(
        account, with: UserDraft(body), session: session, cookies: request.headers[.cookie])
    case .delete:
      try await sessions.requireFactorChange(session, of: account)
      let isOwn = session.account == account
      user = try await store.deleteUser(
        named: account.username, realm: realm, by: sessions.caller(session, asAdministrator: !isOwn))
    default: user = try await store.user(named: account.username, realm: realm)
    }
    guard let user else { throw Self.unknown }
    return .json(user.representation)
  }

  private static let unknown = ErrorResponse.notFound("There is no such user in this realm.")

  /// Replaces mail and attributes; keeps the name, and password, status and the password's state unless given.
  private func update(
    _ account: UniversalID, with draft: UserDraft, session: AuthenticatedSession, cookies: String?
  ) async throws -> UserRecord {
    guard let user = try await store.user(named: account.username, realm: account.realm) else {
      throw Self.unknown
    }
    if let name = draft.username, UniversalID(username: name, realm: user.realm) != account {
      throw ErrorResponse.badRequest("An account keeps its username.")
    }
    let isAdministrator = try await sessions.isAdministrator(session, of: user.realm)
    var change = UserChange(of: user, caller: sessions.caller(session, asAdministrator: isAdministrator))
    change.mail = draft.mail ?? []
    change.attributes = draft.attributes
    if isAdministrator {
      change.isActive = draft.isActive
      change.mustChangePassword = draft.mustChangePassword
      change.passwordExpiry = draft.passwordExpiry
    } else {
      try draft.requireOwnersMembersOnly(of: user)
    }
    if let password = draft.password {
      try requireGood(password, username: user.username, mail: draft.mail ?? user.mail)
      try await sessions.requireFactorChange(session, of: account)
      var checkedVersion: Int?
      if session.account == account {
        checkedVersion = try await provePassword(draft.currentPassword, of: user, cookies: cookies)
        // Who has chosen a password need not choose another.
        change.mustChangePassword = change.mustChangePassword ?? false
      }
      change.password = UserChange.Password(
        hash: try await passwords.hash(password), checkedVersion: checkedVersion)
    }
    switch try await store.updateUser(change) {
    case .changed(let user): return user
    case .noSuchUser: throw Self.unknown
    case .passwordChanged: throw Self.unproven
    }
  }

  /// - Throws: 400 with what is wrong with a new password, as PingAM's policies say it.
  private func requireGood(_ password: String, username: String, mail: [String]) throws(ErrorResponse) {
    let faults = policy.faults(in: password, context: [username] + mail)
    guard !faults.isEmpty else { return }
    throw ErrorResponse(
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

extension UserDraft {
  /// Refuses what only administrators change. What an answer showed may come back with the rest of it.
  fileprivate func requireOwnersMembersOnly(of user: UserRecord) throws(ErrorResponse) {
    if let isActive, isActive != user.isActive {
      throw .forbidden("only administrators change the status")
    }
    if let mustChangePassword, mustChangePassword != user.mustChangePassword {
      throw .forbidden("only administrators decide whether a password must be changed")
    }
    let shown = user.passwordExpiry.map { UserChange.Expiry.at($0) } ?? .never
    if let passwordExpiry, passwordExpiry != shown {
      throw .forbidden("only administrators set the end of a password")
    }
  }
}
