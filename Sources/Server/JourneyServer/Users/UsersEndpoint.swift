internal import Foundation
internal import Hummingbird
internal import JourneyStore
internal import PasswordHashing
internal import StrictJSON

/// `/users`: accounts, for themselves and for administrators.
struct UsersEndpoint: Sendable {
  let store: any ServerStore
  let sessions: SessionAuthority
  let passwords: PasswordHasher

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
    let session = try await sessions.requireSession(request)
    try await sessions.requireAdministrator(session, of: realm)
    let draft = try UserDraft(try await RequestBodyReader.object(of: request))
    guard let username = draft.username else { throw ErrorResponse.badRequest("Send a username.") }
    if let fault = AccountName.fault(in: username) { throw ErrorResponse.badRequest(fault) }
    // Before the costly hash; the store decides for good.
    if try await store.user(named: username, realm: realm) != nil {
      throw StoreError.conflict("user \(username)")
    }
    var passwordHash: String?
    if let password = draft.password { passwordHash = try await passwords.hash(password) }
    let user = UserRecord(
      realm: realm, username: username, passwordHash: passwordHash, isActive: draft.isActive ?? true,
      mail: draft.mail ?? [], attributes: draft.attributes, createdAt: sessions.clock())
    try await store.createUser(user)
    return .json(user.representation, status: .created)
  }

  private func list(_ request: Request, realm: String, query: QueryParameters) async throws -> Response {
    let session = try await sessions.requireSession(request)
    try await sessions.requireAdministrator(session, of: realm)
    guard query["_queryFilter"] == "true" || query["_queryId"] == "*" else {
      throw ErrorResponse.badRequest("Use _queryFilter=true.")
    }
    return .json(.queryResult(try await store.users(realm: realm).map(\.representation)))
  }

  // MARK: One account

  func respond(to request: Request, name: String, realm: String) async throws -> Response {
    guard [.get, .put, .delete].contains(request.method) else {
      throw ErrorResponse.methodNotAllowed([.get, .put, .delete])
    }
    let session = try await sessions.requireSession(request)
    let account = try AccountName.account(name, realm: realm)
    try await sessions.requireAccess(session, to: account)
    guard request.method != .delete else {
      try await sessions.requireFactorChange(session, of: account)
      guard let user = try await store.deleteUser(named: account.username, realm: realm) else {
        throw Self.unknown
      }
      return .json(user.representation)
    }
    guard let user = try await store.user(named: account.username, realm: realm) else { throw Self.unknown }
    return .json(
      request.method == .get
        ? user.representation : try await update(user, request: request, session: session).representation)
  }

  private static let unknown = ErrorResponse.notFound("There is no such user in this realm.")

  /// Replaces mail and attributes; keeps the name, and password and status unless given.
  private func update(
    _ user: UserRecord, request: Request, session: AuthenticatedSession
  ) async throws -> UserRecord {
    let draft = try UserDraft(try await RequestBodyReader.object(of: request))
    let account = UniversalID(username: user.username, realm: user.realm)
    if let name = draft.username, UniversalID(username: name, realm: user.realm) != account {
      throw ErrorResponse.badRequest("An account keeps its username.")
    }
    let isAdministrator = try await sessions.isAdministrator(session, of: user.realm)
    var updated = user
    updated.mail = draft.mail ?? []
    updated.attributes = draft.attributes
    if let isActive = draft.isActive, isActive != user.isActive {
      guard isAdministrator else { throw ErrorResponse.forbidden("only administrators change the status") }
      updated.isActive = isActive
    }
    if let password = draft.password {
      try await sessions.requireFactorChange(session, of: account)
      if session.account == account { try await provePassword(draft.currentPassword, of: user) }
      updated.passwordHash = try await passwords.hash(password)
    }
    guard try await store.updateUser(updated) else { throw Self.unknown }
    if !updated.isActive, user.isActive {
      _ = try await store.deleteSessions(username: user.username, realm: user.realm)
    }
    return updated
  }

  /// A stolen session must not be enough to take an account over, nor to guess its password.
  private func provePassword(_ password: String?, of user: UserRecord) async throws {
    let now = sessions.clock()
    let refusal = ErrorResponse.forbidden(
      "the current password is missing or wrong, or the account is locked")
    guard let password, try await !store.lockout(username: user.username, realm: user.realm).isLocked(at: now)
    else { throw refusal }
    guard try await passwords.verify(password, against: user.passwordHash) else {
      _ = try await store.recordFailure(
        username: user.username, realm: user.realm, policy: .standard, now: now)
      throw refusal
    }
  }
}
