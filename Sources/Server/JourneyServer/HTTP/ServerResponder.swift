internal import BindingFormats
internal import HTTPTypes
package import Hummingbird
internal import JourneyStore
internal import Logging
internal import PasswordHashing
internal import SecurityEvents
internal import StrictJSON

/// Answers every request: counts it, finds its resource, lets the endpoint answer, and turns errors into answers.
package struct ServerResponder: HTTPResponder {
  let routes: RouteTable
  let limits: ServerLimits
  let requests: RequestLimits
  let bodies: BodyBudget
  let proxies: TrustedProxies
  let events: SecurityEvents
  let forgeryGuard: RequestForgeryGuard
  let transportSecurity: TransportSecurity
  let sessions: SessionAuthority
  let authenticate: AuthenticateEndpoint
  let sessionsEndpoint: SessionsEndpoint
  let users: UsersEndpoint
  let roles: RolesEndpoint
  let journeys: JourneysEndpoint
  let realms: RealmsEndpoint
  let boundDevices: BoundDevicesEndpoint
  let push: PushEndpoint
  let pushDevices: PushDevicesEndpoint
  let pushDecisions: PushDecisionsEndpoint
  let webAuthnDevices: WebAuthnDevicesEndpoint
  let oathDevices: OathDevicesEndpoint
  let absentDevices: UnsupportedDevicesEndpoint
  let evidence: EvidenceEndpoint
  let applications: ApplicationsEndpoint
  let transactions: TransactionsEndpoint
  let pushDelivery: PushQueuesEndpoint
  let serverInfo: ServerInfoEndpoint
  let health: HealthEndpoint
  let home: HomePage

  package func respond(to request: Request, context: ServerRequestContext) async throws -> Response {
    var context = context
    context.connection = proxies.connection(of: request, peer: context.peer)
    let trail = RequestTrail()
    return try await SecurityEvents.$clientAddress.withValue(context.clientAddress) { [context] in
      try await RequestTrail.$current.withValue(trail) { try await respond(request, context, trail) }
    }
  }

  private func respond(
    _ request: Request, _ context: ServerRequestContext, _ trail: RequestTrail
  ) async throws -> Response {
    var response: Response
    do {
      response = try await answer(request, trail, context: context)
    } catch {
      let answer = ErrorResponse(mapping: error)
      log(answer, request: request, context: context)
      await note(answer, request: request, trail)
      response = .json(answer.body, status: answer.status, headers: answer.headers)
    }
    transportSecurity.mark(&response.headers, of: context.connection)
    if let name = Self.contentAPIVersion { response.headers[name] = Self.version(acceptedBy: request) }
    return response
  }

  private func answer(
    _ request: Request, _ trail: RequestTrail, context: ServerRequestContext
  ) async throws -> Response {
    let route = try routes.route(path: request.uri.path)
    let realm = try realm(of: route, request: request)
    let limit = route.resource.bodyLimit(limits)
    let wait = admit(route.resource, from: context.limitKey)
    if let wait, !mayBeProven(route.resource) { throw ErrorResponse.tooManyRequests(retryAfter: wait) }
    try forgeryGuard.check(request, context.connection)
    let request = try await RequestBodyReader.received(
      request, limit: limit, budget: bodies, address: context.limitKey)
    if let wait, try await !isProven(request, route.resource, realm: realm) {
      throw ErrorResponse.tooManyRequests(retryAfter: wait)
    }
    // Passwords of one address wait behind each other, whoever has them checked.
    let response = try await WaitingSource.$current.withValue(context.limitKey) {
      try await answer(request, route: route, realm: realm, context: context)
    }
    // On disk before the client hears of it.
    for event in try await RequestAct(request, route: route, realm: realm, trail: trail).events() {
      try await events.require(event)
    }
    return response
  }

  private func answer(
    _ request: Request, route: Route, realm: String, context: ServerRequestContext
  ) async throws -> Response {
    switch route.resource {
    case .health:
      try requests.charge(healthCheckFrom: context.limitKey)
      return try await health.respond(to: request)
    case .home: return try home.respond(to: request)
    case .page(let name): return try await WebPages.respond(to: request, name: name)
    case .serverInfo(let id):
      return try serverInfo.respond(to: request, id: id, realm: realm, context: context)
    case .authenticate: return try await authenticate.respond(to: request, realm: realm, context: context)
    case .sessions: return try await sessionsEndpoint.respond(to: request, realm: realm, context: context)
    case .users: return try await users.respondForCollection(to: request, realm: realm)
    case .user(let name): return try await users.respond(to: request, name: name, realm: realm)
    case .realms: return try await realms.respondForCollection(to: request)
    case .realm(let id): return try await realms.respond(to: request, id: id)
    case .journeys: return try await journeys.respond(to: request, realm: realm)
    case .userRoles(let user): return try await roles.respond(to: request, user: user, realm: realm)
    case .boundDevices(let user):
      return try await boundDevices.respondForCollection(to: request, user: user, realm: realm)
    case .boundDevice(let user, let id):
      return try await boundDevices.respond(to: request, user: user, id: id, realm: realm)
    case .push: return try await push.respond(to: request, realm: realm, context: context)
    case .pushStream: return try await push.stream(to: request, realm: realm, context: context)
    case .pushDecisions: return try await pushDecisions.respond(to: request, realm: realm)
    case .pushDevices(let user):
      return try await pushDevices.respondForCollection(to: request, user: user, realm: realm)
    case .pushDevice(let user, let id):
      return try await pushDevices.respond(to: request, user: user, id: id, realm: realm)
    case .webAuthnDevices(let user):
      return try await webAuthnDevices.respondForCollection(to: request, user: user, realm: realm)
    case .webAuthnDevice(let user, let id):
      return try await webAuthnDevices.respond(to: request, user: user, id: id, realm: realm)
    case .oathDevices(let user):
      return try await oathDevices.respondForCollection(to: request, user: user, realm: realm)
    case .oathDevice(let user, let id):
      return try await oathDevices.respond(to: request, user: user, id: id, realm: realm)
    case .absentDevices(let user):
      return try await absentDevices.respondForCollection(to: request, user: user, realm: realm)
    case .absentDevice(let user):
      return try await absentDevices.respond(to: request, user: user, realm: realm)
    case .evidence: return try await evidence.respondForCollection(to: request, realm: realm)
    case .evidenceEntry(let number):
      return try await evidence.respond(to: request, number: number, realm: realm)
    case .pushDelivery: return try await pushDelivery.respond(to: request)
    case .applications: return try await applications.respondForCollection(to: request, realm: realm)
    case .application(let id): return try await applications.respond(to: request, id: id, realm: realm)
    case .transactions: return try await transactions.respondForCollection(to: request, realm: realm)
    case .transaction(let id): return try await transactions.respond(to: request, id: id, realm: realm)
    }
  }

  /// The path's realm; a path without one leaves the choice to the parameter `realm`.
  private func realm(of route: Route, request: Request) throws(ErrorResponse) -> String {
    guard !route.namesRealm, request.uri.query?.contains("realm=") == true,
      let named = try QueryParameters(request.uri.query)["realm"]
    else { return route.realm }
    guard let realm = routes.realm(named) else { throw .notFound("There is no such realm.") }
    return realm
  }

  // MARK: Limits

  /// Charges the address; the seconds to wait when it has no requests left. Push devices prove themselves with each
  /// request, so ``PushEndpoint`` charges those that do not.
  private func admit(_ resource: Route.Resource, from address: String) -> Int? {
    switch resource {
    case .health, .push, .pushStream: nil
    default: requests.admit(address: address)
    }
  }

  /// Whether a request for the resource can carry something that its address cannot make up.
  private func mayBeProven(_ resource: Route.Resource) -> Bool {
    switch resource {
    case .home, .page, .serverInfo: false
    default: true
    }
  }

  /// Whether the request carries a valid session, an application's secret, or the `authId` of a journey under way:
  /// then it is answered whatever others at its address have sent.
  private func isProven(_ request: Request, _ resource: Route.Resource, realm: String) async throws -> Bool {
    if try await sessions.verify(sessions.presentedText(in: request)) != nil { return true }
    switch resource {
    case .transactions, .transaction:
      return try await transactions.applications.application(of: request, realm: realm) != nil
    case .authenticate: return try await authenticate.continuesJourney(request, requests: requests)
    default: return false
    }
  }

  // MARK: Log

  /// One line for each request that did not succeed. The query is left out, because it may carry secrets.
  private func log(_ answer: ErrorResponse, request: Request, context: ServerRequestContext) {
    let level: Logger.Level =
      switch answer.status {
      // Browsers ask for it by themselves.
      case .notFound where request.uri.path == "/favicon.ico": .debug
      case _ where answer.status.kind == .serverError: .error
      default: .notice
      }
    var metadata: Logger.Metadata = [
      "status": .stringConvertible(answer.status.code), "method": "\(request.method.rawValue)",
      "path": "\(request.uri.path)", "client": "\(context.clientAddress)",
      "reason": "\(answer.cause ?? answer.message)",
    ]
    if let journey = answer.subject.journey { metadata["journey"] = "\(journey)" }
    if let user = answer.subject.user { metadata["user"] = "\(user)" }
    context.logger.log(level: level, "request refused", metadata: metadata)
  }

  /// The event of a refusal. Journeys have their own, which says more.
  private func note(_ answer: ErrorResponse, request: Request, _ trail: RequestTrail) async {
    guard [.unauthorized, .forbidden, .tooManyRequests].contains(answer.status),
      let route = try? routes.route(path: request.uri.path), route.resource != .authenticate
    else { return }
    await events.note(
      SecurityEvent(
        .requestRefused, realm: route.realm, account: trail.account?.username, outcome: .refused,
        cause: answer.cause ?? answer.message,
        detail: [
          "status": .integer(Int64(answer.status.code)), "method": .string(request.method.rawValue),
          "path": .string(String(request.uri.path.prefix(200))),
        ]))
  }

  // MARK: Versions

  private static let contentAPIVersion = HTTPField.Name("Content-API-Version")
  private static let acceptAPIVersion = HTTPField.Name("Accept-API-Version")

  /// The resource version to confirm: the one that the client asked for, because each resource has one form here.
  private static func version(acceptedBy request: Request) -> String {
    guard let name = acceptAPIVersion, let accepted = request.headers[name] else { return "resource=1.0" }
    for part in accepted.split(separator: ",") {
      let part = part.drop { $0 == " " }.prefix { $0 != " " }
      let version = part.dropFirst("resource=".count)
      if part.hasPrefix("resource="), (1...8).contains(version.utf8.count),
        version.utf8.allSatisfy({
          $0 == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        })
      {
        return String(part)
      }
    }
    return "resource=1.0"
  }
}
