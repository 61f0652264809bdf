internal import Hummingbird
internal import JourneyStore
internal import StrictJSON

/// One page of what administrators read afterwards, the newest first: of a realm, or of one of its users.
struct AuditPage {
  /// Asks for one more than the page has, to know whether another follows.
  let query: EvidenceQuery

  private static let standardSize = 50
  private static let largestSize = 200

  /// - Throws: 401, 403, 405, and 400 for parameters of another form.
  init(
    _ request: Request, realm: String, sessions: SessionAuthority, realms: RouteTable
  ) async throws {
    guard request.method == .get else { throw ErrorResponse.methodNotAllowed([.get]) }
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
    try await sessions.requireAdministrator(session, of: query.realm ?? realm)
    if let cookie = parameters["_pagedResultsCookie"], !cookie.isEmpty {
      guard let number = Int64(cookie), number > 0 else {
        throw ErrorResponse.badRequest("The parameter _pagedResultsCookie is not one of an answer.")
      }
      query.before = number
    }
    self.query = query
  }

  private static func size(_ parameters: QueryParameters) throws(ErrorResponse) -> Int {
    guard let text = parameters["_pageSize"] else { return standardSize }
    guard let size = Int(text), (1...largestSize).contains(size) else {
      throw .badRequest("The parameter _pageSize is a number from 1 to \(largestSize).")
    }
    return size
  }

  /// - Parameter found: what ``query`` gave.
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
