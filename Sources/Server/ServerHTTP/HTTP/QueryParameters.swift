internal import Bytes
internal import Foundation

/// The parameters of a URL's query, decoded once: `+` and `%20` are spaces. Names are case-sensitive; of several with one
/// name the first counts.
package struct QueryParameters {
  private var pairs: [(name: String, value: String)] = []

  /// The most parameters that are read. Further ones are ignored; no resource has as many.
  private static let maximumCount = 64

  package init(_ query: String?) throws(ErrorResponse) {
    guard let query, !query.isEmpty else { return }
    let parts = query.parts(separatedBy: UInt8(ascii: "&"))
    for part in parts.lazy.filter({ !$0.isEmpty }).prefix(Self.maximumCount) {
      let sides = part.parts(separatedBy: UInt8(ascii: "="), most: 2)
      guard let name = Self.decoded(sides[0]), let value = sides.count > 1 ? Self.decoded(sides[1]) : ""
      else { throw .badRequest("The query has a bad percent-encoding.") }
      pairs.append((name, value))
    }
  }

  package subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }

  /// All of them, each with its values in their order.
  package var all: [String: [String]] {
    pairs.reduce(into: [:]) { $0[$1.name, default: []].append($1.value) }
  }

  /// Requires `_queryFilter=true`, for lists that give all records.
  ///
  /// - Parameter isStated: whether the filter has to be there.
  /// - Throws: 400 for any other filter.
  package func requireAllRecords(isStated: Bool = true) throws(ErrorResponse) {
    guard self["_queryFilter"] ?? (isStated ? "" : "true") == "true" else {
      throw .badRequest("Use _queryFilter=true.")
    }
  }

  /// - Throws: 400 when the parameter `_action` is not `create`, the only action of `resources`.
  package func requireCreation(of resources: String) throws(ErrorResponse) {
    guard self["_action"] == "create" else {
      throw .badRequest("The parameter _action names no action of \(resources).")
    }
  }

  private static func decoded(_ text: Substring) -> String? {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
      return String(text)
    }
    return text.replacing("+", with: " ").removingPercentEncoding
  }
}
