/// A map whose keys are different from each other. Their order has no meaning: equal maps are encoded alike.
public struct CBORMap: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  private var values: [CBORValue: CBORValue]

  /// An empty map.
  public init() { values = [:] }

  /// A map of `entries`; of two with the same key the later one stays.
  public init(_ entries: some Sequence<(CBORValue, CBORValue)>) {
    values = Dictionary(entries, uniquingKeysWith: { $1 })
  }

  public init(dictionaryLiteral elements: (CBORValue, CBORValue)...) { self.init(elements) }

  /// How many entries there are.
  public var count: Int { values.count }

  /// The keys, in no particular order.
  public var keys: some Collection<CBORValue> { values.keys }

  /// The value of `key`; setting `nil` removes the entry.
  public subscript(key: CBORValue) -> CBORValue? {
    get { values[key] }
    set { values[key] = newValue }
  }

  /// The entries as the canonical form orders them: by their keys' major types, then shorter encodings first, then byte by
  /// byte (CTAP 2.1 §8).
  var canonicalEntries: [(key: [UInt8], value: CBORValue)] {
    values.map { (key: $0.key.encoded, value: $0.value) }.sorted { left, right in
      let (leftMajor, rightMajor) = ((left.key.first ?? 0) >> 5, (right.key.first ?? 0) >> 5)
      if leftMajor != rightMajor { return leftMajor < rightMajor }
      if left.key.count != right.key.count { return left.key.count < right.key.count }
      return left.key.lexicographicallyPrecedes(right.key)
    }
  }

  /// Adds an entry, unless its key is there already.
  mutating func insert(_ key: CBORValue, _ value: CBORValue) -> Bool {
    guard values[key] == nil else { return false }
    values[key] = value
    return true
  }
}
