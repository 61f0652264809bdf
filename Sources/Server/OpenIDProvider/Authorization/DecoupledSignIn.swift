internal import BindingFormats
internal import Bytes
internal import Crypto
internal import OpenIDFormats
internal import Foundation
internal import Hummingbird
internal import JourneyNodes
internal import JourneyStore
internal import PushFormats
internal import PushService
internal import SecurityEvents
internal import ServerHTTP
internal import StrictJSON

/// `/oauth2/…/bc-authorize`: signs in a person who is elsewhere, by a push message (CIBA Core 1.0, poll mode).
///
/// The message, its limits, its lockout and its answer are those of the push journeys.
struct DecoupledSignIn: Endpoint {
  let provider: OpenIDProvider

  /// How long the person has to answer, unless the client asks for another time. Seconds.
  private static let life: TimeInterval = 120
  private static let longestLife = 300

  /// The shortest time between two polls of a client. Seconds.
  private static let interval: TimeInterval = 5
  private static let longestMessage = 100

  var routes: [Route] { [provider.clientRoute("bc-authorize", begin)] }

  private func begin(_ asked: ClientRequest) async throws -> Response {
    let client = asked.client
    try asked.requireGrant(.ciba, "decoupled sign-ins")
    let scopes = try AuthorizationRequest.scopes(asked["scope"], client: client)
    guard scopes.contains("openid") else { throw OAuthError(.invalidScope, "The scope openid is missing.") }
    guard let name = asked["login_hint"], asked["login_hint_token"] == nil, asked["id_token_hint"] == nil
    else { throw OAuthError(.invalidRequest, "Name the person by login_hint, and by nothing else.") }
    // A tap is not a journey: it has no level and reaches no acr value.
    guard (asked["acr_values"] ?? "").allSatisfy({ $0 == " " }) else {
      throw OAuthError(
        .unmetAuthenticationRequirements, "A sign-in by push reaches none of the acr_values.")
    }
    let message = asked["binding_message"]
    guard (message ?? "").count <= Self.longestMessage, message?.isFitForLine ?? true else {
      throw OAuthError(
        .invalidBindingMessage,
        "The binding_message must be one line of at most \(Self.longestMessage) characters.")
    }
    var life = Self.life
    if let text = asked["requested_expiry"] {
      guard let seconds = Int(text), (10...Self.longestLife).contains(seconds) else {
        throw OAuthError(.invalidRequest, "The requested_expiry must be 10 to \(Self.longestLife) seconds.")
      }
      life = TimeInterval(seconds)
    }
    let account = UniversalID(username: name, realm: asked.context.realm)
    let unknown = Self.unknown(to: client)
    // Unknown names are checked, too, so that the answer and its cost are the same.
    guard try await mayAsk(account, client, scopes),
      let user = try await provider.store.user(account), user.isActive
    else { throw unknown }
    let now = provider.clock()
    guard let messageID = try await ask(user, client, message, life: life, now: now) else { throw unknown }
    let key = GrantKey(account: user.account, id: provider.random())
    let id = try provider.token(.decoupled, of: key)
    var details = GrantDetails(scopes: scopes, issuer: provider.issuer(asked.context), subject: user.id)
    details.pushMessage = messageID
    details.methods = AuthenticationMethods.values(of: ["push"])
    let grant = GrantRecord(
      key: key, mark: PasswordMark(user), clientID: client.id, sessionHash: nil,
      details: details, createdAt: now,
      expiresAt: now.addingTimeInterval(
        TimeInterval(max(client.refreshTokenLifetime, Self.longestLife + client.accessTokenLifetime))),
      ticketHash: OpenIDHash.stored(id), ticketExpiry: now.addingTimeInterval(life))
    guard try await provider.grants.openGrant(grant) else { throw unknown }
    return .json([
      "auth_req_id": .string(id), "expires_in": .integer(Int64(life)),
      "interval": .integer(Int64(Self.interval)),
    ])
  }

  /// The error for accounts that are unknown, without a device, locked, or without consent to the requested scopes. A client is not told
  /// which.
  private static func unknown(to client: OpenIDClient) -> OAuthError {
    client.requiresConsent
      ? OAuthError(
        .accessDenied, "The person has not allowed the client these scopes, is unknown, or cannot be asked.")
      : OAuthError(.unknownUser, "The person is unknown, or cannot be asked.")
  }

  /// Whether the client may get the scopes by a tap. The question on a phone has no room to list scopes, so a client that requires consent
  /// gets only what it was given at `/authorize`.
  private func mayAsk(
    _ account: UniversalID, _ client: OpenIDClient, _ scopes: [String]
  ) async throws -> Bool {
    guard client.requiresConsent else { return true }
    return try await provider.grants.consent(of: account, client: client.id)?.isSuperset(of: scopes) == true
  }

  /// Sends the question to the person's devices. Returns the message's id, or `nil` when the person cannot be asked.
  private func ask(
    _ user: UserRecord, _ client: OpenIDClient, _ text: String?, life: TimeInterval, now: Date
  ) async throws -> String? {
    let services = provider.services
    let devices = services.push.reached(of: try await services.store.pushDevices.all(of: user.account))
    guard !devices.isEmpty, try await !services.lock(LockoutScope(.pushAnswers), of: user.account).isLocked()
    else { return nil }
    let id = PushMessageID(
      .authenticate, uuid: Hexadecimal.uuid(provider.randomBytes(16)), milliseconds: now.millisecondsSince1970
    ).text
    let challenge = StoredSecret(provider.randomBytes(32))
    let message = PushMessage(
      mechanismUID: "", challenge: try PushChallenge(challenge.reveal()),
      loadBalancer: PushMessage.noLoadBalancer,
      text: text.map { "\(client.name): \($0)" } ?? "\(client.name) asks you to sign in",
      sentAtMilliseconds: now.millisecondsSince1970, timeToLive: Int(life), username: user.username,
      customPayload: JSONValue.object(["client_id": .string(client.id)]).text, contextInfo: nil)
    let outgoing = try await message.outgoing(id: id, to: devices)
    let record = PushMessageRecord(
      id: id, realm: user.realm, username: user.username, kind: .authentication, type: .default,
      challenge: challenge, answer: nil, sentAt: now, expiresAt: now.addingTimeInterval(life))
    guard
      try await services.store.openPushMessage(
        record, inboxes: outgoing.map(\.item), limits: services.pushLimits) == .opened
    else { return nil }
    _ = await services.push.handOver(outgoing)
    return id
  }

  // MARK: The token endpoint

  /// The tokens, once the person has approved (§10.1).
  func poll(_ asked: ClientRequest) async throws -> JSONObject {
    let now = provider.clock()
    let unknown = OAuthError(.invalidGrant, "The auth_req_id is unknown or was used.")
    guard let id = asked["auth_req_id"], let key = provider.key(in: id, as: .decoupled, asked.context),
      var grant = try await provider.grants.grant(key), grant.ticketHash == OpenIDHash.stored(id),
      grant.clientID == asked.client.id, grant.ticketUsedAt == nil, grant.endedAt == nil,
      let messageID = grant.details.pushMessage
    else { throw unknown }
    guard now < grant.ticketExpiry else { throw OAuthError(.expiredToken, "The time to answer is over.") }
    guard
      try await provider.grants.pollGrant(key, notBefore: now.addingTimeInterval(-Self.interval), now: now)
    else { throw OAuthError(.slowDown, "Wait \(Int(Self.interval)) seconds between two questions.") }
    guard let message = try await provider.store.pushMessage(id: messageID, realm: asked.context.realm)
    else { throw unknown }
    switch message.state {
    case .approved: break
    case .denied:
      _ = try await provider.grants.endGrant(key, now: now)
      throw OAuthError(.accessDenied, "The person has refused.")
    default: throw OAuthError(.authorizationPending, "The person has not answered yet.")
    }
    // An approval is used once, and only while the account is not locked and still has the device.
    let use = PushUse(by: grant.key.account, scope: LockoutScope(.pushAnswers), at: now)
    guard let user = try await provider.account(of: grant),
      case .taken(let taken?, isLocked: false) = try await provider.store.usePushMessage(
        id: messageID, for: use, using: nil), use.isMeant(by: taken)
    else { throw unknown }
    grant.details.authenticatedAt = Int64(now.timeIntervalSince1970)
    guard let tokens = try await provider.redeem(grant, for: asked, user: user) else { throw unknown }
    return tokens
  }
}
