internal import BindingFormats
internal import Bytes
internal import Concurrency
internal import HTTPTypes
package import Hummingbird
internal import JourneyFiles
internal import JourneyStore
package import Logging
package import Operations
internal import PasswordHashing
package import SecurityEvents
internal import StrictJSON

/// Answers every request: finds its route, charges for it, lets the endpoint answer, and turns errors into answers.
///
/// A class, because a large value would be copied into the stack frame of every call.
package final class ServerResponder: HTTPResponder {
  package let routes: RouteTable
  package let limits: ServerLimits
  package let bodies: BodyBudget
  package let proxies: TrustedProxies
  package let events: SecurityEvents
  package let refusals: any RefusalWriter
  package let crossOrigin: CrossOrigin
  package let sessions: SessionAuthority
  package let drain: Drain
  package let metrics: ServerMetrics
  package let tracing: ServerTracing
  package let activity: ActivityRecorder
  package let logger: Logger

  package init(
    routes: RouteTable, limits: ServerLimits, bodies: BodyBudget, proxies: TrustedProxies,
    events: SecurityEvents, refusals: any RefusalWriter, crossOrigin: CrossOrigin,
    sessions: SessionAuthority, drain: Drain, metrics: ServerMetrics, tracing: ServerTracing,
    activity: ActivityRecorder, logger: Logger
  ) {
    (self.routes, self.limits, self.bodies, self.proxies) = (routes, limits, bodies, proxies)
    (self.events, self.refusals, self.crossOrigin) = (events, refusals, crossOrigin)
    (self.sessions, self.drain, self.activity) = (sessions, drain, activity)
    (self.metrics, self.tracing, self.logger) = (metrics, tracing, logger)
  }

  /// A task keeps the memory of its deepest call until it ends, and a connection's task lasts as long as its stream. So requests that may
  /// begin a stream are answered by a task that ends before the stream begins.
  package func respond(to request: Request, context: ServerRequestContext) async throws -> Response {
    guard routes.mayBeStream(path: request.uri.path) else { return try await answer(request, context) }
    return try await inOwnTask { [self] in try await answer(request, context) }
  }

  private func answer(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    let request = basePath.inner(request)
    var context = context
    context.connection = proxies.connection(of: request.head, peer: context.peer)
    let trail = RequestTrail(
      requestID: proxies.requestID(of: request.head, peer: context.peer) ?? RequestID().description)
    // Replaces the framework's logger, which has an id of its own. Log lines get the request's id from
    // ``Logging/Logger/MetadataProvider/request``, and only if they are written.
    context.logger = logger
    let began = ContinuousClock.now
    let number = drain.began(
      Drain.Running(
        method: request.method.rawValue, path: basePath.outer(request.uri.path).bounded(to: 200)))
    defer { drain.ended(number) }
    return try await SecurityEvents.$clientAddress.withValue(context.connection.clientAddress) { [context] in
      try await RequestTrail.$current.withValue(trail) {
        let isTrusted = context.peer.map(proxies.isTrusted) ?? false
        var response = try await tracing.answering(
          request, method: Self.method(of: request), isTrusted: isTrusted, trail
        ) { try await respond(request, context, trail) }
        if let name = TrustedProxies.requestID { response.headers[name] = trail.requestID }
        measure(request, trail, response.status, began.duration(to: .now))
        return response
      }
    }
  }

  /// Whether a request has several `Host` headers (RFC 9112 §3.2) or, over HTTP/2, one that differs from its authority (RFC 9113 §8.3.1). A
  /// proxy in front may have used one of them, and the server would use the other.
  private static func namesSeveralHosts(_ request: HTTPRequest) -> Bool {
    // The first one over HTTP/1.1 is the authority.
    guard let name = HTTPField.Name("Host"), request.headerFields.contains(name) else { return false }
    let more = request.headerFields[values: name]
    guard let authority = request.authority else { return more.count > 1 }
    return more.contains { $0.lowercased() != authority.lowercased() }
  }

  /// The name of a known method, else `other`, because clients can send any word.
  private static func method(of request: Request) -> String {
    let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .delete, .patch, .options]
    return methods.contains(request.method) ? request.method.rawValue : "other"
  }

  private func measure(
    _ request: Request, _ trail: RequestTrail, _ status: HTTPResponse.Status, _ time: Duration
  ) {
    let method = Self.method(of: request)
    let route = trail.route ?? "none"
    metrics.count(.requests, method, route, String(status.code))
    metrics.record(.requestTime, method, route, time: time)
    activity.note(trail, status: status.code, time: time)
  }

  private func respond(
    _ request: Request, _ context: ServerRequestContext, _ trail: RequestTrail
  ) async throws -> Response {
    var response: Response
    do {
      response = try await answer(request, trail, context: context)
    } catch {
      let answer = ErrorResponse(mapping: error)
      trail.change { $0.reason = answer.cause ?? answer.message }
      log(answer, request: request, context: context)
      await note(answer, request: request, trail)
      response = refusals.response(to: request, refusing: answer, requestID: trail.requestID)
    }
    sessions.baseAddress.requireTransportSecurity(&response.headers, of: context.connection)
    if crossOrigin.rules.isUsed {
      crossOrigin.mark(&response.headers, of: request, realm: pathRealm(of: request))
    }
    if let name = Self.contentAPIVersion { response.headers[name] = Self.version(acceptedBy: request) }
    return response
  }

  private func answer(
    _ request: Request, _ trail: RequestTrail, context: ServerRequestContext
  ) async throws -> Response {
    // Requests that come from no socket have their authority apart from their headers.
    guard context.peer == nil || !Self.namesSeveralHosts(request.head) else {
      throw ErrorResponse.badRequest("A request names one host.")
    }
    let match = try routes.match(path: request.uri.path)
    let (route, address) = (match.route, context.connection.limitKey)
    trail.note(route: route.template)
    let resource = ResourceContext(
      realm: try realm(of: match, request: request), realmForm: match.realmForm,
      parameters: match.parameters, connection: context.connection, localPort: context.localPort,
      logger: context.logger)
    let wait = try admit(route, from: address)
    if let wait, case .address = route.admission { throw ErrorResponse.tooManyRequests(retryAfter: wait) }
    if let answer = crossOrigin.preflight(
      request, realm: resource.realm, methods: route.handlers.map(\.method))
    {
      if let wait { throw ErrorResponse.tooManyRequests(retryAfter: wait) }
      return answer
    }
    if !route.takesForms { try RequestForgeryGuard(sessions: sessions).check(request, context.connection) }
    let request = try await RequestBodyReader.received(
      request, limit: limits[keyPath: route.bodyLimit], budget: bodies, address: address)
    if let wait, try await !isProven(request, route, realm: resource.realm) {
      throw ErrorResponse.tooManyRequests(retryAfter: wait)
    }
    // Passwords from one address queue behind each other.
    return try await WaitingSource.$current.withValue(address) {
      try await route.handler(of: request.method)(request, resource)
    }
  }

  /// The path's realm; a path without one leaves the choice to the parameter `realm`.
  private func realm(of match: RouteTable.Match, request: Request) throws(ErrorResponse) -> String {
    if let realm = match.realm { return realm }
    guard request.uri.query?.contains("realm=") == true,
      let named = try QueryParameters(request.uri.query)["realm"]
    else { return "root" }
    guard let realm = routes.realms.realm(named) else { throw .noSuchRealm }
    return realm
  }

  /// The realm that the request names; ``CrossOriginRules/everyRealm`` when there is no such realm.
  private func pathRealm(of request: Request) -> String {
    guard let match = try? routes.match(path: request.uri.path),
      let realm = try? realm(of: match, request: request)
    else { return CrossOriginRules.everyRealm }
    return realm
  }

  private var basePath: BasePath { sessions.baseAddress.basePath }

  // MARK: Limits

  /// Charges as the route demands. Returns the seconds to wait when the address has no requests left.
  private func admit(_ route: Route, from address: String) throws -> Int? {
    guard case .own(let charge) = route.admission else { return sessions.requests.admit(.address, address) }
    try charge(address)
    return nil
  }

  /// Whether the request carries something that its address cannot forge. Then it is answered however much others at the address have sent.
  /// A session is charged for it here, even if no handler looks at the session.
  private func isProven(_ request: Request, _ route: Route, realm: String) async throws -> Bool {
    if let session = try await sessions.verify(sessions.presentedText(in: request)) {
      try sessions.charge(session)
      return true
    }
    guard case .proof(let isProof) = route.admission else { return false }
    return try await isProof(request, realm)
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
      "path": "\(basePath.outer(request.uri.path))", "client": "\(context.connection.clientAddress)",
      "reason": "\(answer.cause ?? answer.message)",
    ]
    if let journey = answer.subject.journey { metadata["journey"] = "\(journey)" }
    if let user = answer.subject.user { metadata["user"] = "\(user)" }
    context.logger.log(level: level, "request refused", metadata: metadata)
  }

  /// The event of a refusal. Journeys have their own, which says more.
  private func note(_ answer: ErrorResponse, request: Request, _ trail: RequestTrail) async {
    guard [.unauthorized, .forbidden, .tooManyRequests].contains(answer.status),
      let match = try? routes.match(path: request.uri.path), match.route.reportsRefusals
    else { return }
    await events.note(
      SecurityEvent(
        .requestRefused, realm: match.realm ?? "root", account: trail.account?.username, outcome: .refused,
        cause: answer.cause ?? answer.message,
        detail: [
          "status": .integer(Int64(answer.status.code)), "method": .string(request.method.rawValue),
          "path": .string(basePath.outer(request.uri.path).bounded(to: 200)),
        ]))
  }

  // MARK: Versions

  private static let contentAPIVersion = HTTPField.Name("Content-API-Version")
  private static let acceptAPIVersion = HTTPField.Name("Accept-API-Version")

  /// The resource version to confirm: the one that the client asked for, because each resource has a single version here.
  private static func version(acceptedBy request: Request) -> String {
    guard let name = acceptAPIVersion, let accepted = request.headers.value(of: name) else {
      return "resource=1.0"
    }
    for part in accepted.utf8.split(separator: UInt8(ascii: ",")) {
      let part = part.drop { $0 == UInt8(ascii: " ") }.prefix { $0 != UInt8(ascii: " ") }
      let version = part.dropFirst("resource=".utf8.count)
      guard part.starts(with: "resource=".utf8), (1...8).contains(version.count),
        version.allSatisfy({ ("0"..."9").contains(Unicode.Scalar($0)) || $0 == UInt8(ascii: ".") })
      else { continue }
      return String(Substring(part))
    }
    return "resource=1.0"
  }
}
