internal import Accounts
package import JourneyStore
package import QueryFilters
package import StrictJSON

/// Finds the accounts that fit a filter: by the index where the filter has a part that the index answers, else by looking at one
/// after the other, and never at more than ``mostLooks``.
package struct IdentitySearch: Sendable {
  let filter: QueryFilter
  let store: any ServerStore
  let realm: String

  /// The object that the filter is compared with.
  let object: @Sendable (UserRecord) -> JSONObject

  /// The most accounts that one search reads.
  package static let mostLooks = 5000

  /// Accounts that are read at once, so that other requests can proceed in between.
  private static let batch = 100

  package init(
    filter: QueryFilter, store: any ServerStore, realm: String,
    object: @escaping @Sendable (UserRecord) -> JSONObject
  ) {
    self.filter = filter
    self.store = store
    self.realm = realm
    self.object = object
  }

  /// A page of matching accounts.
  package struct Page: Sendable {
    package var users: [UserRecord] = []

    /// The name after which the search continues; `nil` when it is done.
    package var next: String?
  }

  /// Where to look.
  private enum Source: Hashable {
    case name(String)

    /// All names with this prefix.
    case names(String)
    case lookup(IdentityLookup)
  }

  /// The next accounts that fit, by name.
  ///
  /// - Parameters:
  ///   - limit: the most accounts on the page.
  ///   - looks: accounts to look at before the page ends, even if it has none.
  package func page(after username: String?, limit: Int, looks: Int = mostLooks) async throws -> Page {
    let sources = Self.sources(of: filter, store.identityIndex)
    var (page, last, looked) = (Page(), username, 0)
    while page.users.count < limit {
      guard looked < looks else {
        page.next = last
        return page
      }
      let batch = try await batch(sources, after: last)
      looked += max(1, batch.users.count)
      for user in batch.users {
        if page.users.count == limit {
          page.next = last
          return page
        }
        last = user.username
        if filter.matches(object(user)) { page.users.append(user) }
      }
      guard batch.hasMore else { return page }
    }
    page.next = last
    return page
  }

  /// All accounts that fit, at most `limit`.
  ///
  /// - Throws: ``ManagedObjectError`` when the search would look at too many accounts.
  func all(limit: Int) async throws -> [UserRecord] {
    let page = try await page(after: nil, limit: max(0, min(limit, Self.mostLooks)))
    guard page.next == nil || page.users.count >= limit else {
      throw ManagedObjectError(
        .invalid,
        "the filter would look at more than \(Self.mostLooks) accounts; compare an attribute that is searchable"
      )
    }
    return page.users
  }

  private func batch(
    _ sources: Set<Source>?, after username: String?
  ) async throws -> (users: [UserRecord], hasMore: Bool) {
    guard let sources else {
      let users = try await store.users(realm: realm, after: username, limit: Self.batch)
      return (users, users.count == Self.batch)
    }
    var found: [String: UserRecord] = [:]
    var hasMore = false
    // The key up to which every source has returned all its accounts.
    var horizon: String?
    for source in sources {
      let users: [UserRecord]
      switch source {
      case .name(let name):
        let user = LoginName.isPossible(name) ? try await store.user(named: name, realm: realm) : nil
        users = [user].compactMap(\.self).filter { user in
          username.map { AccountOrder.key(of: $0) < AccountOrder.key(of: user.username) } ?? true
        }
      case .names(let prefix): users = try await self.users(beginningWith: prefix, after: username)
      case .lookup(let lookup):
        users = try await store.users(lookup, realm: realm, after: username, limit: Self.batch)
      }
      if users.count == Self.batch, let last = users.last.map({ AccountOrder.key(of: $0.username) }) {
        hasMore = true
        horizon = min(horizon ?? last, last)
      }
      for user in users { found[AccountOrder.key(of: user.username)] = user }
    }
    let users = found.sorted { $0.key < $1.key }
      .filter { key, _ in horizon.map { key <= $0 } ?? true }.map(\.value)
    return (users, hasMore)
  }

  /// The accounts whose names begin with `prefix`; they stand one after the other in the store's order.
  private func users(beginningWith prefix: String, after username: String?) async throws -> [UserRecord] {
    let key = AccountOrder.key(of: prefix)
    let last = username.map { AccountOrder.key(of: $0) }
    var users: [UserRecord] = []
    if last.map({ $0 < key }) ?? true, LoginName.isPossible(prefix),
      let user = try await store.user(named: prefix, realm: realm)
    {
      users = [user]
    }
    let start = max(last ?? key, key) == key ? prefix : username
    users += try await store.users(realm: realm, after: start, limit: Self.batch - users.count)
    return users.filter { AccountOrder.key(of: $0.username).hasPrefix(key) }
  }

  /// Index ranges that together contain all matches; `nil` when every account has to be read.
  private static func sources(of filter: QueryFilter, _ index: IdentityIndex) -> Set<Source>? {
    switch filter {
    case .literal(false): return []
    case .literal, .present, .not: return nil
    case .comparison(let pointer, let comparison, let value):
      guard pointer.names.count == 1, let text = value.stringValue, !text.isEmpty else { return nil }
      let name = pointer.names[0]
      if [ManagedAttribute.userName, "username"].contains(name) {
        switch comparison {
        case .equal: return [.name(text)]
        case .startsWith: return [.names(text)]
        default: return nil
        }
      }
      guard index.has(name) else { return nil }
      switch comparison {
      case .equal: return [.lookup(.equal(attribute: name, value: text))]
      case .startsWith: return [.lookup(.prefix(attribute: name, value: text))]
      default: return nil
      }
    case .and(let parts):
      return parts.compactMap { sources(of: $0, index) }.min { $0.count < $1.count }
    case .or(let parts):
      var all: Set<Source> = []
      for part in parts {
        guard let own = sources(of: part, index) else { return nil }
        all.formUnion(own)
      }
      return all
    }
  }
}

/// The order in which the store has accounts.
private enum AccountOrder {
  static func key(of username: String) -> String { AccountKey(username: username, realm: "").name }
}
