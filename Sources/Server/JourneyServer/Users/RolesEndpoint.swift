internal import BindingFormats
internal import Hummingbird
internal import JourneyStore
internal import StrictJSON

/// `/users/{user}/roles`: which roles an account has, for those who read accounts. Administrators grant and revoke them one at
/// a time, so that two of them do not undo each other's change.
struct RolesEndpoint: Endpoint {
  let store: any UserStore
  let sessions: SessionAuthority

  var routes: [Route] {
    [Route("users/:user/roles", [.get: read, .post: change], events: { try $0.roleChanged() })]
  }

  private func read(_ request: Request, in context: ResourceContext) async throws -> Response {
    let account = try await sessions.require(
      .readAccounts, request, user: context.user, realm: context.realm)
    guard let user = try await store.user(account) else {
      throw ErrorResponse.noSuchUser
    }
    return Self.answer(user)
  }

  private func change(_ request: Request, in context: ResourceContext) async throws -> Response {
    // Before anything is looked up.
    let body = try await RequestBodyReader.object(of: request)
    let session = try await sessions.requireSession(request)
    let account = try AccountName.account(context.user, realm: context.realm)
    let isGrant: Bool
    switch try QueryParameters(request.uri.query)["_action"] {
    case "grant": isGrant = true
    case "revoke": isGrant = false
    default: throw ErrorResponse.badRequest("The parameter _action must be grant or revoke.")
    }
    try await sessions.require(.administrate, session, of: account.realm)
    guard let role = try body.text("role").flatMap({ AccountRole(rawValue: $0) }) else {
      throw ErrorResponse.badRequest(
        "Send a role: \(AccountRole.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    guard !isGrant || session.account != account else {
      throw ErrorResponse.forbidden("\(account.text) may not grant a role to its own account")
    }
    let outcome = try await store.changeRole(
      RoleChange(role, isGrant: isGrant, username: account.username, realm: account.realm),
      by: sessions.caller(session, by: .capability(.administrate)))
    guard case .changed(let user, _) = outcome else { throw ErrorResponse.noSuchUser }
    return Self.answer(user)
  }

  private static func answer(_ user: UserRecord) -> Response {
    let object: JSONObject = ["username": .string(user.username), "roles": user.roleNames]
    return .json(object.identified(by: user.username))
  }
}

extension UserRecord {
  /// The roles' names, always in the same order.
  var roleNames: JSONValue {
    .array(AccountRole.allCases.filter(roles.contains).map { .string($0.rawValue) })
  }
}
