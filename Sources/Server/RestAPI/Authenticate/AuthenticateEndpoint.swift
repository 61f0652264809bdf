internal import BindingFormats
internal import HTTPTypes
internal import Hummingbird
internal import JourneyEngine
internal import JourneyFiles
internal import JourneyNodes
internal import JourneyStore
internal import Logging
internal import SecurityEvents
internal import ServerHTTP
internal import StrictJSON

/// `/authenticate`: starts journeys and takes the answers to their callbacks.
struct AuthenticateEndpoint: SessionEndpoint {
  let engine: JourneyEngine
  let sessions: SessionAuthority
  let transactions: TransactionVerdicts
  let knownDevices: KnownDevices
  let persistentCookies: PersistentCookies
  let events: SecurityEvents

  var routes: [Route] {
    [
      // The outcome of a journey is reported where it ends.
      Route(
        "authenticate", [.post: advance], bodyLimit: \.authenticateBody,
        admission: .proof { request, _ in try await continuesJourney(request) }, reportsRefusals: false)
    ]
  }

  private func advance(_ request: Request, in context: ResourceContext) async throws -> Response {
    do { return try await advance(request, in: context, allowsDeferral: true) } catch is NothingStored {
      return try await advance(request, in: context, allowsDeferral: false)
    }
  }

  /// Thrown when a run that left its proof to the session's write has made no session. Nothing was stored, and the run is repeated with a
  /// write of the proof alone.
  private struct NothingStored: Error {}

  private func advance(
    _ request: Request, in context: ResourceContext, allowsDeferral: Bool
  ) async throws -> Response {
    let query = try QueryParameters(request.uri.query)
    let body = try await RequestBodyReader.object(of: request)
    let options = JourneyOptions(
      noSession: query["noSession"] == "true", forceAuth: query["ForceAuth"] == "true")
    var facts = facts(of: request, query: query, context: context)
    if let id = query["suspendedId"] {
      return try await answer(
        to: try await engine.resume(suspendedID: id, options: options, request: facts), request, context)
    }
    guard let authID = try body.text("authId") else {
      return try await start(query, options, facts, request, context)
    }
    facts.allowsDeferral = allowsDeferral
    return try await answer(
      to: try await engine.resume(
        authID: authID, callbacks: try Self.callbacks(in: body), options: options, request: facts),
      request, context)
  }

  /// Starts a journey, unless the client's session already meets the request.
  private func start(
    _ query: QueryParameters, _ options: JourneyOptions, _ facts: RequestFacts, _ request: Request,
    _ context: ResourceContext
  ) async throws -> Response {
    let realm = context.realm
    var options = options
    let demand = try AuthenticationDemand(query, realm: realm)
    var (journey, state) = (demand.service, JourneyState())
    if let id = demand.transaction {
      let start = try await transactions.start(id, realm: realm)
      (journey, state) = (start.journey, start.state)
      // An approval signs nobody in, and a user who is signed in still has to approve.
      options.noSession = true
    }
    let session = try await presented(request, realm: realm)
    options.isOwn = query["sessionUser"] == "true"
    guard !options.isOwn || session != nil else {
      throw ErrorResponse.loginFailure(
        cause: "the journey was to run for the user of a session, and there is none (sessionUser=true)")
    }
    // A client that wants no session wants the journey to run.
    if let session, !options.forceAuth, !options.noSession, demand.isMet(by: session.record) {
      try await sessions.noteUse(of: session)
      return success(realm: realm, token: session.token, context: context)
    }
    if let level = demand.level {
      guard let name = journey ?? engine.catalog.journey(reaching: level, realm: realm) else {
        throw ErrorResponse.badRequest("No journey of this realm reaches authentication level \(level).")
      }
      journey = name
      options.requiredLevel = level
    }
    options.isUpgrade = demand.isUpgrade
    let progress = try await engine.start(
      journey: journey, options: options, state: state, session: session.map { PresentedSession($0.record) },
      request: facts)
    return try await answer(to: progress, request, context)
  }

  private func answer(
    to progress: JourneyProgress, _ request: Request, _ context: ResourceContext
  ) async throws -> Response {
    switch progress {
    case .step(let step): return .json(step.body)
    case .success(let journey):
      do { return try await finish(journey, request, context: context) } catch {
        throw try await refusal(of: journey, because: error)
      }
    case .failure(let failure):
      await events.note(
        SecurityEvent(
          .signInRefused, realm: failure.realm, account: failure.username, journey: failure.journey,
          outcome: .refused, cause: failure.why))
      throw ErrorResponse.loginFailure(
        failure.message, detail: failure.detail, cause: failure.cause,
        subject: (failure.journey, failure.username))
    }
  }

  /// The error for a success that has made no session. Records the event.
  ///
  /// - Throws: ``NothingStored`` when the run has to be repeated.
  private func refusal(
    of journey: JourneySuccess, because error: any Error
  ) async throws(NothingStored) -> ErrorResponse {
    var answer = ErrorResponse(mapping: error)
    // Not after a server error: the database may have stored the proof without being able to say so.
    if journey.deferred != nil, error is ProofNotAccepted || answer.status.kind != .serverError {
      throw NothingStored()
    }
    answer.subject = (journey.journey, journey.username)
    // After a server error, the client was not told that its run has ended.
    if answer.status.kind != .serverError { await noteEnd(journey) }
    await events.note(
      SecurityEvent(
        .signInRefused, realm: journey.realm, account: journey.username, accountID: journey.state.accountID,
        journey: journey.journey, factors: journey.state.factors,
        outcome: answer.status.kind == .serverError ? .failure : .refused,
        cause: answer.cause ?? answer.message))
    return answer
  }

  /// Whether the request answers a step that this server has sent, and not too often. The step is not used up.
  private func continuesJourney(_ request: Request) async throws -> Bool {
    guard let authID = try await RequestBodyReader.object(of: request).text("authId"),
      let step = engine.step(ofAuthID: authID)
    else { return false }
    return sessions.requests.admits(step: step)
  }

  // MARK: The request

  private static func callbacks(in body: JSONObject) throws(ErrorResponse) -> [JSONValue] {
    guard let value = body["callbacks"], !value.isNull else { return [] }
    guard let callbacks = value.arrayValue else { throw .badRequest("The member callbacks must be a list.") }
    return callbacks
  }

  /// The valid session of this realm that a start carries. Another realm's does not count, because other journeys reached its level.
  private func presented(_ request: Request, realm: String) async throws -> AuthenticatedSession? {
    let session = try await sessions.verify(sessions.presentedText(in: request))
    guard let session, session.record.realm == realm else { return nil }
    try sessions.charge(session)
    return session
  }

  private func facts(
    of request: Request, query: QueryParameters, context: ResourceContext
  ) -> RequestFacts {
    let realm = context.realm
    let locales = AcceptedLanguages.wanted(by: request, query)
    var headers: [String: String] = [:]
    headers.reserveCapacity(request.headers.count)
    for field in request.headers {
      let name = field.name.canonicalName
      // Over HTTP/2 each cookie may be a header of its own (RFC 9113 §8.2.3).
      let separator = field.name == .cookie ? "; " : ", "
      headers[name] = headers[name].map { $0 + separator + field.value } ?? field.value
    }
    var facts = RequestFacts(
      realm: realm, locales: locales, headers: headers, clientAddress: context.connection.clientAddress,
      baseURL: sessions.baseAddress.address(for: context.connection, realm: realm),
      isBaseURLCertain: sessions.baseAddress.isConfigured(realm: realm))
    facts.parameters = query.all
    return facts
  }

  // MARK: The answer

  /// Turns a journey's success into a session: only for an account that exists and may sign in.
  private func finish(
    _ journey: JourneySuccess, _ request: Request, context: ResourceContext
  ) async throws -> Response {
    guard let username = journey.username else {
      throw ErrorResponse.loginFailure(
        cause: "journey \(journey.journey) ended in success without a username")
    }
    let (shownName, level) = (JSONValue.string(username).text, journey.state.authLevel)
    let refusal = ErrorResponse.loginFailure(
      cause: "journey \(journey.journey) ended in success for \(shownName), who has no active account, or "
        + "whose password or sessions have ended since")
    if let required = journey.options.requiredLevel, level < required {
      throw ErrorResponse.loginFailure(
        cause: "journey \(journey.journey) reached authentication level \(level) for \(shownName), and "
          + "\(required) was asked for")
    }
    let transaction = TransactionJourney.result(of: journey.state)
    if journey.noSession || transaction != nil {
      guard journey.deferred == nil else { throw ProofNotAccepted() }
      guard let user = try await store.user(named: username, realm: journey.realm), user.isActive,
        journey.state.accountID.map({ $0 == user.id }) ?? true,
        // The write of a session checks the same.
        journey.state.passwordMark.map({ $0 == PasswordMark(user).text }) ?? true
      else { throw refusal }
      return try await finish(journey, approving: transaction, of: user, context)
    }
    let account = UniversalID(username: username, realm: journey.realm)
    let session: (token: SessionToken, user: UserRecord, evidence: Int64?)
    // The write itself asks whether the account is active.
    do { session = try await issue(for: account, journey) } catch StoreError.missing { throw refusal }
    await events.note(
      SecurityEvent(
        .signInSucceeded, realm: account.realm, account: account.username, accountID: session.user.id,
        journey: journey.journey,
        factors: journey.state.factors, level: level))
    return success(
      realm: journey.realm, token: session.token, context: context,
      state: journey.state,
      cookies: [knownDevice(of: session.user, request, context)]
        + persistent(journey.state, of: session.user, context),
      evidence: session.evidence ?? Evidence.number(in: journey.state))
  }

  /// The end of a run that makes no session: an approved transaction, or a client that wants none.
  private func finish(
    _ journey: JourneySuccess, approving transaction: TransactionJourney.Result?, of user: UserRecord,
    _ context: ResourceContext
  ) async throws -> Response {
    if let transaction {
      try await transactions.approve(transaction, journey: journey, logger: context.logger)
      await events.note(
        SecurityEvent(
          .transactionApproved, realm: journey.realm, account: journey.username, accountID: user.id,
          journey: journey.journey, factors: journey.state.factors,
          detail: ["transaction": .string(transaction.id)]))
    } else {
      // The event also shows clients that try passwords without wanting sessions.
      await events.note(
        SecurityEvent(
          .signInSucceeded, realm: journey.realm, account: journey.username, journey: journey.journey,
          factors: journey.state.factors, level: journey.state.authLevel, detail: ["session": false]))
    }
    await noteEnd(journey)
    return success(
      realm: journey.realm, token: nil, context: context, state: journey.state,
      evidence: Evidence.number(in: journey.state))
  }

  /// Notes the end of a run that has made no session.
  private func noteEnd(_ journey: JourneySuccess) async {
    if let step = journey.answeredStep { await engine.noteEnd(of: step) }
  }

  /// The new session. It replaces, in the same write, the one that the client presented at the start if that is the same account's and has
  /// no higher level, so that only one of several upgrades at once succeeds.
  private func issue(
    for account: UniversalID, _ journey: JourneySuccess
  ) async throws -> (token: SessionToken, user: UserRecord, evidence: Int64?) {
    var origin = SessionAuthority.Origin(
      authLevel: journey.state.authLevel, service: journey.journey, factors: journey.state.factors)
    origin.authenticatedAt = journey.state.authenticatedAt
    origin.password = journey.state.passwordMark.flatMap { PasswordMark(text: $0) }
    origin.accountID = journey.state.accountID
    origin.properties = journey.state.sessionProperties
    origin.proof = journey.deferred?.proof as? SessionProof
    origin.endedStep = journey.answeredStep.map { OnceKey(key: $0.key, expiry: $0.endedExpiry) }
    guard let old = journey.session else { return try await sessions.issue(for: account, from: origin) }
    let isOwn = UniversalID(username: old.username, realm: journey.realm) == account
    guard isOwn || !journey.options.isUpgrade else {
      throw ErrorResponse.loginFailure(
        cause: "journey \(journey.journey) was started to raise a session of "
          + "\(JSONValue.string(old.username).text), and ended with another account")
    }
    guard isOwn, old.authLevel <= origin.authLevel else {
      return try await sessions.issue(for: account, from: origin)
    }
    origin.replacing = old.tokenHash
    do {
      return try await sessions.issue(for: account, from: origin)
    } catch StoreError.missing {
      guard !journey.options.isUpgrade else {
        throw ErrorResponse.loginFailure(
          cause: "the session that journey \(journey.journey) was to raise has ended")
      }
      // The user has signed in anew, so the new session does not depend on the old one.
      origin.replacing = nil
      return try await sessions.issue(for: account, from: origin)
    }
  }

  /// The cookie that marks this browser or app as one that has signed in to the account.
  ///
  /// - Parameter user: the account when the session began: the journey may have changed the password, which ends older tokens.
  private func knownDevice(of user: UserRecord, _ request: Request, _ context: ResourceContext) -> String {
    let value = knownDevices.value(
      for: user, cookies: request.headers[values: .cookie].joined(separator: "; "), now: sessions.clock(),
      randomBytes: sessions.randomBytes)
    return sessions.cookieAttributes(for: context.connection)
      .setting(knownDevices.cookieName, to: value, lifetime: Int(KnownDevices.lifetime))
  }

  /// The cookies by which nodes let this browser sign in again.
  private func persistent(
    _ state: JourneyState, of user: UserRecord, _ context: ResourceContext
  ) -> [String] {
    let attributes = sessions.cookieAttributes(for: context.connection)
    return persistentCookies.issue(
      state, for: user, clientAddress: context.connection.clientAddress, now: sessions.clock(),
      randomBytes: sessions.randomBytes
    ).map { attributes.setting($0.name, to: $0.value, lifetime: $0.lifetime) }
  }

  private func success(
    realm: String, token: SessionToken?, context: ResourceContext, state: JourneyState = JourneyState(),
    cookies: [String] = [],
    evidence: Int64? = nil
  ) -> Response {
    var body = JSONObject()
    var headers = HTTPFields()
    if let token {
      body["tokenId"] = .string(token.text)
      // Kept as long as the browser runs; the server knows when the session ends.
      headers[.setCookie] = sessions.cookieAttributes(for: context.connection)
        .setting(sessions.cookieName, to: token.text)
      for cookie in cookies { headers.append(HTTPField(name: .setCookie, value: cookie)) }
    }
    body["successUrl"] =
      state.shared[JourneyEndDetails.successURL] ?? .string("/enduser/?realm=\(realm.realmPath)")
    for (name, value) in JourneyEndDetails.success(in: state) where body[name] == nil { body[name] = value }
    body["realm"] = .string(realm.realmPath)
    // Sealring's own: the number of the signature's ledger entry, for the person's records.
    body["evidence"] = evidence.map(JSONValue.integer)
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

extension PresentedSession {
  fileprivate init(_ record: SessionRecord) {
    self.init(
      tokenHash: record.tokenHash, username: record.username, authLevel: record.authLevel,
      service: record.service, authenticatedAt: record.authenticatedAt)
  }
}

extension JourneyFailure {
  /// For the operator: what the journey was about, and why it failed.
  fileprivate var cause: String {
    let user = username.map { " for \(JSONValue.string($0).text)" } ?? ""
    return "journey \(journey) of realm \(realm) failed\(user): \(why)"
  }

  fileprivate var why: String {
    reasons.isEmpty ? "it reached its failure node" : reasons.joined(separator: "; ")
  }
}
