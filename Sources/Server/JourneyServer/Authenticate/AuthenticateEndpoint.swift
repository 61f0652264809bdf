internal import HTTPTypes
internal import Hummingbird
internal import JourneyEngine
internal import JourneyNodes
internal import JourneyStore
internal import Logging
internal import StrictJSON

/// `/authenticate`: starts journeys and takes the answers to their callbacks.
struct AuthenticateEndpoint: Sendable {
  let engine: JourneyEngine
  let store: any ServerStore
  let sessions: SessionAuthority
  let transactions: TransactionVerdicts

  func respond(to request: Request, realm: String, context: ServerRequestContext) async throws -> Response {
    guard request.method == .post else { throw ErrorResponse.methodNotAllowed([.post]) }
    let query = try QueryParameters(request.uri.query)
    let body = try await RequestBodyReader.object(of: request)
    // Nothing suspends journeys, so that no such id can be known.
    guard query["suspendedId"] == nil else {
      throw ErrorResponse(.unauthorized, Self.unknownSuspendedID, cause: "there is no suspended journey")
    }
    var options = JourneyOptions(
      noSession: query["noSession"] == "true", forceAuth: query["ForceAuth"] == "true")
    let progress: JourneyProgress
    if let authID = try body.text("authId") {
      progress = try await engine.resume(
        authID: authID, callbacks: try Self.callbacks(in: body), options: options,
        request: facts(of: request, realm: realm, locale: query["locale"], context: context))
    } else {
      var (journey, state) = (String?.none, JourneyState())
      switch try Self.subject(of: query) {
      case .journey(let name): journey = name
      case .transaction(let id):
        let start = try await transactions.start(id, realm: realm)
        (journey, state) = (start.journey, start.state)
        // An approval signs nobody in, and whoever is signed in still has to approve.
        options.noSession = true
      }
      if let session = try await present(request, realm: realm, options: options) {
        return success(realm: realm, token: session.token, context: context)
      }
      progress = try await engine.start(
        journey: journey, options: options, state: state,
        request: facts(of: request, realm: realm, locale: query["locale"], context: context))
    }
    switch progress {
    case .step(let step): return .json(step.body)
    case .success(let journey): return try await finish(journey, context: context)
    case .failure(let failure):
      throw ErrorResponse.loginFailure(failure.message, detail: failure.detail, cause: failure.cause)
    }
  }

  private static let unknownSuspendedID =
    "org.forgerock.openam.auth.nodes.framework.token.SuspendedAuthSessionException: Token not found. It may have expired."

  /// Whether the request answers a step that this server has sent, and not too often. Uses nothing up.
  func continuesJourney(_ request: Request, requests: RequestLimits) async throws -> Bool {
    guard let authID = try await RequestBodyReader.object(of: request).text("authId"),
      let step = engine.step(ofAuthID: authID)
    else { return false }
    return requests.admits(step: step)
  }

  // MARK: The request

  /// What a start is about.
  private enum Subject {
    /// `nil` for the realm's default.
    case journey(String?)

    /// By its id.
    case transaction(String)
  }

  private static func subject(of query: QueryParameters) throws(ErrorResponse) -> Subject {
    guard let type = query["authIndexType"] else { return .journey(nil) }
    let value = query["authIndexValue"].flatMap { $0.isEmpty ? nil : $0 }
    switch type {
    case "service": return .journey(value)
    case "transaction":
      guard let value else { throw .badRequest("The parameter authIndexValue must be a transaction's id.") }
      return .transaction(value)
    default: throw .badRequest("The parameter authIndexType must be service or transaction.")
    }
  }

  private static func callbacks(in body: JSONObject) throws(ErrorResponse) -> [JSONValue] {
    guard let value = body["callbacks"], !value.isNull else { return [] }
    guard let callbacks = value.arrayValue else { throw .badRequest("The member callbacks must be a list.") }
    return callbacks
  }

  /// The valid session of this realm that a start carries and that makes a journey superfluous. A client that wants no
  /// session wants the journey.
  private func present(
    _ request: Request, realm: String, options: JourneyOptions
  ) async throws -> AuthenticatedSession? {
    guard !options.forceAuth, !options.noSession, let text = sessions.presentedText(in: request),
      let session = try await sessions.verify(text), session.record.realm == realm
    else { return nil }
    try await sessions.noteUse(of: session)
    return session
  }

  private func facts(
    of request: Request, realm: String, locale: String?, context: ServerRequestContext
  ) -> RequestFacts {
    var locales = AcceptedLanguages.parse(request.headers[.acceptLanguage])
    if let locale {
      locales.insert(contentsOf: AcceptedLanguages.parse(locale.replacing("_", with: "-")), at: 0)
    }
    var headers: [String: String] = [:]
    headers.reserveCapacity(request.headers.count)
    for field in request.headers {
      let name = field.name.canonicalName
      headers[name] = headers[name].map { "\($0), \(field.value)" } ?? field.value
    }
    return RequestFacts(
      realm: realm, locales: locales, headers: headers, clientAddress: context.clientAddress,
      baseURL: sessions.baseAddress.address(for: context.connection))
  }

  // MARK: The answer

  /// Turns a journey's success into a session: only for an account that exists and may sign in.
  private func finish(_ journey: JourneySuccess, context: ServerRequestContext) async throws -> Response {
    guard let username = journey.username else {
      throw ErrorResponse.loginFailure(
        cause: "journey \(journey.journey) ended in success without a username")
    }
    let refusal = ErrorResponse.loginFailure(
      cause: "journey \(journey.journey) ended in success for \(JSONValue.string(username).text), "
        + "who has no active account")
    let transaction = TransactionJourney.result(of: journey.state)
    if journey.noSession || transaction != nil {
      guard try await store.user(named: username, realm: journey.realm)?.isActive == true else {
        throw refusal
      }
      if let transaction {
        try await transactions.approve(transaction, journey: journey, logger: context.logger)
      }
      return success(realm: journey.realm, token: nil, context: context)
    }
    let account = UniversalID(username: username, realm: journey.realm)
    let token: SessionToken
    // The write itself asks whether the account is active.
    do { token = try await sessions.issue(for: account) } catch StoreError.missing { throw refusal }
    context.logger.debug(
      "signed in", metadata: ["journey": "\(journey.journey)", "user": "\(account.text)"])
    return success(realm: journey.realm, token: token, context: context)
  }

  private func success(realm: String, token: SessionToken?, context: ServerRequestContext) -> Response {
    var body = JSONObject()
    var headers = HTTPFields()
    if let token {
      body["tokenId"] = .string(token.text)
      headers[.setCookie] = sessions.cookie(for: token, context.connection)
    }
    body["successUrl"] = .string("/enduser/?realm=\(realm.realmPath)")
    body["realm"] = .string(realm.realmPath)
    return .json(body, headers: headers)
  }
}

extension JourneyStep {
  fileprivate var body: JSONObject {
    var body: JSONObject = [
      "authId": .string(authID), "callbacks": .array(callbacks.map(JSONValue.object)),
    ]
    if let header { body["header"] = .string(header) }
    if let description { body["description"] = .string(description) }
    if let stage { body["stage"] = .string(stage) }
    return body
  }
}

extension JourneyFailure {
  /// For the operator: what the journey was about, and why it failed.
  fileprivate var cause: String {
    let user = username.map { " for \(JSONValue.string($0).text)" } ?? ""
    let reasons = reasons.isEmpty ? "it reached its failure node" : reasons.joined(separator: "; ")
    return "journey \(journey) of realm \(realm) failed\(user): \(reasons)"
  }
}
