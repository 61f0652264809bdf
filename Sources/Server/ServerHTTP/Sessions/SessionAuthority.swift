package import Accounts
package import BindingFormats
internal import Bytes
package import Foundation
internal import HTTPTypes
package import Hummingbird
internal import JOSE
internal import JourneyEngine
internal import JourneyNodes
package import JourneyStore
internal import Operations
internal import SecurityEvents
package import StrictJSON
internal import WebAddresses

/// A session whose token has been verified. Only ``SessionAuthority`` makes one.
package struct AuthenticatedSession: Sendable {
  package let token: SessionToken
  package let record: SessionRecord

  package var account: UniversalID { UniversalID(username: record.username, realm: record.realm) }

  /// The actor's name in security events.
  package var actorName: String { "\(record.username)@\(record.realm)" }

  /// The actor in calls of ``Accounts``.
  package var actor: AccountActor { .session(record) }

  /// Whether `user` is the session's account, and not another that has got its name since the session was read.
  package func isOf(_ user: UserRecord) -> Bool { record.accountID == user.id }
}

/// Issues sessions, and verifies the tokens that clients present.
package struct SessionAuthority: Sendable {
  package let store: any ServerStore
  package let requests: RequestLimits
  package let cookieName: String
  package let baseAddress: BaseAddress
  package let idleTime: TimeInterval
  package let lifetime: TimeInterval
  package let clock: @Sendable () -> Date
  package let randomBytes: @Sendable (Int) -> [UInt8]

  /// Decides who may do what.
  package let accounts: Accounts

  private let headerName: HTTPField.Name

  /// Whether clients connect by https, whatever a request looks like from here.
  let isAlwaysSecure: Bool

  /// Ordinary requests reset the idle time only when it is this old, which saves most writes. Seconds.
  private static let idleResolution: TimeInterval = 60

  /// - Parameter isAlwaysSecure: whether clients connect by https, whatever a request looks like from here.
  package init(
    cookieName: String, isAlwaysSecure: Bool, idleTime: TimeInterval, lifetime: TimeInterval,
    at baseAddress: BaseAddress, store: any ServerStore, requests: RequestLimits, accounts: Accounts,
    clock: @escaping @Sendable () -> Date, randomBytes: @escaping @Sendable (Int) -> [UInt8]
  ) throws {
    self.store = store
    self.requests = requests
    self.baseAddress = baseAddress
    self.cookieName = cookieName
    self.isAlwaysSecure = isAlwaysSecure || baseAddress.isSecure
    (self.idleTime, self.lifetime) = (idleTime, lifetime)
    (self.clock, self.randomBytes, self.accounts) = (clock, randomBytes, accounts)
    guard SessionCookieName(cookieName) != nil, let name = HTTPField.Name(cookieName) else {
      throw ServerSetupError(
        "The cookie name must be an HTTP token (RFC 9110 §5.6.2) of at most \(SessionCookieName.longest) characters, and no header that has a meaning of its own, because programs send the session in a header of that name."
      )
    }
    headerName = name
    guard self.isAlwaysSecure || !CookieAttributes.needsSecure(cookieName) else {
      throw ServerSetupError(
        "Browsers accept a cookie named \(cookieName) by https only. Configure a certificate, or a public URL with https."
      )
    }
  }

  /// How a session came to be.
  package struct Origin: Sendable {
    /// The authentication level that the journey reached.
    package var authLevel = 0

    /// The journey.
    package var service: String?

    /// The id of the account that the journey was about; `nil` when it has looked at none.
    package var accountID: String?

    /// When it last authenticated the user; `nil` for now.
    package var authenticatedAt: Date?

    /// The password that was right; `nil` when none was asked for.
    package var password: PasswordMark?

    /// The factors that have proven the user, as journeys name them.
    package var factors: [String] = []

    /// The hash of the session that the new one replaces, in the same write.
    package var replacing: [UInt8]?

    /// The step whose answer made the session, which is marked as the run's end in the same write.
    package var endedStep: OnceKey?

    /// The proof that is made to count in the same write.
    package var proof: SessionProof?

    /// Properties that the journey adds to the session's own.
    package var properties = JSONObject()

    package init(authLevel: Int = 0, service: String? = nil, factors: [String] = []) {
      (self.authLevel, self.service, self.factors) = (authLevel, service, factors)
    }
  }

  /// The session property with the address of the client that signed in.
  package static let addressProperty = "Host"

  /// Begins a session for an active account; durable when it returns.
  ///
  /// - Returns: its token, and the account as it was when the session began.
  /// - Throws: `StoreError.missing` when the account does not exist, is another one by now, is inactive or has changed its password, or
  ///   when the session to be replaced has ended or belongs to another account.
  package func issue(
    for account: UniversalID, from origin: Origin
  ) async throws -> (token: SessionToken, user: UserRecord, evidence: Int64?) {
    let token = SessionToken(randomBytes: randomBytes)
    let now = clock()
    var properties = origin.properties
    properties["AMCtxId"] = .string(Base64URL.encode(randomBytes(16)))
    // PingAM's name for the address where the person signed in, by which they recognise the session.
    properties[Self.addressProperty] = SecurityEvents.clientAddress.map { .string($0) }
    let methods = AuthenticationMethods.values(of: origin.factors)
    properties["amr"] = methods.isEmpty ? nil : .array(methods.map(JSONValue.string))
    let record = SessionRecord(
      tokenHash: token.hash, handle: "shandle:" + Base64URL.encode(randomBytes(24)), realm: account.realm,
      username: account.username, accountID: origin.accountID, createdAt: now, latestAccess: now,
      maximumIdle: idleTime,
      expiresAt: now.addingTimeInterval(lifetime),
      properties: properties, authLevel: origin.authLevel,
      service: origin.service, authenticatedAt: origin.authenticatedAt)
    let session = NewSession(
      record, mark: origin.password, replacing: origin.replacing, now: now, prolonging: origin.endedStep)
    let opened = try await store.openSession(session, by: origin.proof)
    return (token, opened.user, opened.evidence)
  }

  /// Where a request carries its token.
  package enum TokenSource {
    /// A header, which the client sets itself.
    case header

    /// A cookie, which browsers also add to requests that other sites cause.
    case cookie
  }

  /// The token text that a request carries: in the header named like the cookie, in the cookie, or as a bearer
  /// token (RFC 6750 §2.1), in this order. Unverified.
  package func presented(in request: Request) -> (text: String, source: TokenSource)? {
    if let text = request.headers.value(of: headerName), !text.isEmpty { return (text, .header) }
    if request.headers.contains(.cookie), let cookie = request.cookies[cookieName], !cookie.value.isEmpty {
      // RFC 6265 §4.1.1 allows quotation marks around the value.
      return (cookie.value.trimmingCharacters(in: ["\""]), .cookie)
    }
    guard let authorization = request.headers.value(of: .authorization) else { return nil }
    let parts = authorization.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return (String(parts[1]), .header)
  }

  /// The text of ``presented(in:)``.
  package func presentedText(in request: Request) -> String? { presented(in: request)?.text }

  /// The live session of a presented text; `nil` when there is none.
  package func verify(_ text: String?) async throws -> AuthenticatedSession? {
    guard let text, let token = SessionToken(presented: text) else { return nil }
    guard let record = try await store.session(tokenHash: token.hash, now: clock()) else { return nil }
    return AuthenticatedSession(token: token, record: record)
  }

  /// The session of a request that needs one. Counts as use.
  ///
  /// - Throws: 401 when there is none, 429 when the account has sent too many requests.
  package func requireSession(_ request: Request) async throws -> AuthenticatedSession {
    let text = presentedText(in: request)
    guard let session = try await verify(text) else {
      throw ErrorResponse.accessDenied(
        text == nil ? "no session token was sent" : "the session token is unknown or expired")
    }
    try charge(session)
    RequestTrail.current?.note(session.account)
    try await noteUse(of: session)
    return session
  }

  /// Charges the session's account for the current request, once however often it is called.
  ///
  /// A request with a valid session is answered even when its address has no requests left, so every place that accepts one charges it.
  ///
  /// - Throws: 429 when the account has sent too many.
  package func charge(_ session: AuthenticatedSession) throws(ErrorResponse) {
    guard RequestTrail.current?.charges(session.account) ?? true else { return }
    try requests.charge(.account, session.account.text)
  }

  /// Resets the idle time, unless that was done a moment ago.
  package func noteUse(of session: AuthenticatedSession) async throws {
    let now = clock()
    guard now.timeIntervalSince(session.record.latestAccess) >= Self.idleResolution else { return }
    _ = try await store.touchSession(tokenHash: session.token.hash, now: now)
  }

  /// The caller, whom the store checks again in the write that makes a change.
  package func caller(_ session: AuthenticatedSession, by right: Caller.Right) -> Caller {
    Caller(tokenHash: session.token.hash, right: right, now: clock())
  }
}
