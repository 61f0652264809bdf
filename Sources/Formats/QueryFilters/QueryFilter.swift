public import StrictJSON

/// A condition on JSON objects in CREST's query language: `/mail eq "ada@example.com" and !(/preferences pr)`.
///
/// Texts compare without regard to case, and by their characters otherwise; an array fits when one of its elements does.
public indirect enum QueryFilter: Sendable, Hashable {
  case literal(Bool)
  case present(JSONPointer)
  case comparison(JSONPointer, Comparison, JSONValue)
  case and([QueryFilter])
  case or([QueryFilter])
  case not(QueryFilter)

  /// How a value is compared.
  public enum Comparison: String, Sendable, Hashable, CaseIterable {
    case equal = "eq"
    case contains = "co"
    case startsWith = "sw"
    case lessThan = "lt"
    case lessThanOrEqual = "le"
    case greaterThan = "gt"
    case greaterThanOrEqual = "ge"
  }

  /// Longest text of a filter in bytes.
  public static let maximumBytes = 4096

  /// Most comparisons in one filter.
  public static let maximumComparisons = 64

  /// Deepest nesting of parentheses and `!`.
  public static let maximumDepth = 16

  /// - Throws: ``QueryFilterError``, which says where the text stops making sense.
  public init(parsing text: String) throws(QueryFilterError) {
    var parser = try QueryFilterParser(text)
    self = try parser.filter()
  }

  /// The form in which texts are compared and indexed.
  public static func folded(_ text: some StringProtocol) -> String { text.lowercased() }
}

/// Why a text is not a filter.
public struct QueryFilterError: Error, Sendable, Hashable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

extension QueryFilter {
  /// Whether the object meets the condition.
  public func matches(_ object: JSONObject) -> Bool {
    switch self {
    case .literal(let value): value
    case .present(let pointer): pointer.value(in: object).map(\.isSomething) ?? false
    case .comparison(let pointer, let comparison, let value):
      pointer.value(in: object).map { Self.fits($0, comparison, value) } ?? false
    case .and(let parts): parts.allSatisfy { $0.matches(object) }
    case .or(let parts): parts.contains { $0.matches(object) }
    case .not(let part): !part.matches(object)
    }
  }

  private static func fits(_ found: JSONValue, _ comparison: Comparison, _ wanted: JSONValue) -> Bool {
    if let elements = found.arrayValue, wanted.arrayValue == nil {
      return elements.contains { fits($0, comparison, wanted) }
    }
    if let found = found.stringValue, let wanted = wanted.stringValue {
      return fits(Array(folded(found).utf8), comparison, Array(folded(wanted).utf8))
    }
    if let found = found.doubleValue, let wanted = wanted.doubleValue {
      return comparison.isMet(by: found == wanted ? 0 : found < wanted ? -1 : 1)
    }
    return comparison == .equal && found == wanted
  }

  private static func fits(_ found: [UInt8], _ comparison: Comparison, _ wanted: [UInt8]) -> Bool {
    switch comparison {
    case .startsWith: found.starts(with: wanted)
    case .contains: contains(found, wanted)
    default: comparison.isMet(by: found == wanted ? 0 : found.lexicographicallyPrecedes(wanted) ? -1 : 1)
    }
  }

  private static func contains(_ found: [UInt8], _ wanted: [UInt8]) -> Bool {
    guard !wanted.isEmpty else { return true }
    guard found.count >= wanted.count else { return false }
    return (0...(found.count - wanted.count)).contains { found[$0...].starts(with: wanted) }
  }
}

extension QueryFilter.Comparison {
  /// - Parameter order: below zero when the value comes before the wanted one.
  fileprivate func isMet(by order: Int) -> Bool {
    switch self {
    case .equal: order == 0
    case .lessThan: order < 0
    case .lessThanOrEqual: order <= 0
    case .greaterThan: order > 0
    case .greaterThanOrEqual: order >= 0
    case .contains, .startsWith: false
    }
  }
}

extension JSONValue {
  /// Whether the value is neither `null` nor an empty text, list or object.
  fileprivate var isSomething: Bool {
    switch self {
    case .null: false
    case .string(let text): !text.isEmpty
    case .array(let elements): !elements.isEmpty
    case .object(let object): !object.isEmpty
    default: true
    }
  }
}
