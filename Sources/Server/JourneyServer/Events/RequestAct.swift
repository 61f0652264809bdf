internal import BindingFormats
internal import Concurrency
internal import Hummingbird
internal import JourneyStore
internal import SecurityEvents
internal import StrictJSON

/// What is learned of a request while it is answered: whose session it came with.
final class RequestTrail: Sendable {
  /// Of the request that the current task answers.
  @TaskLocal static var current: RequestTrail?

  private struct Found {
    var account: UniversalID?
    var endedSession: UniversalID?
  }

  private let found = Locked(Found())

  /// The account of the valid session that the request carries; `nil` while none was looked for or found.
  var account: UniversalID? { found.withLock { $0.account } }

  /// Whose session the request has ended by its token; `nil` when it was none.
  var endedSession: UniversalID? { found.withLock { $0.endedSession } }

  func note(_ account: UniversalID) { found.withLock { $0.account = account } }

  func note(endedSessionOf account: UniversalID) { found.withLock { $0.endedSession = account } }
}

/// A REST request that has changed something, as ``Route/events`` see it: what each kind of change means in security events.
struct RequestAct {
  let request: Request
  let query: QueryParameters
  let body: JSONObject
  let context: ResourceContext
  private let by: UniversalID?
  private let endedSession: UniversalID?

  private var realm: String { context.realm }

  /// The events of a request that succeeded; none for one that changes nothing that concerns security.
  static func events(
    of request: Request, _ route: Route, in context: ResourceContext, _ trail: RequestTrail
  ) async throws -> [SecurityEvent] {
    guard let events = route.events, ![.get, .head, .options].contains(request.method) else { return [] }
    return try events(
      RequestAct(
        request: request, query: try QueryParameters(request.uri.query),
        body: try await RequestBodyReader.object(of: request), context: context, by: trail.account,
        endedSession: trail.endedSession))
  }

  func accountCreated() -> [SecurityEvent] {
    guard query["_action"] == "create", !request.isTrial else { return [] }
    return [event(.accountCreated, of: body["username"]?.stringValue)]
  }

  func accountChanged() throws -> [SecurityEvent] {
    guard request.method != .post else {
      return [event(.lockLifted, of: try AccountName.account(context.user, realm: realm).username)]
    }
    return try userEvents(context.user, body)
  }

  func realmCreated() -> [SecurityEvent] {
    [event(.realmCreated, detail: ["name": body["name"] ?? .null])]
  }

  func realmDeleted() -> [SecurityEvent] {
    [
      event(
        .realmDeleted,
        detail: ["name": .string(String(RealmsEndpoint.name(ofID: context.id).prefix(200)))])
    ]
  }

  func roleChanged() throws -> [SecurityEvent] {
    [
      event(
        query["_action"] == "grant" ? .roleGranted : .roleRevoked,
        of: try AccountName.account(context.user, realm: realm).username,
        detail: ["role": body["role"] ?? .null])
    ]
  }

  func sessionsEnded() -> [SecurityEvent] { sessionEvents(query["_action"], body, query) }

  func deviceChanged(_ kind: String) throws -> [SecurityEvent] {
    try device(kind, context.user, context.id)
  }

  func devicesReset(_ kind: String) throws -> [SecurityEvent] {
    try reset(kind, context.user, query["_action"])
  }

  func applicationCreated() -> [SecurityEvent] {
    guard query["_action"] == "create" else { return [] }
    return [event(.applicationCreated, detail: ["name": body["name"] ?? .null])]
  }

  func applicationDeleted() -> [SecurityEvent] {
    [event(.applicationDeleted, detail: ["application": .string(context.id)])]
  }

  private func userEvents(_ name: String, _ body: JSONObject) throws -> [SecurityEvent] {
    let account = try AccountName.account(name, realm: realm)
    guard request.method == .put else { return [event(.accountDeleted, of: account.username)] }
    var events: [SecurityEvent] = []
    if body["userpassword"] != nil || body["userPassword"] != nil {
      events.append(event(account == by ? .passwordChanged : .passwordReset, of: account.username))
    }
    switch body["inetUserStatus"]?.stringValue?.lowercased() {
    case "active": events.append(event(.accountActivated, of: account.username))
    case "inactive": events.append(event(.accountDeactivated, of: account.username))
    default: break
    }
    // Names alone: values may be anything that people keep with an account.
    let members = body.map(\.name).filter { !$0.lowercased().contains("password") }.prefix(100)
    events.append(
      event(
        .accountChanged, of: account.username,
        detail: ["members": .array(members.map { .string(String($0.prefix(100))) })]))
    return events
  }

  private func sessionEvents(
    _ action: String?, _ body: JSONObject, _ query: QueryParameters
  ) -> [SecurityEvent] {
    switch action {
    // The token tells the realm too, whatever path it was sent to.
    case "logout": endedSession.map { [event(.sessionEnded, of: $0.username, in: $0.realm)] } ?? []
    case "logoutByHandle": [event(.sessionEnded)]
    case "logoutByUser": [event(.sessionEnded, of: body["username"]?.stringValue)]
    default: []
    }
  }

  private func device(_ kind: String, _ user: String, _ id: String) throws -> [SecurityEvent] {
    let account = try AccountName.account(user, realm: realm)
    let kindOfEvent: SecurityEvent.Kind = request.method == .delete ? .deviceRemoved : .deviceRenamed
    return [
      event(
        kindOfEvent, of: account.username,
        detail: ["kind": .string(kind), "device": .string(String(id.prefix(200)))])
    ]
  }

  private func reset(_ kind: String, _ user: String, _ action: String?) throws -> [SecurityEvent] {
    guard action == "reset" else { return [] }
    let account = try AccountName.account(user, realm: realm)
    return [event(.devicesReset, of: account.username, detail: ["kind": .string(kind)])]
  }

  private func event(
    _ kind: SecurityEvent.Kind, of account: String? = nil, in place: String? = nil,
    detail: JSONObject = JSONObject()
  ) -> SecurityEvent {
    let realm = place ?? realm
    let own = account.map { UniversalID(username: $0, realm: realm) }
    let actor = by.flatMap { $0 == own ? nil : "\($0.username)@\($0.realm)" }
    return SecurityEvent(kind, realm: realm, account: account, actor: actor, detail: detail)
  }
}
