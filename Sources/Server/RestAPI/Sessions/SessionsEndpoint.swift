internal import Accounts
internal import BindingFormats
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import JourneyFiles
internal import JourneyNodes
internal import JourneyStore
internal import Operations
internal import ServerHTTP
internal import StrictJSON

/// `/sessions`: what clients and administrators do with sessions.
///
/// An action is about the session that the request carries, unless the body names another by its `tokenId`.
struct SessionsEndpoint: SessionEndpoint {
  let sessions: SessionAuthority
  let realms: RealmDirectory
  let persistentCookies: PersistentCookies
  let accounts: Accounts

  /// The most handles in one request. Each is a write.
  private static let maximumHandles = 100

  var routes: [Route] {
    [Route("sessions", [.get: list, .post: act])]
  }

  private func act(_ request: Request, in context: ResourceContext) async throws -> Response {
    let query = try QueryParameters(request.uri.query)
    let body = try await RequestBodyReader.object(of: request)
    switch query["_action"] {
    case "logout": return try await logout(request, body: body, context: context)
    case "validate":
      return try await validate(request, body: body, resetsIdleTime: query["refresh"] != "false")
    case "getSessionInfo": return try await information(request, body: body, resetsIdleTime: false)
    case "getSessionInfoAndResetIdleTime":
      return try await information(request, body: body, resetsIdleTime: true)
    case "refresh": return try await refresh(request, body: body)
    case "logoutByHandle": return try await logoutByHandle(request, body: body)
    case "logoutByUser": return try await logoutByUser(request, realm: context.realm, body: body)
    default: throw ErrorResponse.badRequest("The parameter _action names no action of sessions.")
    }
  }

  /// The session that an action is about; `nil` when its token is unknown or expired.
  ///
  /// - Throws: 401 when the request carries no token; 403 when it names another's session without the capability over that account.
  private func subject(
    _ request: Request, body: JSONObject, _ capability: Capability
  ) async throws -> AuthenticatedSession? {
    let carried = sessions.presentedText(in: request)
    guard let named = try body.text("tokenId") else {
      guard let carried else { throw ErrorResponse.accessDenied("no session token was sent") }
      return try await own(carried)
    }
    // A client that sends a session's token in the body alone could as well send it in the header.
    guard let carried, carried != named else { return try await own(named) }
    guard let caller = try await own(carried) else {
      throw ErrorResponse.accessDenied("the session token is unknown or expired")
    }
    guard let subject = try await sessions.verify(named) else {
      try await sessions.require(capability, caller, of: caller.record.realm)
      return nil
    }
    try await sessions.require(capability, caller, over: subject.account)
    return subject
  }

  /// The caller's session, charged and noted for the events.
  private func own(_ token: String) async throws -> AuthenticatedSession? {
    guard let session = try await sessions.verify(token) else { return nil }
    try sessions.charge(session)
    RequestTrail.current?.note(session.account)
    return session
  }

  private func requireSubject(
    _ request: Request, body: JSONObject, _ capability: Capability
  ) async throws -> AuthenticatedSession {
    guard let session = try await subject(request, body: body, capability) else {
      throw ErrorResponse.accessDenied("the session token is unknown or expired")
    }
    return session
  }

  /// The capability that another account's session needs. Extending the session's life is a change.
  private static func capability(_ resetsIdleTime: Bool) -> Capability {
    resetsIdleTime ? .administrate : .readFactors
  }

  private func logout(
    _ request: Request, body: JSONObject, context: ResourceContext
  ) async throws -> Response {
    let carried = sessions.presentedText(in: request)
    let session = try await subject(request, body: body, .support)
    var isEnded = false
    if let session {
      let caller = try await sessions.verify(carried) ?? session
      isEnded = try await accounts.end(session.record, by: caller.actor)
    }
    var headers = HTTPFields()
    if session == nil || session?.token.text == carried {
      headers.append(
        contentsOf: sessions.clearing(
          persistentCookies, of: session?.account, in: request.headers[.cookie], for: context.connection))
    }
    return .json(
      ["result": .string(isEnded ? "Successfully logged out" : "Token has expired")], headers: headers)
  }

  private func validate(_ request: Request, body: JSONObject, resetsIdleTime: Bool) async throws -> Response {
    guard let session = try await subject(request, body: body, Self.capability(resetsIdleTime)) else {
      return .json(["valid": false])
    }
    if resetsIdleTime {
      _ = try await store.touchSession(tokenHash: session.token.hash, now: sessions.clock())
    }
    return .json([
      "valid": true, "sessionUid": session.record.properties["AMCtxId"] ?? "",
      "uid": .string(session.record.username), "realm": .string(session.record.realm.realmPath),
    ])
  }

  private func information(
    _ request: Request, body: JSONObject, resetsIdleTime: Bool
  ) async throws -> Response {
    let session = try await requireSubject(request, body: body, Self.capability(resetsIdleTime))
    var record = session.record
    if resetsIdleTime {
      record.latestAccess = sessions.clock()
      guard try await store.touchSession(tokenHash: session.token.hash, now: record.latestAccess) else {
        throw ErrorResponse.accessDenied("the session has ended meanwhile")
      }
    }
    var object = record.information
    object["properties"] = .object(record.shownProperties)
    return .json(object)
  }

  private func refresh(_ request: Request, body: JSONObject) async throws -> Response {
    let session = try await requireSubject(request, body: body, Self.capability(true))
    let now = sessions.clock()
    guard try await store.touchSession(tokenHash: session.token.hash, now: now) else {
      throw ErrorResponse.accessDenied("the session has ended meanwhile")
    }
    let record = session.record
    return .json([
      "uid": .string(record.username), "realm": .string(record.realm.realmPath), "idletime": 0,
      "maxidletime": .integer(Int64(record.maximumIdle / 60)),
      "maxsessiontime": .integer(Int64(record.expiresAt.timeIntervalSince(record.createdAt) / 60)),
      "maxtime": .integer(Int64(record.expiresAt.timeIntervalSince(now))),
    ])
  }

  /// For administrators of the root realm, because a handle does not name its realm.
  private func logoutByHandle(_ request: Request, body: JSONObject) async throws -> Response {
    let caller = try await sessions.require(.administrate, request, of: "root")
    guard let handles = body["sessionHandles"]?.arrayValue, handles.count <= Self.maximumHandles else {
      throw ErrorResponse.badRequest("Send sessionHandles: at most \(Self.maximumHandles) texts.")
    }
    var result = JSONObject()
    for handle in handles {
      guard let handle = handle.stringValue else {
        throw ErrorResponse.badRequest("A session handle is a text.")
      }
      let session = try await store.session(handle: handle)
      var isEnded = false
      if let session { isEnded = try await accounts.end(session, by: caller.actor) }
      result[handle] = .bool(isEnded)
    }
    return .json(["result": .object(result)])
  }

  private func logoutByUser(_ request: Request, realm: String, body: JSONObject) async throws -> Response {
    let caller = try await sessions.requireSession(request)
    guard let name = try body.text("username") else { throw ErrorResponse.badRequest("Send a username.") }
    let account = try AccountName.account(name, realm: realm)
    try await accounts.endSessions(of: account, by: caller.actor)
    return .json(["result": true])
  }

  private func list(_ request: Request, in context: ResourceContext) async throws -> Response {
    let caller = try await sessions.requireSession(request)
    let filter = try SessionFilter(try QueryParameters(request.uri.query)["_queryFilter"] ?? "")
    guard let realm = filter.realmPath.map({ realms.realm($0) }) ?? context.realm else {
      throw ErrorResponse.badRequest("There is no such realm.")
    }
    let account = UniversalID(username: filter.username, realm: realm)
    // Everybody may see where they are signed in themselves.
    if caller.account != account {
      try await sessions.require(.readFactors, caller, of: realm)
      try await sessions.require(.readFactors, caller, over: account)
    }
    let found = try await store.sessions(of: account, now: sessions.clock()).map { record in
      var object = record.information
      object["sessionHandle"] = .string(record.handle)
      return object
    }
    return .json(.queryResult(found))
  }
}

extension SessionRecord {
  /// The properties, and those of PingAM's sessions; all of them are texts.
  fileprivate var shownProperties: JSONObject {
    var shown = properties
    shown["AuthLevel"] = .string(String(authLevel))
    shown["Service"] = service.map { .string($0) }
    shown["authInstant"] = .string(authenticatedAt.formatted(.iso8601))
    return shown
  }

  /// What PingAM shows of a session, without its properties.
  fileprivate var information: JSONObject {
    [
      "username": .string(username),
      "universalId": .string(UniversalID(username: username, realm: realm).text),
      "realm": .string(realm.realmPath),
      "latestAccessTime": .string(latestAccess.formatted(.iso8601)),
      "maxIdleExpirationTime": .string(min(idleExpiry, expiresAt).formatted(.iso8601)),
      "maxSessionExpirationTime": .string(expiresAt.formatted(.iso8601)),
    ]
  }
}
