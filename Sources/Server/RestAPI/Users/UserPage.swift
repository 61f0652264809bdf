internal import Bytes
internal import Foundation
internal import JourneyNodes
internal import JourneyStore
internal import QueryFilters
internal import ServerHTTP
internal import StrictJSON

/// One page of a realm's accounts, by name. A large realm has many: one answer with all accounts would occupy a thread for too
/// long.
struct UserPage {
  /// The largest page, and the size of a page when the request states none.
  static let largestSize = 200

  /// Bytes after which a page ends sooner: accounts may have 32 KiB of attributes each.
  static let largestBytes = 1 << 20

  /// Accounts that are read at once, so that other requests have their turn in between.
  private static let batch = 32

  private let size: Int
  private let previous: String?

  /// Whether only accounts with a role are wanted.
  private let isOfRoles: Bool

  /// The condition that accounts have to meet; `nil` for all accounts, and for those with a role.
  private let filter: QueryFilter?
  private let fields: UserFields

  /// The filter for accounts that have a role.
  static let rolesFilter = "adminRoles pr"

  /// - Throws: 400 for a malformed `_pageSize` or `_pagedResultsCookie`.
  init(_ query: QueryParameters) throws(ErrorResponse) {
    let text = query["_pageSize"]
    guard let size = text.map({ Int($0) }) ?? Self.largestSize, size > 0 else {
      throw .badRequest(
        "The parameter _pageSize must be a number above 0; a page has at most \(Self.largestSize).")
    }
    self.size = min(size, Self.largestSize)
    isOfRoles = query["_queryFilter"] == Self.rolesFilter
    if let text = query["_queryFilter"], text != "true", !isOfRoles {
      do { filter = try QueryFilter(parsing: text) } catch {
        throw .badRequest("The parameter _queryFilter cannot be read: \(error).")
      }
    } else {
      filter = nil
    }
    fields = try UserFields(query)
    let cookie = query["_pagedResultsCookie"].flatMap { $0.isEmpty ? nil : $0 }
    previous = cookie.flatMap { Base64URL.decode($0) }.flatMap { String(validating: $0, as: UTF8.self) }
    guard cookie == nil || previous != nil else {
      throw .badRequest("The parameter _pagedResultsCookie was not part of an answer.")
    }
  }

  /// A filter that the index cannot answer reads only a part of the accounts, and the next page continues after them. So a page may have
  /// fewer accounts than it could, or none, and only a page without a cookie is the last one.
  func answer(from store: any ServerStore, realm: String, now: Date) async throws -> JSONObject {
    var page: [JSONObject] = []
    var (bytes, last, next) = (0, previous, previous)
    repeat {
      let found = try await found(in: store, realm: realm, after: next, limit: size - page.count)
      let locks = try await store.locks(usernames: found.users.map(\.username), realm: realm, now: now)
      for user in found.users {
        let shown = fields.selected(of: user.representation(locks: locks[user.username]))
        bytes += shown.serialized.count
        guard page.isEmpty || bytes <= Self.largestBytes else { return Self.answer(page, last: last) }
        page.append(shown)
        last = user.username
      }
      next = found.next
    } while next != nil && page.count < size && filter == nil
    return Self.answer(page, last: next)
  }

  private func found(
    in store: any ServerStore, realm: String, after name: String?, limit: Int
  ) async throws -> (users: [UserRecord], next: String?) {
    if let filter {
      let search = IdentitySearch(filter: filter, store: store, realm: realm) { $0.filtered }
      let page = try await search.page(after: name, limit: limit)
      return (page.users, page.next)
    }
    // One more than is wanted, to know whether another follows.
    let wanted = min(limit, Self.batch)
    let found =
      isOfRoles
      ? try await store.usersWithRoles(realm: realm, after: name, limit: wanted + 1)
      : try await store.users(realm: realm, after: name, limit: wanted + 1)
    return (Array(found.prefix(wanted)), found.count > wanted ? found[wanted - 1].username : nil)
  }

  /// - Parameter last: the name after which the next page begins; `nil` when there is none.
  private static func answer(_ page: [JSONObject], last: String?) -> JSONObject {
    var answer = JSONObject.queryResult(page)
    answer["pagedResultsCookie"] = last.map { .string(Base64URL.encode(Array($0.utf8))) }
    return answer
  }
}
