internal import Accounts
internal import BindingFormats
internal import Hummingbird
internal import JourneyStore
internal import ServerHTTP
internal import StrictJSON

/// `/users/{user}/roles`: which roles an account has, for those who read accounts. Administrators grant and revoke them one at
/// a time, so that two of them do not undo each other's change.
struct RolesEndpoint: SessionEndpoint {
  let sessions: SessionAuthority

  var routes: [Route] {
    [Route("users/:user/roles", [.get: read, .post: change])]
  }

  private func read(_ request: Request, in context: ResourceContext) async throws -> Response {
    let account = try await sessions.require(.readAccounts, request, in: context)
    return Self.answer(try await requireUser(account))
  }

  private func change(_ request: Request, in context: ResourceContext) async throws -> Response {
    // The body is read before anything is looked up.
    let body = try await RequestBodyReader.object(of: request)
    let (account, session) = try await sessions.account(request, in: context)
    let isGrant: Bool
    switch try QueryParameters(request.uri.query)["_action"] {
    case "grant": isGrant = true
    case "revoke": isGrant = false
    default: throw ErrorResponse.badRequest("The parameter _action must be grant or revoke.")
    }
    guard let role = try body.text("role").flatMap({ AccountRole(rawValue: $0) }) else {
      throw ErrorResponse.badRequest(
        "Send a role: \(AccountRole.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    return Self.answer(
      try await sessions.accounts.change(role, isGrant: isGrant, of: account, by: session.actor))
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
