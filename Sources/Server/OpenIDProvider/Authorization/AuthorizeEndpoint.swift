internal import BindingFormats
internal import Bytes
internal import OpenIDFormats
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import JourneyFiles
internal import JourneyStore
internal import Pages
internal import ServerHTTP
internal import StrictJSON

/// `/oauth2/…/authorize`: signs people in for clients, asks for their consent, and sends a code to the client.
///
/// During the sign-in, the request is sealed in the address where the sign-in page continues. That page continues only within this server,
/// and this endpoint accepts only what this server has sealed, so nobody can make it lead to an address of their own.
struct AuthorizeEndpoint: Endpoint {
  let provider: OpenIDProvider

  /// The lifetime of a sealed request that waits for a sign-in. Seconds.
  static let patience: TimeInterval = 1800

  /// The lifetime of a pushed request. Seconds.
  static let pushedLife: TimeInterval = 90

  /// The lifetime of a code. Seconds.
  static let codeLife: TimeInterval = 60

  static let requestURN = "urn:ietf:params:oauth:request_uri:"

  var routes: [Route] {
    [provider.personRoute("authorize", get: authorize, post: post), provider.clientRoute("par", push)]
  }

  /// An authorization request and its progress.
  struct Interaction {
    var request: AuthorizationRequest
    var client: OpenIDClient
    let context: ResourceContext

    /// When the browser came. A sign-in that the request asks for must not be earlier.
    var began: Date

    /// The browser that waits; `nil` for a request that was pushed, until its browser comes.
    var browser: WaitingBrowser?

    /// The ``sessionMark(_:)`` of the browser's session when the browser was sent to sign in. Empty when it had none, `nil` when it was not
    /// sent.
    var earlier: String?

    /// Whether the person comes back from the sign-in page.
    var isReturn: Bool { earlier != nil }
  }

  /// The sealed content of addresses and of the consent page's form.
  private struct Ticket: Codable {
    let request: AuthorizationRequest
    /// Seconds since 1970.
    let began: TimeInterval
    /// The mark of the browser that waits.
    let browser: String?
    let earlier: String?
    /// The mark of the session that read the consent page.
    let session: String?

    enum CodingKeys: String, CodingKey {
      case request = "q", began = "t", browser = "b", earlier = "e", session = "s"
    }
  }

  static func sessionMark(_ session: AuthenticatedSession) -> String {
    Base64URL.encode(session.token.hash)
  }

  // MARK: Requests

  private func authorize(_ asked: PersonRequest) async throws -> Response {
    try OpenIDProvider.requireNoProof(asked.parameters)
    return Self.found(try await decide(asked))
  }

  /// Changes 303 to 302, the only status that PingAM's SDKs accept. For requests that may be repeated unchanged.
  private static func found(_ response: Response) -> Response {
    var response = response
    if response.status == .seeOther { response.status = .found }
    return response
  }

  /// Whether the request carries the decision itself, as SDKs and scripts send it to PingAM. The form of the consent page also has a
  /// ticket. The decision does not count as consent: it only shows that a program reads the answer.
  static func isFromProgram(_ parameters: [String: String]) -> Bool {
    parameters["decision"] == "allow" && parameters["consent"] == nil
  }

  private func decide(_ asked: PersonRequest) async throws -> Response {
    let (parameters, context) = (asked.parameters, asked.context)
    if let sealed = parameters["interaction"] {
      let ticket = opened(sealed, as: .interaction, context)
      guard let ticket, var interaction = interaction(ticket, context) else {
        throw OAuthError(
          .invalidRequest, "This sign-in has expired. Go back to the application and start again.")
      }
      // An attacker could prepare a request and send its link to somebody else to answer.
      guard let browser = WaitingBrowser(asked.request, provider.sessions),
        browser.isNamed(by: ticket.browser)
      else {
        throw OAuthError(
          .invalidRequest,
          "This sign-in was begun in another browser. Go back to the application and start again.")
      }
      interaction.browser = browser
      interaction.earlier = ticket.earlier
      return try await proceed(interaction, asked)
    }
    guard let id = parameters["client_id"],
      let client = provider.file.clients.client(id, realm: context.realm)
    else { throw OAuthError(.invalidClient, "The application is not registered here.") }
    if let uri = parameters["request_uri"] {
      var interaction = try await pushed(uri, client, context)
      // The browser comes only now, so a sign-in since the push was not made for this request.
      interaction.began = provider.clock()
      return try await proceed(interaction, asked)
    }
    let redirectURI = try AuthorizationRequest.redirectURI(parameters, client: client)
    let authorization: AuthorizationRequest
    do {
      guard !client.requiresPushedRequests else {
        throw OAuthError(.invalidRequest, "The client must push its requests (RFC 9126).")
      }
      authorization = try await self.authorization(parameters, client, redirectURI, context)
    } catch let error as OAuthError {
      return redirect(to: redirectURI, state: parameters["state"], error: error, context)
    }
    return try await proceed(
      Interaction(request: authorization, client: client, context: context, began: provider.clock()), asked)
  }

  /// The request, with the subject of its `id_token_hint` (OpenID Connect Core §3.1.2.1).
  ///
  /// - Throws: the error to send to the client's redirect address.
  private func authorization(
    _ parameters: [String: String], _ client: OpenIDClient, _ redirectURI: String, _ context: ResourceContext
  ) async throws -> AuthorizationRequest {
    var request = try AuthorizationRequest(parameters, client: client, redirectURI: redirectURI)
    if let token = parameters["id_token_hint"] {
      guard let hint = try await provider.hint(token, context) else {
        throw OAuthError(.invalidRequest, "The id_token_hint is not one of this server.")
      }
      request.subject = hint.subject
    }
    return request
  }

  private func interaction(_ ticket: Ticket, _ context: ResourceContext) -> Interaction? {
    let began = Date(timeIntervalSince1970: ticket.began)
    guard provider.clock().timeIntervalSince(began) < Self.patience,
      let client = provider.file.clients.client(ticket.request.clientID, realm: context.realm),
      // The file may have changed meanwhile.
      client.allowsRedirect(to: ticket.request.redirectURI),
      client.scopes.isSuperset(of: ticket.request.scopes)
    else { return nil }
    return Interaction(request: ticket.request, client: client, context: context, began: began)
  }

  private func opened(
    _ sealed: String?, as purpose: TicketSealing.Purpose, _ context: ResourceContext
  ) -> Ticket? { provider.tickets.open(sealed, as: purpose, realm: context.realm) }

  private func sealed(
    _ interaction: Interaction, as purpose: TicketSealing.Purpose,
    readBy session: AuthenticatedSession? = nil
  ) throws -> String {
    let ticket = Ticket(
      request: interaction.request, began: interaction.began.timeIntervalSince1970,
      browser: interaction.browser?.mark, earlier: interaction.earlier,
      session: session.map(Self.sessionMark))
    return try provider.tickets.seal(ticket, as: purpose, realm: interaction.context.realm)
  }

  // MARK: Pushed requests (RFC 9126)

  private func push(_ asked: ClientRequest) async throws -> Response {
    var parameters = asked.parameters
    let (client, context) = (asked.client, asked.context)
    guard parameters["request_uri"] == nil else {
      throw OAuthError(.invalidRequest, "A pushed request has no request_uri.")
    }
    for name in OpenIDProvider.proofParameters { parameters[name] = nil }
    var authorization = try await self.authorization(
      parameters, client, try AuthorizationRequest.redirectURI(parameters, client: client), context)
    if let proof = try await provider.proof(of: asked.request, context) {
      guard (authorization.keyThumbprint ?? proof.thumbprint) == proof.thumbprint else {
        throw OAuthError(.invalidDPoPProof, "The dpop_jkt is not the key of the DPoP proof.")
      }
      authorization.keyThumbprint = proof.thumbprint
    }
    let text = try sealed(
      Interaction(request: authorization, client: client, context: context, began: provider.clock()),
      as: .request)
    return .json(
      ["request_uri": .string(Self.requestURN + text), "expires_in": .integer(Int64(Self.pushedLife))],
      status: .created)
  }

  /// Opens a pushed request and uses it up.
  private func pushed(
    _ uri: String, _ client: OpenIDClient, _ context: ResourceContext
  ) async throws -> Interaction {
    let refusal = OAuthError(
      .invalidRequest, "The request has expired or was used. Go back to the application and start again.")
    guard uri.hasPrefix(Self.requestURN) else { throw refusal }
    let text = String(uri.dropFirst(Self.requestURN.count))
    guard
      let interaction = opened(text, as: .request, context).flatMap({ interaction($0, context) }),
      interaction.client == client, provider.clock().timeIntervalSince(interaction.began) < Self.pushedLife,
      try await provider.store.consume(
        OpenIDHash.stored(text), until: interaction.began.addingTimeInterval(Self.pushedLife + 60))
    else { throw refusal }
    return interaction
  }

  // MARK: The person

  private func proceed(_ interaction: Interaction, _ asked: PersonRequest) async throws -> Response {
    var interaction = interaction
    let browser =
      interaction.browser ?? WaitingBrowser(asked.request, provider.sessions)
      ?? WaitingBrowser(new: provider.random(), provider.sessions)
    interaction.browser = browser
    let attributes = provider.sessions.cookieAttributes(for: asked.context.connection)
    let session = try await provider.signedIn(asked)
    let prompts = interaction.request.prompts
    let need = need(interaction, session)
    guard let session, need == nil else {
      if prompts.contains(.none) {
        return redirect(
          interaction, error: OAuthError(.loginRequired, "Nobody is signed in as it is asked for."))
      }
      if session != nil, interaction.isReturn {
        // A browser that signs in by itself would otherwise be redirected for ever.
        return redirect(interaction, error: Self.refusal(of: need))
      }
      return browser.named(in: try signIn(interaction, session, need), attributes)
    }
    try await provider.sessions.noteUse(of: session)
    guard try await mustAsk(interaction, session) else { return try await finish(interaction, session) }
    guard !prompts.contains(.none) else {
      return redirect(interaction, error: OAuthError(.consentRequired, "The person has to be asked."))
    }
    let question = try provider.pages.question(
      try provider.pages.visit(asked), client: interaction.client,
      username: session.record.username, scopes: interaction.request.scopes,
      ticket: try sealed(interaction, as: .consent, readBy: session),
      // A pushed request is used up by now.
      again: try sealed(interaction, as: .interaction), sendingTo: interaction.request.redirectURI)
    return browser.named(in: question, attributes)
  }

  /// Whether the person has not yet allowed the requested scopes, or has to be asked again.
  private func mustAsk(_ interaction: Interaction, _ session: AuthenticatedSession) async throws -> Bool {
    let asksAgain = interaction.request.prompts.contains(.consent)
    guard interaction.client.requiresConsent || asksAgain else { return false }
    let given = try await provider.grants.consent(of: session.account, client: interaction.client.id)
    return asksAgain || given?.isSuperset(of: interaction.request.scopes) != true
  }

  private func signIn(
    _ interaction: Interaction, _ session: AuthenticatedSession?, _ need: Need?
  ) throws -> Response {
    let request = interaction.request
    let contexts = provider.contexts(of: request.acrValues, for: interaction.client)
    guard request.acrValues.isEmpty || !contexts.isEmpty else {
      return redirect(
        interaction,
        error: OAuthError(.unmetAuthenticationRequirements, "None of the acr_values has a journey here."))
    }
    var interaction = interaction
    interaction.earlier = session.map(Self.sessionMark) ?? ""
    // Journeys pass this on to other providers, where the person may have been signed in for hours.
    let isForced = session != nil && need != .session || request.asksAgain || request.maxAge != nil
    return provider.signIn(
      journey: contexts.first?.journey, isForced: isForced,
      back: "/authorize?interaction=" + (try sealed(interaction, as: .interaction)), interaction.context)
  }

  // MARK: Consent

  private func post(_ asked: PersonRequest) async throws -> Response {
    if asked["consent"] != nil { return try await decideConsent(asked) }
    // Browsers do not send this header by themselves. The sender is an SDK or a script, which follows no redirect.
    if Self.isFromProgram(asked.parameters),
      provider.sessions.presented(in: asked.request)?.source == .header
    {
      return Self.found(try await decide(asked))
    }
    // The redirect turns the form into an address, which browsers and proxies keep.
    try OpenIDProvider.requireNoProof(asked.parameters)
    // Browsers send no cookie with another site's form, but they do with the redirected GET.
    let query = PercentEncoding.form(asked.parameters)
    return OpenIDProvider.redirect(to: provider.issuer(asked.context) + "/authorize?" + query)
  }

  /// Handles the consent page's form. Its ticket is sealed for the session that read the page, so no other site can have one for it.
  private func decideConsent(_ asked: PersonRequest) async throws -> Response {
    try provider.pages.site.requireOwnPage(asked.request, asked.context)
    let ticket = opened(asked["consent"], as: .consent, asked.context)
    let session = try await provider.signedIn(asked)
    guard let ticket, let interaction = interaction(ticket, asked.context), let session,
      ticket.session == Self.sessionMark(session)
    else {
      throw OAuthError(.invalidRequest, "This page has expired. Go back to the application and start again.")
    }
    guard asked["decision"] == "allow" else {
      return redirect(interaction, error: OAuthError(.accessDenied, "The person has refused."))
    }
    let before = try await provider.grants.consent(of: session.account, client: interaction.client.id) ?? []
    try await provider.grants.setConsent(
      before.union(interaction.request.scopes), of: session.account, id: session.record.accountID,
      client: interaction.client.id, now: provider.clock())
    return try await finish(interaction, session)
  }

  // MARK: The answer

  private func finish(_ interaction: Interaction, _ session: AuthenticatedSession) async throws -> Response {
    let (request, client, now) = (interaction.request, interaction.client, provider.clock())
    let unusable = OAuthError(.accessDenied, "The account cannot be used.")
    let issuer = provider.issuer(interaction.context)
    guard let user = try await provider.store.user(session.account), user.isActive, session.isOf(user) else {
      return redirect(interaction, error: unusable)
    }
    let key = GrantKey(account: user.account, id: provider.random())
    let code = try provider.token(.code, of: key)
    var details = GrantDetails(scopes: request.scopes, issuer: issuer, subject: user.id)
    details.redirectURI = request.redirectURI
    details.sessionID = OpenIDHash.sessionID(session.token.hash)
    details.nonce = request.nonce
    details.challenge = request.challenge
    details.keyThumbprint = request.keyThumbprint
    details.acr = provider.acr(of: session.record, asked: request.acrValues, for: client)
    details.take(session.record)
    let grant = GrantRecord(
      key: key, mark: PasswordMark(user), clientID: client.id, sessionHash: session.token.hash,
      details: details, createdAt: now,
      expiresAt: now.addingTimeInterval(
        TimeInterval(max(client.refreshTokenLifetime, client.accessTokenLifetime + 120))),
      ticketHash: OpenIDHash.stored(code), ticketExpiry: now.addingTimeInterval(Self.codeLife))
    guard try await provider.grants.openGrant(grant) else {
      return redirect(interaction, error: unusable)
    }
    return redirect(to: request.redirectURI, [("code", code), ("state", request.state), ("iss", issuer)])
  }
}
