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

/// The security event of a REST request that has changed something. One place for all resources, so that none is forgotten:
/// a resource that is added has to say here what changing it means.
struct RequestAct {
  private let request: Request
  private let route: Route
  private let realm: String
  private let by: UniversalID?
  private let endedSession: UniversalID?

  init(_ request: Request, route: Route, realm: String, trail: RequestTrail) {
    self.request = request
    self.route = route
    self.realm = realm
    by = trail.account
    endedSession = trail.endedSession
  }

  /// The events; none for a request that changes nothing that concerns security. Ask after it succeeded.
  func events() async throws -> [SecurityEvent] {
    guard ![.get, .head, .options].contains(request.method) else { return [] }
    let query = try QueryParameters(request.uri.query)
    let body = try await RequestBodyReader.object(of: request)
    switch route.resource {
    case .users:
      guard query["_action"] == "create", !request.isTrial else { return [] }
      return [event(.accountCreated, of: body["username"]?.stringValue)]
    case .user(let name):
      guard request.method != .post else {
        return [event(.lockLifted, of: try AccountName.account(name, realm: realm).username)]
      }
      return try userEvents(name, body)
    case .realms: return [event(.realmCreated, detail: ["name": body["name"] ?? .null])]
    case .realm(let id):
      return [
        event(.realmDeleted, detail: ["name": .string(String(RealmsEndpoint.name(ofID: id).prefix(200)))])
      ]
    case .userRoles(let user):
      return [
        event(
          query["_action"] == "grant" ? .roleGranted : .roleRevoked,
          of: try AccountName.account(user, realm: realm).username, detail: ["role": body["role"] ?? .null])
      ]
    case .sessions: return sessionEvents(query["_action"], body, query)
    case .boundDevice(let user, let id): return try device("binding", user, id)
    case .webAuthnDevice(let user, let id): return try device("webauthn", user, id)
    case .pushDevice(let user, let id): return try device("push", user, id)
    case .oathDevice(let user, let id): return try device("oath", user, id)
    case .pushDevices(let user): return try reset("push", user, query["_action"])
    case .oathDevices(let user): return try reset("oath", user, query["_action"])
    case .applications:
      guard query["_action"] == "create" else { return [] }
      return [event(.applicationCreated, detail: ["name": body["name"] ?? .null])]
    case .application(let id): return [event(.applicationDeleted, detail: ["application": .string(id)])]
    case .health, .home, .page, .serverInfo, .authenticate, .journeys, .boundDevices, .webAuthnDevices,
      .absentDevices,
      .absentDevice,
      .push, .pushStream, .pushDecisions, .evidence, .evidenceEntry, .pushDelivery, .transactions,
      .transaction:
      return []
    }
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
