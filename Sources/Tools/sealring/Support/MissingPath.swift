import Foundation

/// Hints for server addresses without a path: most servers are below /am.
enum MissingPath {
  /// Whether `address` has no path.
  static func isLikely(in address: String) -> Bool {
    guard let url = URL(string: address) else { return false }
    return url.path().isEmpty || url.path() == "/"
  }

  static func advice(for address: String) -> String {
    let base = address.hasSuffix("/") ? String(address.dropLast()) : address
    return "Is /am missing in the server's address? Try \(printable(base))/am."
  }

  /// The hint for a request's address, whose path begins with `/json` when the server's address has no path.
  static func hint(inRequest url: String) -> String {
    guard let range = url.range(of: "/json/") else { return "" }
    return hint(for: String(url[..<range.lowerBound]))
  }

  /// The hint to add when a server answers "not found"; empty when the address has a path.
  static func hint(for address: String) -> String { isLikely(in: address) ? " " + advice(for: address) : "" }
}
