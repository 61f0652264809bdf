internal import PageTemplates
internal import ServerHTTP

extension PageContext {
  /// The field `pages` of the partial `pager`, for tables that go by the last key.
  ///
  /// - Parameters:
  ///   - isFirst: whether the page shows the beginning, to which other pages link back.
  ///   - filter: what else is in the address of the list.
  ///   - next: the parameter of the next page.
  func pages(
    of path: [String], isFirst: Bool, _ filter: [(String, String?)] = [], next: (String, String)?
  ) -> PageValue {
    guard next != nil || !isFirst else { return .none }
    return [
      "previousLink": isFirst ? .none : .link(link(path, filter)),
      "nextLink": next.map { .link(link(path, filter + [($0.0, $0.1)])) } ?? .none, "position": .none,
    ]
  }
}

/// Numbered pages of lists that are in memory or counted. Long tables of the store go by the last key instead.
struct Pager: Sendable {
  /// From 1.
  let number: Int
  let size: Int

  private static let largest = 10_000

  /// - Parameter query: has the parameter `page`. Anything but a number from 1 is the first page.
  init(_ query: QueryParameters, size: Int) {
    let given = query["page"].flatMap { $0.utf8.count <= 6 ? Int($0) : nil } ?? 1
    number = min(max(given, 1), Self.largest)
    self.size = size
  }

  /// How many entries come before.
  var offset: Int { (number - 1) * size }

  /// The entries of this page.
  func slice<Entry>(_ all: [Entry]) -> ArraySlice<Entry> { all.dropFirst(offset).prefix(size) }

  /// The field `pages` of the partial `pager`.
  func links(hasMore: Bool, path: [String], in page: PageContext) -> PageValue {
    guard number > 1 || hasMore else { return .none }
    func link(_ number: Int) -> PageValue {
      .link(page.link(path, [("page", number == 1 ? nil : String(number))]))
    }
    return [
      "previousLink": number > 1 ? link(number - 1) : .none, "nextLink": hasMore ? link(number + 1) : .none,
      "position": .text(page.texts["layout.position", ["page": String(number)]]),
    ]
  }
}
