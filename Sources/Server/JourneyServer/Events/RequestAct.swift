internal import BindingFormats
internal import Concurrency
internal import Hummingbird
internal import JourneyStore
internal import SecurityEvents
internal import StrictJSON

/// What is learned of a request while it is answered: its ids, and whose session it came with.
final class RequestTrail: Sendable {
  /// Of the request that the current task answers.
  @TaskLocal static var current: RequestTrail?

  private struct Found {
    var account: UniversalID?
    var endedSession: UniversalID?
    var journeyID: String?
    var route: String?
    var run: JourneyRunTrail?
    var isByWatcher = false
  }

  /// Joins the request's lines in the log; the client gets it as `X-Request-Id`.
  let requestID: String

  private let found = Locked(Found())

  init(requestID: String) { self.requestID = requestID }

  /// The run of the journey that the request belongs to; `nil` until it was found.
  var journeyID: String? { found.withLock { $0.journeyID } }

  /// The pattern of the request's route; `nil` until one was found.
  var route: String? { found.withLock { $0.route } }

  /// The account of the request's valid session; `nil` until one was found.
  var account: UniversalID? { found.withLock { $0.account } }

  /// The account whose session the request has ended by its token, if any.
  var endedSession: UniversalID? { found.withLock { $0.endedSession } }

  func note(_ account: UniversalID) { found.withLock { $0.account = account } }

  func note(journeyID: String) { found.withLock { $0.journeyID = journeyID } }

  /// What the request's journey has done; `nil` without one.
  var journeyRun: JourneyRunTrail? { found.withLock { $0.run } }

  func note(_ run: JourneyRunTrail) { found.withLock { $0.run = run } }

  func change(_ change: @Sendable (inout JourneyRunTrail) -> Void) {
    found.withLock { found in
      // Taken out, so that its list is changed in place.
      guard var run = found.run.take() else { return }
      change(&run)
      found.run = run
    }
  }

  /// Whether a page asked for what is new, and no person did. Such requests are not in the plots, which would change by being watched.
  var isByWatcher: Bool { found.withLock { $0.isByWatcher } }

  func noteWatcher() { found.withLock { $0.isByWatcher = true } }

  func note(route: String) { found.withLock { $0.route = route } }

  func note(endedSessionOf account: UniversalID) { found.withLock { $0.endedSession = account } }
}

/// A REST request that has changed something, as ``Route/events`` see it: what each kind of change means in security events.
struct RequestAct {
  private let request: Request
  private let query: QueryParameters
  private let body: JSONObject
  private let context: ResourceContext
  private let by: UniversalID?
  private let endedSession: UniversalID?

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
    let account = try account()
    switch request.method {
    case .post: return [event(.lockLifted, of: account.username)]
    case .put: break
    default: return [event(.accountDeleted, of: account.username)]
    }
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
    let detail: JSONObject = ["members": .array(members.map { .string(String($0.prefix(100))) })]
    return events + [event(.accountChanged, of: account.username, detail: detail)]
  }

  func roleChanged() throws -> [SecurityEvent] {
    let kind: SecurityEvent.Kind = query["_action"] == "grant" ? .roleGranted : .roleRevoked
    return [event(kind, of: try account().username, detail: ["role": body["role"] ?? .null])]
  }

  func deviceChanged(_ kind: String) throws -> [SecurityEvent] {
    let detail: JSONObject = ["kind": .string(kind), "device": .string(String(context.id.prefix(200)))]
    return [
      event(
        request.method == .delete ? .deviceRemoved : .deviceRenamed, of: try account().username,
        detail: detail)
    ]
  }

  func devicesReset(_ kind: String) throws -> [SecurityEvent] {
    guard query["_action"] == "reset" else { return [] }
    return [event(.devicesReset, of: try account().username, detail: ["kind": .string(kind)])]
  }

  func sessionsEnded() -> [SecurityEvent] {
    switch query["_action"] {
    // The token names the realm too, whatever path it was sent to.
    case "logout": endedSession.map { [event(.sessionEnded, of: $0.username, in: $0.realm)] } ?? []
    case "logoutByHandle": [event(.sessionEnded)]
    case "logoutByUser": [event(.sessionEnded, of: body["username"]?.stringValue)]
    default: []
    }
  }

  func realmCreated() -> [SecurityEvent] {
    let parent = RealmPath(body["parentPath"]?.stringValue ?? "/")
    let name = RealmPath("\(parent.name)/\(body["name"]?.stringValue ?? "")").name
    return [event(.realmCreated, detail: ["name": .string(name)])]
  }

  func realmDeleted() -> [SecurityEvent] {
    let name = String(RealmsEndpoint.name(ofID: context.id).prefix(200))
    return [event(.realmDeleted, detail: ["name": .string(name)])]
  }

  func applicationCreated() -> [SecurityEvent] {
    guard query["_action"] == "create" else { return [] }
    return [event(.applicationCreated, detail: ["name": body["name"] ?? .null])]
  }

  func applicationDeleted() -> [SecurityEvent] {
    [event(.applicationDeleted, detail: ["application": .string(context.id)])]
  }

  /// The account that the path names.
  private func account() throws(ErrorResponse) -> UniversalID {
    try AccountName.account(context.user, realm: context.realm)
  }

  private func event(
    _ kind: SecurityEvent.Kind, of account: String? = nil, in place: String? = nil,
    detail: JSONObject = JSONObject()
  ) -> SecurityEvent {
    let realm = place ?? context.realm
    let own = account.map { UniversalID(username: $0, realm: realm) }
    let actor = by.flatMap { $0 == own ? nil : "\($0.username)@\($0.realm)" }
    return SecurityEvent(kind, realm: realm, account: account, actor: actor, detail: detail)
  }
}
