internal import Accounts
internal import BindingFormats
internal import Bytes
internal import Foundation
internal import Hummingbird
internal import JourneyFiles
internal import JourneyNodes
internal import JourneyStore
internal import Logging
internal import Pages
internal import ServerHTTP

/// `/oauth2/…/device/user`: where people type a device's code, read who asks for what, and decide (RFC 8628 §3.3).
///
/// A link with the code only fills in the field, because anybody can send one. Only this page's own forms look up codes and decide
/// requests, and only for a signed-in person. Whoever approves must have signed in after the device asked, with the strongest factor they
/// have, so that a link cannot use a session that happens to be open.
struct DevicePage: Endpoint {
  let provider: OpenIDProvider

  /// The lock for wrong codes. They are counted separately, so that other people's links lock nobody out of signing in.
  private func lock(_ account: UniversalID) -> AccountLock {
    provider.services.lock(LockoutScope(.deviceCodes), of: account)
  }

  var routes: [Route] { [provider.personRoute("device/user", get: show, post: post)] }

  /// The sealed state of a device's request while somebody signs in for it.
  private struct Interaction: Codable {
    let code: String
    let account: String

    enum CodingKeys: String, CodingKey { case code = "u", account = "a" }
  }

  /// The sealed content of the approval page's form. Hashes are in base64url.
  private struct Confirmation: Codable {
    let code: String
    /// The hash of the `device_code`.
    let device: String
    /// The hash of the session's token.
    let session: String

    enum CodingKeys: String, CodingKey { case code = "u", device = "d", session = "s" }
  }

  // MARK: Reading

  private func show(_ asked: PersonRequest) async throws -> Response {
    guard let session = try await provider.signedIn(asked) else {
      let kept = ["user_code", "interaction"].map { ($0, asked[$0]) }
      return signIn(back: kept, asked.context)
    }
    try await provider.sessions.noteUse(of: session)
    if let sealed = asked["interaction"] {
      let ticket: Interaction? = provider.tickets.open(
        sealed, as: .deviceInteraction, realm: asked.context.realm)
      // A ticket of another account comes from a link that somebody has sent.
      guard let ticket, ticket.account == session.account.text,
        let code = DeviceUserCode(typed: ticket.code),
        let waiting = try await requests(asked.context).request(code, now: provider.clock())
      else { throw Self.over }
      return try await ask(waiting, session, isReturn: true, asked)
    }
    return try provider.pages.deviceCode(
      try provider.pages.visit(asked), code: asked["user_code"].flatMap(DeviceUserCode.init(typed:)),
      fault: nil, username: session.record.username)
  }

  private func post(_ asked: PersonRequest) async throws -> Response {
    try provider.pages.site.requireOwnPage(asked.request, asked.context)
    guard let session = try await provider.signedIn(asked) else {
      return signIn(back: [("user_code", asked["user_code"])], asked.context)
    }
    if asked["ticket"] != nil { return try await decide(session, asked) }
    return try await find(asked["user_code"] ?? "", session, asked)
  }

  /// Looks up the code that somebody has typed. Each attempt is counted for the account first, so that parallel attempts cannot outrun the
  /// count. Only an approval resets the count; otherwise a request of one's own would allow more attempts.
  private func find(
    _ text: String, _ session: AuthenticatedSession, _ asked: PersonRequest
  ) async throws -> Response {
    let code = DeviceUserCode(typed: text)
    func again(_ fault: String) throws -> Response {
      try provider.pages.deviceCode(
        try provider.pages.visit(asked), code: code, fault: fault, username: session.record.username)
    }
    guard let code else { return try again("device.unknown") }
    guard try await lock(session.account).settle(isRight: false) else { return try again("device.tooMany") }
    guard let waiting = try await requests(asked.context).request(code, now: provider.clock()) else {
      asked.context.logger.notice("a wrong device code", metadata: ["account": "\(session.account.text)"])
      return try again("device.unknown")
    }
    return try await ask(waiting, session, isReturn: false, asked)
  }

  // MARK: Asking

  private static let over = OAuthError(
    .invalidRequest, "The device's request has expired, was decided, or was asked for somebody else.")

  /// What the session lacks.
  private enum Need: Equatable {
    /// A sign-in after the device asked, by the journey.
    case newer(journey: String?)
    /// A stronger sign-in, which this journey gives; `nil` when no journey does.
    case stronger(journey: String?)
  }

  private func need(
    _ waiting: DeviceRequest, _ client: OpenIDClient, _ session: AuthenticatedSession
  ) async throws -> Need? {
    let record = session.record
    let journey = provider.contexts(of: waiting.acrValues, for: client).first?.journey
    guard provider.reaches(oneOf: waiting.acrValues, record, for: client) else {
      return .stronger(journey: journey)
    }
    let hasFactors = try await provider.store.hasFactors(of: session.account)
    let step =
      hasFactors
      ? provider.sessions.accounts.stepUpJourney(FactorChangePolicy.strongLevel, record.realm) : nil
    if hasFactors, record.authLevel < FactorChangePolicy.strongLevel { return .stronger(journey: step) }
    return record.authenticatedAt < waiting.createdAt ? .newer(journey: journey ?? step) : nil
  }

  private func ask(
    _ waiting: DeviceRequest, _ session: AuthenticatedSession, isReturn: Bool, _ asked: PersonRequest
  ) async throws -> Response {
    let context = asked.context
    let client = try client(of: waiting, context)
    let again = try provider.tickets.seal(
      Interaction(code: waiting.code.letters, account: session.account.text), as: .deviceInteraction,
      realm: context.realm)
    switch try await need(waiting, client, session) {
    case .newer(let journey) where !isReturn:
      return signIn(journey: journey, isForced: true, back: [("interaction", again)], context)
    case .stronger(let journey?) where !isReturn:
      return signIn(journey: journey, isForced: true, back: [("interaction", again)], context)
    case .newer:
      throw OAuthError(.loginRequired, "The sign-in is older than the device's request.")
    case .stronger:
      throw OAuthError(.unmetAuthenticationRequirements, "The sign-in is weaker than the device requires.")
    case nil: break
    }
    let ticket = try provider.tickets.seal(
      Confirmation(
        code: waiting.code.letters, device: Base64URL.encode(waiting.ticketHash),
        session: Base64URL.encode(session.token.hash)), as: .deviceConfirmation, realm: context.realm)
    return try provider.pages.deviceQuestion(
      try provider.pages.visit(asked), waiting, client: client, username: session.record.username,
      ticket: ticket, again: again)
  }

  private func client(
    of waiting: DeviceRequest, _ context: ResourceContext
  ) throws(OAuthError) -> OpenIDClient {
    // The file may have changed meanwhile.
    guard let client = provider.file.clients.client(waiting.clientID, realm: context.realm),
      client.grants.contains(.deviceCode), client.scopes.isSuperset(of: waiting.scopes)
    else { throw Self.over }
    return client
  }

  private func signIn(
    journey: String? = nil, isForced: Bool = false, back: [(String, String?)], _ context: ResourceContext
  ) -> Response {
    let query = PercentEncoding.form(back)
    return provider.signIn(
      journey: journey, isForced: isForced, back: "/device/user" + (query.isEmpty ? "" : "?" + query), context
    )
  }

  // MARK: Deciding

  /// Handles the approval page's form. Its ticket is sealed for the session that read the page, so no other site can have one for it.
  private func decide(_ session: AuthenticatedSession, _ asked: PersonRequest) async throws -> Response {
    let context = asked.context
    let ticket: Confirmation? = provider.tickets.open(
      asked["ticket"], as: .deviceConfirmation, realm: context.realm)
    guard let ticket, ticket.session == Base64URL.encode(session.token.hash),
      let code = DeviceUserCode(typed: ticket.code),
      let waiting = try await requests(context).request(code, now: provider.clock()),
      ticket.device == Base64URL.encode(waiting.ticketHash)
    else { throw Self.over }
    let client = try client(of: waiting, context)
    guard try await need(waiting, client, session) == nil else { throw Self.over }
    let isAllowed = asked["decision"] == "allow"
    let isDecided =
      isAllowed
      ? try await approve(waiting, client, session, context)
      : try await requests(context).decide(waiting, .denied, now: provider.clock())
    guard isDecided else { throw Self.over }
    context.logger.notice(
      "a device was \(isAllowed ? "connected" : "refused")",
      metadata: [
        "client": "\(client.id)", "account": "\(session.account.text)", "device": "\(waiting.address)",
      ])
    if isAllowed { _ = try await lock(session.account).recordSuccess() }
    return try provider.pages.deviceDecided(try provider.pages.visit(asked), isAllowed: isAllowed)
  }

  private func approve(
    _ waiting: DeviceRequest, _ client: OpenIDClient, _ session: AuthenticatedSession,
    _ context: ResourceContext
  ) async throws -> Bool {
    let now = provider.clock()
    guard let user = try await provider.store.user(session.account), user.isActive, session.isOf(user) else {
      return false
    }
    let key = GrantKey(account: user.account, id: provider.random())
    var details = GrantDetails(scopes: waiting.scopes, issuer: provider.issuer(context), subject: user.id)
    details.acr = provider.acr(of: session.record, asked: waiting.acrValues, for: client)
    details.take(session.record)
    // The grant has no session, so the device stays connected when the browser signs out, as after a sign-in by push.
    let grant = GrantRecord(
      key: key, mark: PasswordMark(user), clientID: client.id, sessionHash: nil,
      details: details, createdAt: now,
      expiresAt: waiting.expiresAt.addingTimeInterval(
        TimeInterval(max(client.refreshTokenLifetime, client.accessTokenLifetime))),
      ticketHash: waiting.ticketHash, ticketExpiry: waiting.expiresAt)
    // The grant is stored first, because the device may use it as soon as the request is decided. Nobody can use it before.
    guard try await provider.grants.openGrant(grant, in: session.token.hash) else { return false }
    guard try await requests(context).decide(waiting, .approved(key), now: now) else {
      _ = try await provider.grants.endGrant(key, now: now)
      return false
    }
    return true
  }

  private func requests(_ context: ResourceContext) -> DeviceRequests {
    DeviceRequests(of: provider, in: context)
  }
}
