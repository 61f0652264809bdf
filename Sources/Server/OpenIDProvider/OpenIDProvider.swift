package import Accounts
internal import BindingFormats
internal import Bytes
internal import Concurrency
internal import Crypto
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import JOSE
internal import JourneyEngine
internal import JourneyFiles
package import JourneyNodes
package import JourneyStore
package import Logging
internal import OpenIDFormats
package import Operations
package import Pages
package import PushTransports
package import ServerHTTP
internal import StrictJSON

/// What the endpoints of OpenID Connect share.
package struct OpenIDProvider: Sendable {
  package let file: ClientFile
  let grants: StoredGrants
  let store: any ServerStore
  let sessions: SessionAuthority
  let services: NodeServices
  let tickets: TicketSealing

  /// The secrets that ``tickets`` seals with.
  let secrets: RotatingSecrets
  let keys: TokenKeys
  let pages: ConsentPages

  let realms: RealmDirectory

  /// Makes the nonces of proofs.
  let nonceSecret: [UInt8]
  package let outgoing: OutgoingClient
  let logger: Logger

  var clock: @Sendable () -> Date { services.clock }
  var randomBytes: @Sendable (Int) -> [UInt8] { services.randomBytes }

  package init(
    _ file: ClientFile, grants: StoredGrants, store: any ServerStore, services: NodeServices,
    site: PageSite, themes: PageThemes, outgoing: OutgoingClient, secrets: RotatingSecrets, logger: Logger
  ) async throws {
    func secret(_ name: String) async throws -> [UInt8] {
      try await store.secret(named: name) { services.randomBytes(32) }
    }
    (self.file, self.grants, self.store, self.services) = (file, grants, store, services)
    (sessions, realms, pages) = (site.sessions, site.realms, ConsentPages(site: site, themes: themes))
    self.secrets = secrets
    tickets = TicketSealing(
      secrets: {
        secrets.secrets(named: ServerKeyRotation.Secret.openIDTickets, lifetime: TicketSealing.lifetime)
      },
      identifiers: try await secret("openid tickets"), randomBytes: services.randomBytes)
    keys = TokenKeys(store: store, clock: services.clock)
    nonceSecret = try await secret("openid proof nonces")
    (self.outgoing, self.logger) = (outgoing, logger)
  }

  package var endpoints: [any Endpoint] {
    let endpoints: [any Endpoint] = [
      AuthorizeEndpoint(provider: self), TokenEndpoint(provider: self), TokenInformation(provider: self),
      EndSessionEndpoint(provider: self), DecoupledSignIn(provider: self), DiscoveryEndpoint(provider: self),
      DeviceAuthorization(provider: self), DevicePage(provider: self),
    ]
    return endpoints.map { CertainAddress(endpoint: $0, provider: self) }
  }

  /// Notifies clients of sign-outs.
  package var notifier: LogoutNotifier {
    LogoutNotifier(
      file: file, grants: grants, keys: keys, clock: clock, randomBytes: randomBytes, logger: logger,
      post: { [outgoing] address, body in
        try await outgoing.post(address, contentType: "application/x-www-form-urlencoded", body: body).status
      })
  }

  /// Removes keys that no token needs any more.
  package func removeExpired() async throws { try await keys.removeRetired() }

  /// A text of 256 random bits.
  func random() -> String { RandomName.make(randomBytes(32)) }

  // MARK: Addresses

  func base(_ context: ResourceContext) -> String {
    sessions.baseAddress.address(for: context.connection, realm: context.realm)
  }

  /// The `iss` value: the realm's address in the form that the request uses, as in PingAM.
  func issuer(_ context: ResourceContext) -> String { issuer(context, in: context.realmForm) }

  func issuer(_ context: ResourceContext, in form: RealmForm) -> String {
    base(context) + "/oauth2" + form.path(of: context.realm)
  }

  /// The realm's issuers in all forms of its address, which are one and the same provider.
  func issuers(_ context: ResourceContext) -> Set<String> {
    Set(RealmForm.allCases.map { issuer(context, in: $0) })
  }

  /// Whether a token with this `iss` is one of the realm's.
  func isOwn(_ issuer: String, _ context: ResourceContext) -> Bool { issuers(context).contains(issuer) }

  /// The address of this request as the client knows it, which a proof names.
  func address(of request: Request, _ context: ResourceContext) -> String {
    // The configured address may have a path prefix, which a proxy removes.
    let path = request.uri.path
    return base(context) + (path.hasPrefix("/am/") ? String(path.dropFirst(3)) : path)
  }

  // MARK: Errors

  /// Answers with the response of `body`, or with its error in OAuth's form (RFC 6749 §5.2).
  func answering(
    _ request: Request, _ context: ResourceContext, _ body: () async throws -> Response
  ) async throws -> Response {
    var response: Response
    do { response = try await body() } catch let error as OAuthError {
      context.logger.notice(
        "request of a client refused",
        metadata: [
          "error": "\(error.code.rawValue)", "reason": "\(error.cause ?? error.text)",
          "path": "\(request.uri.path)", "client": "\(context.connection.clientAddress)",
        ])
      response = Self.response(of: error, request)
    }
    if file.clients.requiresDPoPNonce { response.headers["DPoP-Nonce"] = nonces()[0] }
    return response
  }

  /// The error response for a browser that is not redirected: a page for people, JSON for programs, both with PingAM's status.
  ///
  /// - Parameter isForProgram: whether a program sent the request, whatever its header `Accept` says.
  func refusal(
    _ error: OAuthError, _ request: Request, isForProgram: Bool = false, _ context: ResourceContext
  ) throws -> Response {
    let isForPerson = !isForProgram && request.headers[.accept]?.contains("text/html") == true
    return isForPerson
      ? try pages.refusal(try pages.visit(request, context), error)
      : .json(Self.body(of: error), status: .badRequest)
  }

  private static func body(of error: OAuthError) -> JSONObject {
    ["error": .string(error.code.rawValue), "error_description": .string(error.text)]
  }

  private static func response(of error: OAuthError, _ request: Request) -> Response {
    var headers = HTTPFields()
    var status = HTTPResponse.Status.badRequest
    let scheme = (request.headers[.authorization] ?? "").prefix { $0 != " " }.lowercased()
    switch error.code {
    case .invalidClient:
      status = .unauthorized
      if scheme == "basic" { headers[.wwwAuthenticate] = "Basic realm=\"sealring\"" }
    case .invalidToken, .insufficientScope:
      status = error.code == .invalidToken ? .unauthorized : .forbidden
      headers[.wwwAuthenticate] =
        "\(scheme == "dpop" ? "DPoP" : "Bearer") error=\"\(error.code.rawValue)\", error_description=\"\(error.text)\""
    case .useDPoPNonce where scheme == "dpop", .invalidDPoPProof where scheme == "dpop":
      status = .unauthorized
      headers[.wwwAuthenticate] =
        "DPoP error=\"\(error.code.rawValue)\", error_description=\"\(error.text)\""
    default: break
    }
    return .json(body(of: error), status: status, headers: headers)
  }

  // MARK: Proofs of possession

  /// The valid nonces, the newest first. Each is valid for five to ten minutes, on any server.
  func nonces() -> [String] {
    let number = Int64(clock().timeIntervalSince1970 / 300)
    return [number, number - 1].map { number in
      Base64URL.encode(
        HMAC<SHA256>.authenticationCode(
          for: Array("dpop nonce \(number)".utf8), using: SymmetricKey(data: nonceSecret)))
    }
  }

  /// Verifies and uses up the DPoP proof of a request; `nil` when it carries none.
  func proof(
    of request: Request, token: String? = nil, _ context: ResourceContext
  ) async throws -> VerifiedDPoPProof? {
    guard let name = HTTPField.Name("DPoP") else { return nil }
    let values = request.headers[values: name]
    guard let compact = values.first else { return nil }
    guard values.count == 1 else { throw OAuthError(.invalidDPoPProof, "There are several proofs.") }
    let verified: VerifiedDPoPProof
    do throws(DPoPError) {
      verified = try DPoPProof.verify(
        compact, method: request.method.rawValue, url: address(of: request, context), accessToken: token,
        nonces: file.clients.requiresDPoPNonce ? nonces() : [], now: clock())
    } catch {
      guard error.code != .wrongNonce else {
        throw OAuthError(.useDPoPNonce, "Use the nonce of the header DPoP-Nonce.")
      }
      throw OAuthError(
        .invalidDPoPProof, "The DPoP proof does not fit the request.", cause: error.description)
    }
    guard try await store.consume(verified.replayKey, until: verified.expiry.addingTimeInterval(60)) else {
      await noteReplay(.proof, realm: context.realm)
      throw OAuthError(.invalidDPoPProof, "The DPoP proof was used before.")
    }
    return verified
  }

  // MARK: People

  /// The browser's session in this realm. The request is charged to its account.
  func signedIn(_ asked: PersonRequest) async throws -> AuthenticatedSession? {
    let session = try await sessions.verify(sessions.presentedText(in: asked.request))
    guard let session, session.record.realm == asked.context.realm else { return nil }
    try sessions.charge(session)
    return session
  }

  /// The contexts of the `acr` values that a client asks for, in their order.
  func contexts(of values: [String], for client: OpenIDClient) -> [AuthenticationContext] {
    values.compactMap { context(of: $0, for: client) }
  }

  private func context(of value: String, for client: OpenIDClient) -> AuthenticationContext? {
    client.contexts[value] ?? file.clients.contexts[value]
  }

  /// Whether a session has reached an authentication context. The journey's name alone is not enough: some journeys succeed with less than
  /// they can ask for, where the account or the client has no more.
  func reaches(_ context: AuthenticationContext, _ record: SessionRecord) -> Bool {
    if let level = context.level { return record.authLevel >= level }
    return record.service == context.journey
      && record.authLevel >= realms.catalog.promisedLevel(of: context.journey, realm: record.realm)
  }

  /// Whether a session has reached one of the requested values; `true` when none is requested.
  func reaches(oneOf values: [String], _ record: SessionRecord, for client: OpenIDClient) -> Bool {
    values.isEmpty || contexts(of: values, for: client).contains { reaches($0, record) }
  }

  /// The `acr` value that a session has reached: the first of `asked`, or else the one with the highest level.
  func acr(of record: SessionRecord, asked: [String], for client: OpenIDClient) -> String? {
    func isReached(_ value: String) -> Bool {
      context(of: value, for: client).map { reaches($0, record) } ?? false
    }
    if let value = asked.first(where: isReached) { return value }
    func best(_ contexts: [String: AuthenticationContext]) -> String? {
      contexts.filter { isReached($0.key) }.min { one, other in
        let (first, second) = (one.value.level ?? 0, other.value.level ?? 0)
        return first == second ? one.key < other.key : first > second
      }?.key
    }
    return best(client.contexts) ?? best(file.clients.contexts)
  }

  // MARK: Grants

  /// The grant that a sealed text names.
  func key(in text: String?, as purpose: TicketSealing.Purpose, _ context: ResourceContext) -> GrantKey? {
    tickets.open(text, as: purpose, realm: context.realm, of: GrantLocator.self)?.key(realm: context.realm)
  }

  /// The scope of grants that outlive their session.
  private static let offline = "offline_access"

  /// The account of a grant that is still valid; else `nil`. The client must be registered. The account must be active, with the same
  /// password, and the grant's session must not have ended unless the grant is for offline use, and the client still is.
  func account(of grant: GrantRecord) async throws -> UserRecord? {
    let now = clock()
    guard grant.isGood(at: now),
      let client = file.clients.client(grant.clientID, realm: grant.key.account.realm),
      let user = try await store.user(grant.key.account), user.isActive,
      PasswordMark(user) == grant.mark
    else { return nil }
    let isOffline = grant.details.scopes.contains(Self.offline) && client.scopes.contains(Self.offline)
    if let session = grant.sessionHash, !isOffline {
      guard try await store.session(tokenHash: session, now: now) != nil else { return nil }
    }
    return user
  }

  /// The account as `StandardClaims` reads it.
  func identity(of user: UserRecord) -> JSONObject {
    var identity = user.attributes
    identity["username"] = .string(user.username)
    if !user.mail.isEmpty { identity["mail"] = .array(user.mail.map(JSONValue.string)) }
    return identity
  }

  /// The account's claims for the scopes.
  func standardClaims(of scopes: [String], _ user: UserRecord) -> JSONObject {
    StandardClaims.claims(
      of: scopes, identity: identity(of: user),
      isMailConfirmed: user.mail.first.map { MailState(user).isConfirmed($0) } ?? false)
  }

  /// The operations on accounts, with the clients to notify of sign-outs.
  package var accounts: Accounts {
    var accounts = sessions.accounts
    accounts.clientsToTell = { realm in
      let told = file.clients.all.filter {
        $0.backchannelLogoutURI != nil && $0.realm.lowercased() == realm.lowercased()
      }
      return Set(told.map(\.id))
    }
    return accounts
  }
}

/// Names a grant in a sealed text of its realm.
struct GrantLocator: Codable {
  private let username: String
  private let id: String

  init(_ key: GrantKey) { (username, id) = (key.account.username, key.id) }

  func key(realm: String) -> GrantKey {
    GrantKey(account: UniversalID(username: username, realm: realm), id: id)
  }

  private enum CodingKeys: String, CodingKey { case username = "u", id = "g" }
}

extension GrantDetails {
  /// Takes over when, and by which methods, the person signed in.
  mutating func take(_ session: SessionRecord) {
    authenticatedAt = Int64(session.authenticatedAt.timeIntervalSince1970)
    methods = session.properties["amr"]?.arrayValue?.compactMap(\.stringValue)
  }
}
