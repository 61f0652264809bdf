/// Places that all realms share. A realm may hold as many as are still free: one gets half at most, two get two thirds, and something is
/// always left for the next.
package struct RealmShares: Sendable {
  private let limit: Int
  private var held: [String: Int] = [:]
  package private(set) var total = 0

  package init(limit: Int) { self.limit = limit }

  package func hold(of realm: String) -> Int { held[realm] ?? 0 }

  package func hasRoom(for realm: String) -> Bool { hold(of: realm) < limit - total }

  /// Takes a place. Returns `false`, and takes none, when the realm holds its share.
  package mutating func take(for realm: String) -> Bool {
    guard hasRoom(for: realm) else { return false }
    held[realm, default: 0] += 1
    total += 1
    return true
  }

  package mutating func giveBack(of realm: String) {
    guard let count = held[realm] else { return }
    held[realm] = count > 1 ? count - 1 : nil
    total -= 1
  }
}
