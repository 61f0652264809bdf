internal import EvidenceLedger
internal import Hummingbird
internal import JourneyStore
internal import StrictJSON

/// `/audit/evidence`: the verified signatures of a realm, for its administrators. Nothing here changes them.
struct EvidenceEndpoint: Sendable {
  let store: any ServerStore
  let sessions: SessionAuthority
  let realms: RouteTable

  private static let standardPage = 50
  private static let largestPage = 200

  func respondForCollection(to request: Request, realm: String) async throws -> Response {
    guard request.method == .get else { throw ErrorResponse.methodNotAllowed([.get]) }
    let session = try await sessions.requireSession(request)
    let query = try QueryParameters(request.uri.query)
    var wanted = EvidenceQuery(realm: realm, limit: try Self.pageSize(query))
    let filter = query["_queryFilter"] ?? ""
    if filter != "true" {
      let filter = try SessionFilter(filter)
      guard let realm = filter.realmPath.map({ realms.realm($0) }) ?? realm else {
        throw ErrorResponse.badRequest("There is no such realm.")
      }
      wanted.realm = realm
      wanted.username = filter.username
    }
    try await sessions.requireAdministrator(session, of: wanted.realm ?? realm)
    if let cookie = query["_pagedResultsCookie"], !cookie.isEmpty {
      guard let number = Int64(cookie), number > 0 else {
        throw ErrorResponse.badRequest("The parameter _pagedResultsCookie is not one of an answer.")
      }
      wanted.before = number
    }
    // One more than a page has, to know whether another follows.
    let pageSize = wanted.limit
    wanted.limit += 1
    let found = try await store.evidence(wanted)
    let page = found.prefix(pageSize)
    var answer = JSONObject.queryResult(page.map(\.representation))
    if found.count > pageSize, let last = page.last {
      answer["pagedResultsCookie"] = .string(String(last.number))
    }
    return .json(answer)
  }

  func respond(to request: Request, number: String, realm: String) async throws -> Response {
    guard request.method == .get else { throw ErrorResponse.methodNotAllowed([.get]) }
    let session = try await sessions.requireSession(request)
    try await sessions.requireAdministrator(session, of: realm)
    // The numbers count the entries of all realms; those of others are as good as none.
    guard let number = Int64(number), let entry = try await store.evidence(number: number),
      entry.record.realm == realm
    else { throw ErrorResponse.notFound("There is no such evidence in this realm.") }
    return .json(entry.representation)
  }

  private static func pageSize(_ query: QueryParameters) throws(ErrorResponse) -> Int {
    guard let text = query["_pageSize"] else { return standardPage }
    guard let size = Int(text), (1...largestPage).contains(size) else {
      throw .badRequest("The parameter _pageSize is a number from 1 to \(largestPage).")
    }
    return size
  }
}

extension EvidenceEntry {
  /// What administrators see of an entry: all of it.
  fileprivate var representation: JSONObject { json.identified(by: String(number)) }
}
