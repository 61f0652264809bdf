internal import JOSE
internal import JourneyStore
internal import StrictJSON

/// One page of a realm's accounts, by name. A large realm has many, because one answer with all of them would keep a thread
/// from everybody else.
struct UserPage {
  /// Accounts of a page, and of one that does not say its size.
  static let largestSize = 200

  private let size: Int
  private let previous: String?

  /// - Throws: 400 for `_pageSize` or `_pagedResultsCookie` of another form.
  init(_ query: QueryParameters) throws(ErrorResponse) {
    let text = query["_pageSize"]
    guard let size = text.map({ Int($0) }) ?? Self.largestSize, size > 0 else {
      throw .badRequest(
        "The parameter _pageSize is a number above 0; a page has at most \(Self.largestSize).")
    }
    self.size = min(size, Self.largestSize)
    let cookie = query["_pagedResultsCookie"].flatMap { $0.isEmpty ? nil : $0 }
    previous = cookie.flatMap { Base64URL.decode($0) }.flatMap { String(validating: $0, as: UTF8.self) }
    guard cookie == nil || previous != nil else {
      throw .badRequest("The parameter _pagedResultsCookie is not one of an answer.")
    }
  }

  func answer(from store: any ServerStore, realm: String) async throws -> JSONObject {
    // One more than the page has, to know whether another follows.
    let found = try await store.users(realm: realm, after: previous, limit: size + 1)
    let page = found.prefix(size)
    var answer = JSONObject.queryResult(page.map(\.representation))
    if found.count > size, let last = page.last {
      answer["pagedResultsCookie"] = .string(Base64URL.encode(Array(last.username.utf8)))
    }
    return answer
  }
}
