internal import BindingFormats
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
      Kind.isOptional
        ? Route(path, [.get: list, .post: act], events: { try $0.devicesReset(Kind.name) })
        : Route(reading: path, list),
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
    let devices = try await kind.devices.all(of: account)
    if devices.isEmpty { try await requireUser(account) }
    return .json(.queryResult(devices.map(Self.representation)))
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
    switch action {
    case "check":
      return .json(["result": .bool(try await kind.devices.skipSetting(of: account) == .skippable)])
    case "skip":
      guard let value = body["value"]?.boolValue else {
        throw ErrorResponse.badRequest("Send value, true or false.")
      }
      guard try await kind.devices.set(value ? .skippable : .notSkippable, of: account) else {
        throw Self.unknownUser
      }
      return .json([:])
    case "reset":
      for device in try await kind.devices.reset(account) { kind.ended(device) }
      return .json(["result": true])
    default: throw ErrorResponse.badRequest("The parameter _action must be reset, check or skip.")
    }
  }

  // MARK: One device

  private func read(_ request: Request, in context: ResourceContext) async throws -> Response {
    let account = try await sessions.require(
      .readFactors, request, user: context.user, realm: context.realm)
    return try Self.answer(try await kind.devices.all(of: account).first { Kind.names(context.id, $0) })
  }

  func rename(_ request: Request, in context: ResourceContext) async throws -> Response {
    let body = try await RequestBodyReader.object(of: request)
    let account = try await sessions.require(
      .administrate, request, user: context.user, realm: context.realm)
    let name = try DeviceName(body).text
    if let fault = Kind.fault(inName: name) { throw ErrorResponse.badRequest(fault) }
    return try Self.answer(try await kind.devices.rename(context.id, of: account, to: name))
  }

  private func remove(_ request: Request, in context: ResourceContext) async throws -> Response {
    _ = try await RequestBodyReader.object(of: request)
    let account = try await sessions.requireFactorChange(
      request, user: context.user, realm: context.realm)
    let device = try await kind.devices.delete(context.id, of: account)
    if let device { kind.ended(device) }
    return try Self.answer(device)
  }

  private static func answer(_ device: Kind.Record?) throws(ErrorResponse) -> Response {
    guard let device else { throw .notFound("There is no such device.") }
    return .json(representation(device))
  }

  private static func representation(_ device: Kind.Record) -> JSONObject {
    device.representation(Kind.members(of: device))
  }

  private func requireUser(_ account: UniversalID) async throws {
    guard try await users.user(account) != nil else {
      throw Self.unknownUser
    }
  }

  private static var unknownUser: ErrorResponse { .notFound("There is no such user in this realm.") }
}
