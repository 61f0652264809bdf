import QueryFilters
import StrictJSON

extension QueryFilter {
  /// A text that parses to the same filter, with no parentheses that it can do without: it nests as deep as the shortest text does.
  var written: String { text(in: .whole) }

  /// What stands around a part.
  private enum Place: Int {
    case whole, disjunction
    /// Or behind `!`.
    case conjunction
  }

  private func text(in place: Place) -> String {
    switch self {
    case .literal(let value): value ? "true" : "false"
    case .present(let pointer): "\(pointer.text) pr"
    case .comparison(let pointer, let comparison, let value):
      "\(pointer.text) \(comparison.rawValue) \(value.text)"
    case .or(let parts): Self.joined(parts, by: " or ", of: .disjunction, in: place)
    case .and(let parts): Self.joined(parts, by: " and ", of: .conjunction, in: place)
    case .not(let part): "!\(part.text(in: .conjunction))"
    }
  }

  private static func joined(
    _ parts: [QueryFilter], by word: String, of kind: Place, in place: Place
  ) -> String {
    let text = parts.map { $0.text(in: kind) }.joined(separator: word)
    return place.rawValue >= kind.rawValue ? "(\(text))" : text
  }
}
