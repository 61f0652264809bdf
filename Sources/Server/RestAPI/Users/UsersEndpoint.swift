internal import Accounts
internal import BindingFormats
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import JourneyNodes
internal import JourneyStore
internal import PasswordHashing
internal import ServerHTTP
internal import StrictJSON

/// `/users`: accounts, for themselves and for those with a role. ``Accounts`` decides.
struct UsersEndpoint: SessionEndpoint {
  let sessions: SessionAuthority
  let passwords: PasswordHasher
  let check: PasswordCheck

  private var accounts: Accounts { sessions.accounts }

  var routes: [Route] {
    [
      Route("users", [.get: list, .post: create], bodyLimit: \.userBody),
      Route(
        "users/:user", [.get: read, .post: unlock, .put: replace, .delete: remove], bodyLimit: \.userBody),
    ]
  }

  // MARK: The collection

  private func create(_ request: Request, in context: ResourceContext) async throws -> Response {
    try QueryParameters(request.uri.query).requireCreation(of: "users")
    let body = try await RequestBodyReader.object(of: request)
    let session = try await sessions.requireSession(request)
    // A session without the right learns only that, and nothing about what it sent.
    try await sessions.require(.administrate, session, of: context.realm)
    let draft = try UserDraft(body)
    let isTrial = request.isTrial
    let user = try await accounts.create(
      try draft.account(realm: context.realm, at: sessions.clock(), passwords: passwords),
      password: draft.change.password, by: session.actor, isTrial: isTrial)
    return .json(user.representation(), status: isTrial ? .ok : .created)
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

  private func read(_ request: Request, in context: ResourceContext) async throws -> Response {
    let (account, session) = try await sessions.account(request, in: context)
    try await sessions.require(.readAccounts, session, over: account)
    let user = try await requireUser(account)
    let fields = try UserFields(QueryParameters(request.uri.query))
    guard try await accounts.allows(.readAccounts, session.record, of: account.realm) else {
      return .json(fields.selected(of: user.representation()))
    }
    let locks = try await store.locks(
      usernames: [user.username], realm: account.realm, now: sessions.clock())
    return .json(fields.selected(of: user.representation(locks: locks[user.username])))
  }

  /// Replaces mail and attributes; keeps the name, and password, status and the password's state unless given.
  func replace(_ request: Request, in context: ResourceContext) async throws -> Response {
    // The body is read before anything is looked up.
    let body = try await RequestBodyReader.object(of: request)
    let (account, session) = try await sessions.account(request, in: context)
    try await sessions.require(.support, session, over: account)
    let draft = try UserDraft(body)
    let expected = request.expectedRevision
    let cookies = request.headers[.cookie]
    let check = check
    let user = try await accounts.change(account, by: session.actor) { user in
      guard draft.passwordHash == nil else {
        throw ErrorResponse.badRequest("A userpasswordhash is for new accounts.")
      }
      if let name = draft.username, UniversalID(username: name, realm: user.realm) != account {
        throw ErrorResponse.badRequest("An account keeps its username.")
      }
      var change = draft.change
      if let expected {
        guard user.representation()["_rev"]?.stringValue == expected else {
          throw ErrorResponse.changedMeanwhile
        }
        change.revision = user.revision
      }
      change.proof = { user in
        guard let password = draft.currentPassword else { return nil }
        return try await check.provenVersion(password, of: user, cookies: cookies)
      }
      return change
    }
    return .json(user.representation())
  }

  private func remove(_ request: Request, in context: ResourceContext) async throws -> Response {
    let (account, session) = try await sessions.account(request, in: context)
    return .json(try await accounts.delete(account, by: session.actor).representation())
  }

  /// Forgets failed attempts and locks.
  private func unlock(_ request: Request, in context: ResourceContext) async throws -> Response {
    let (account, session) = try await sessions.account(request, in: context)
    guard try QueryParameters(request.uri.query)["_action"] == "unlock" else {
      throw ErrorResponse.badRequest("The parameter _action names no action of a user.")
    }
    return .json(["result": .bool(try await accounts.unlock(account, by: session.actor))])
  }
}

extension Request {
  /// Whether the request is only checked and nothing is stored: `dryRun=true`, Sealring's own parameter.
  var isTrial: Bool { (try? QueryParameters(uri.query))?["dryRun"] == "true" }

  /// The `_rev` that `If-Match` demands (RFC 9110 §13.1.1); `nil` for any.
  fileprivate var expectedRevision: String? {
    guard let text = headers[.ifMatch], text != "*" else { return nil }
    return text.filter { $0 != "\"" }
  }
}

extension UserDraft {
  /// The account that is to be made.
  ///
  /// - Throws: 400 for a name or a hash that cannot be used.
  fileprivate func account(
    realm: String, at now: Date, passwords: PasswordHasher
  ) throws(ErrorResponse) -> UserRecord {
    guard let username else { throw .badRequest("Send a username.") }
    if let hash = passwordHash {
      guard change.password == nil else {
        throw .badRequest("Send userpassword or userpasswordhash, not both.")
      }
      if let fault = passwords.fault(inHash: hash) {
        throw .badRequest("The userpasswordhash cannot be used: \(fault).")
      }
    }
    var user = UserRecord(
      realm: realm, username: username, passwordHash: passwordHash, isActive: change.isActive ?? true,
      mail: change.mail ?? [], attributes: attributes, createdAt: now,
      mustChangePassword: change.mustChangePassword ?? false)
    if case .at(let expiry) = change.passwordExpiry { user.passwordExpiry = expiry }
    return user
  }
}
