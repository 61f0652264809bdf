internal import Hummingbird
internal import JourneyFiles
internal import JourneyStore
internal import ServerHTTP
internal import StrictJSON

/// One page of audit records, the newest first: of a realm, or of one of its users.
struct AuditPage {
  /// The query, which asks for one record more than the page holds, to know whether another page follows.
  let query: EvidenceQuery
  private let store: any ServerStore

  /// The most that `_pagedResultsOffset` skips; further entries are reached by the cookie.
  private static let largestOffset = 100_000

  private static let standardSize = 50
  private static let largestSize = 200

  /// - Throws: 401, 403, and 400 for malformed parameters.
  init(
    _ request: Request, realm: String, sessions: SessionAuthority, realms: RealmDirectory
  ) async throws {
    let session = try await sessions.requireSession(request)
    let parameters = try QueryParameters(request.uri.query)
    var query = EvidenceQuery(realm: realm, limit: try Self.size(parameters) + 1)
    let filter = parameters["_queryFilter"] ?? ""
    if filter != "true" {
      let filter = try SessionFilter(filter)
      guard let realm = filter.realmPath.map({ realms.realm($0) }) ?? realm else {
        throw ErrorResponse.badRequest("There is no such realm.")
      }
      query.realm = realm
      query.username = filter.username
    }
    try await sessions.require(.readAudit, session, of: query.realm ?? realm)
    if let cookie = parameters["_pagedResultsCookie"], !cookie.isEmpty {
      guard let number = Int64(cookie), number > 0 else {
        throw ErrorResponse.badRequest("The parameter _pagedResultsCookie was not part of an answer.")
      }
      query.before = number
    }
    let horizon = try await AuditHorizon.start(of: query.realm ?? realm, for: session, sessions.store)
    query.since = [try Self.time("since", parameters), horizon].compactMap(\.self).max()
    query.until = try Self.time("until", parameters)
    query.kind = parameters["kind"]
    if let text = parameters["_pagedResultsOffset"] {
      guard let offset = Int(text), (0...Self.largestOffset).contains(offset) else {
        throw ErrorResponse.badRequest(
          "The parameter _pagedResultsOffset must be a number from 0 to \(Self.largestOffset).")
      }
      query.offset = offset
    }
    self.query = query
    store = sessions.store
    try await requireKnownUser(since: horizon)
  }

  /// A name that never existed is a typing error, which an empty list would hide. Deleted accounts keep their evidence.
  private func requireKnownUser(since horizon: Int64?) async throws {
    guard let name = query.username, let realm = query.realm else { return }
    let any = EvidenceQuery(realm: realm, username: name, since: horizon, limit: 1)
    guard try await store.user(named: name, realm: realm) == nil, try await store.evidence(any).isEmpty,
      try await store.pushDecisions(any).isEmpty
    else { return }
    throw ErrorResponse.noSuchUser
  }

  /// Milliseconds since 1970.
  private static func time(_ name: String, _ parameters: QueryParameters) throws(ErrorResponse) -> Int64? {
    guard let text = parameters[name] else { return nil }
    guard let time = Int64(text), time >= 0 else {
      throw .badRequest("The parameter \(name) must be a time in milliseconds since 1970.")
    }
    return time
  }

  private static func size(_ parameters: QueryParameters) throws(ErrorResponse) -> Int {
    guard let text = parameters["_pageSize"] else { return standardSize }
    guard let size = Int(text), (1...largestSize).contains(size) else {
      throw .badRequest("The parameter _pageSize must be a number from 1 to \(largestSize).")
    }
    return size
  }

  /// - Parameter found: the records that ``query`` found.
  func answer<Record>(
    _ found: [Record], number: (Record) -> Int64, representation: (Record) -> JSONObject
  ) -> Response {
    let size = query.limit - 1
    let page = found.prefix(size)
    var answer = JSONObject.queryResult(page.map(representation))
    if found.count > size, let last = page.last {
      answer["pagedResultsCookie"] = .string(String(number(last)))
    }
    return .json(answer)
  }
}
