internal import Accounts
internal import BindingFormats
internal import Hummingbird
internal import JourneyStore
internal import ServerHTTP
internal import StrictJSON

/// `/users/{user}/devices/…`: lists, renames and removes an account's devices of one kind, and lets the account do without
/// the kind, as in PingAM.
struct DevicesEndpoint<Kind: DeviceKind>: SessionEndpoint {
  let kind: Kind
  let sessions: SessionAuthority

  var routes: [Route] {
    let path = "users/:user/\(Kind.path)"
    return [
      Kind.isOptional
        ? Route(path, [.get: list, .post: act])
        : Route(reading: path, list),
      Kind.isReadable
        ? Route("\(path)/:id", [.get: read, .put: rename, .delete: remove])
        : Route("\(path)/:id", [.put: rename, .delete: remove]),
    ]
  }

  // MARK: All devices

  private func list(_ request: Request, in context: ResourceContext) async throws -> Response {
    let account = try await sessions.require(.readFactors, request, in: context)
    try QueryParameters(request.uri.query).requireAllRecords(isStated: false)
    let devices = try await kind.devices.all(of: account)
    if devices.isEmpty { try await requireUser(account) }
    return .json(.queryResult(devices.map(Self.representation)))
  }

  private func act(_ request: Request, in context: ResourceContext) async throws -> Response {
    // Read first, so that a late body cannot act on a lookup that is out of date.
    let body = try await RequestBodyReader.object(of: request)
    let (account, session) = try await sessions.account(request, in: context)
    let accounts = sessions.accounts
    switch try QueryParameters(request.uri.query)["_action"] {
    case "check":
      try await sessions.require(.readFactors, session, over: account)
      try await requireUser(account)
      return .json(["result": .bool(try await kind.devices.skipSetting(of: account) == .skippable)])
    case "skip":
      guard let value = body["value"]?.boolValue else {
        _ = try await accounts.permit(.skipMethods, account, by: session.actor)
        try await requireUser(account)
        throw ErrorResponse.badRequest("Send value, true or false.")
      }
      try await accounts.skipMethods(
        value ? .skippable : .notSkippable, kind: Kind.name, in: kind.devices, of: account, by: session.actor)
      return .json([:])
    case "reset":
      try await kind.reset(account, by: session.actor, accounts)
      return .json(["result": true])
    default:
      try await sessions.require(.readFactors, session, over: account)
      try await requireUser(account)
      throw ErrorResponse.badRequest("The parameter _action must be reset, check or skip.")
    }
  }

  // MARK: One device

  private func read(_ request: Request, in context: ResourceContext) async throws -> Response {
    let account = try await sessions.require(.readFactors, request, in: context)
    return try Self.answer(try await kind.devices.all(of: account).first { Kind.names(context.id, $0) })
  }

  func rename(_ request: Request, in context: ResourceContext) async throws -> Response {
    let body = try await RequestBodyReader.object(of: request)
    let (account, session) = try await sessions.account(request, in: context)
    _ = try await sessions.accounts.permit(.renameMethod, account, by: session.actor)
    let name = try DeviceName(body, member: Kind.nameMember).text
    if let fault = Kind.fault(inName: name) { throw ErrorResponse.badRequest(fault) }
    return try Self.answer(
      try await kind.rename(context.id, to: name, of: account, by: session.actor, sessions.accounts))
  }

  private func remove(_ request: Request, in context: ResourceContext) async throws -> Response {
    _ = try await RequestBodyReader.object(of: request)
    let (account, session) = try await sessions.account(request, in: context)
    return try Self.answer(
      try await kind.remove(context.id, of: account, by: session.actor, sessions.accounts))
  }

  private static func answer(_ device: Kind.Record?) throws(ErrorResponse) -> Response {
    guard let device else { throw .notFound("There is no such device.") }
    return .json(representation(device))
  }

  private static func representation(_ device: Kind.Record) -> JSONObject {
    device.representation(Kind.members(of: device))
  }
}

extension DeviceName {
  /// Takes `deviceName`; other members are ignored, because clients send the entire record.
  fileprivate init(_ object: JSONObject, member: String) throws(ErrorResponse) {
    var given = try object.text(member)
    if given == nil { given = try object.text("deviceName") }
    guard let given else {
      throw .badRequest("Send a deviceName.")
    }
    guard let name = DeviceName(given) else {
      throw .badRequest("A device name has 1 to \(Self.maximumLength) characters and no control characters.")
    }
    self = name
  }
}
