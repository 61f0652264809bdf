internal import Hummingbird
internal import JourneyStore
internal import StrictJSON

/// `/users/{user}/devices/…`: an account's devices of one kind are listed, renamed and removed here, and the account says
/// whether it does without, as in PingAM.
struct DevicesEndpoint<Kind: DeviceKind>: Endpoint {
  let kind: Kind
  let users: any UserStore
  let sessions: SessionAuthority

  init(_ kind: Kind, users: any UserStore, sessions: SessionAuthority) {
    self.kind = kind
    self.users = users
    self.sessions = sessions
  }

  var routes: [Route] {
    let path = "users/:user/\(Kind.path)"
    return [
      kind.choice == nil
        ? Route(reading: path, list)
        : Route(path, [.get: list, .post: act], events: { try $0.devicesReset(Kind.name) }),
      Kind.isReadable
        ? Route("\(path)/:id", [.get: read, .put: rename, .delete: remove], events: Self.changed)
        : Route("\(path)/:id", [.put: rename, .delete: remove], events: Self.changed),
    ]
  }

  private static var changed: Route.Events { { try $0.deviceChanged(Kind.name) } }

  // MARK: All devices

  private func list(_ request: Request, in context: ResourceContext) async throws -> Response {
    let account = try await sessions.require(
      .readFactors, request, user: context.user, realm: context.realm)
    try QueryParameters(request.uri.query).requireAllRecords()
    let devices = try await kind.devices(of: account)
    if devices.isEmpty { try await requireUser(account) }
    return .json(.queryResult(devices.map(Kind.representation)))
  }

  private func act(_ request: Request, in context: ResourceContext) async throws -> Response {
    // Read first, so that a body sent late changes nothing that was looked up before.
    let body = try await RequestBodyReader.object(of: request)
    let action = try QueryParameters(request.uri.query)["_action"]
    let (user, realm) = (context.user, context.realm)
    let account: UniversalID
    switch action {
    case "reset":
      account = try await sessions.requireFactorChange(request, user: user, realm: realm)
    case "skip":
      account = try await sessions.requireFactorChange(
        request, user: user, realm: realm, capability: .administrate)
    default: account = try await sessions.require(.readFactors, request, user: user, realm: realm)
    }
    try await requireUser(account)
    switch (action, kind.choice) {
    case ("check", let choice?):
      return .json(["result": .bool(try await choice.skipSetting(of: account) == .skippable)])
    case ("skip", let choice?):
      guard let value = body["value"]?.boolValue else {
        throw ErrorResponse.badRequest("Send value, true or false.")
      }
      guard try await choice.set(value ? .skippable : .notSkippable, of: account) else {
        throw Self.unknownUser
      }
      return .json([:])
    case ("reset", let choice?):
      try await choice.reset(account)
      return .json(["result": true])
    default: throw ErrorResponse.badRequest("The parameter _action must be reset, check or skip.")
    }
  }

  // MARK: One device

  private func read(_ request: Request, in context: ResourceContext) async throws -> Response {
    let account = try await sessions.require(
      .readFactors, request, user: context.user, realm: context.realm)
    return try Self.answer(try await kind.devices(of: account).first { Kind.names(context.id, $0) })
  }

  func rename(_ request: Request, in context: ResourceContext) async throws -> Response {
    let body = try await RequestBodyReader.object(of: request)
    let account = try await sessions.require(
      .administrate, request, user: context.user, realm: context.realm)
    let name = try DeviceName(body).text
    if let fault = Kind.fault(inName: name) { throw ErrorResponse.badRequest(fault) }
    return try Self.answer(try await kind.rename(context.id, of: account, to: name))
  }

  private func remove(_ request: Request, in context: ResourceContext) async throws -> Response {
    _ = try await RequestBodyReader.object(of: request)
    let account = try await sessions.requireFactorChange(
      request, user: context.user, realm: context.realm)
    return try Self.answer(try await kind.remove(context.id, of: account))
  }

  private static func answer(_ device: Kind.Record?) throws(ErrorResponse) -> Response {
    guard let device else { throw .notFound("There is no such device.") }
    return .json(Kind.representation(of: device))
  }

  private func requireUser(_ account: UniversalID) async throws {
    guard try await users.user(named: account.username, realm: account.realm) != nil else {
      throw Self.unknownUser
    }
  }

  private static var unknownUser: ErrorResponse { .notFound("There is no such user in this realm.") }
}
