/// A map whose keys are different from each other. Their order has no meaning: equal maps are encoded alike.
///
/// Few entries are scanned, many have an index, because maps come from outside: adding an entry stays fast however many there are.
public struct CBORMap: Sendable, ExpressibleByDictionaryLiteral {
  private var entries: [(key: CBORValue, value: CBORValue)] = []

  /// The position of each key; empty until there are more than ``indexingThreshold`` entries.
  private var places: [CBORValue: Int] = [:]

  /// The most entries that are scanned, which is faster than an index for so few.
  static let indexingThreshold = 16

  /// An empty map.
  public init() {}

  /// A map of `entries`; of two with the same key the later one stays.
  public init(_ entries: some Sequence<(CBORValue, CBORValue)>) {
    for (key, value) in entries { self[key] = value }
  }

  public init(dictionaryLiteral elements: (CBORValue, CBORValue)...) { self.init(elements) }

  /// An empty map with room for `count` entries.
  init(minimumCapacity count: Int) { entries.reserveCapacity(count) }

  /// How many entries there are.
  public var count: Int { entries.count }

  /// The keys, in no particular order.
  public var keys: some Collection<CBORValue> { entries.lazy.map(\.key) }

  /// The value of `key`; setting `nil` removes the entry.
  public subscript(key: CBORValue) -> CBORValue? {
    get { place(of: key).map { entries[$0].value } }
    set {
      guard let newValue else { return remove(key) }
      if let place = place(of: key) { entries[place].value = newValue } else { append(key, newValue) }
    }
  }

  /// The entries as the canonical form orders them: by their keys' major types, then shorter encodings first, then byte by
  /// byte (CTAP 2.1 §8).
  var canonicalEntries: [(key: [UInt8], value: CBORValue)] {
    entries.map { (key: $0.key.encoded, value: $0.value) }.sorted { left, right in
      let (leftMajor, rightMajor) = ((left.key.first ?? 0) >> 5, (right.key.first ?? 0) >> 5)
      if leftMajor != rightMajor { return leftMajor < rightMajor }
      if left.key.count != right.key.count { return left.key.count < right.key.count }
      return left.key.lexicographicallyPrecedes(right.key)
    }
  }

  /// Adds an entry, unless its key is there already.
  mutating func insert(_ key: CBORValue, _ value: CBORValue) -> Bool {
    guard place(of: key) == nil else { return false }
    append(key, value)
    return true
  }

  private func place(of key: CBORValue) -> Int? {
    places.isEmpty ? entries.indices.first { entries[$0].key == key } : places[key]
  }

  private mutating func append(_ key: CBORValue, _ value: CBORValue) {
    entries.append((key, value))
    if !places.isEmpty {
      places[key] = entries.count - 1
    } else if entries.count > Self.indexingThreshold {
      index()
    }
  }

  /// The last entry takes the place of the removed one.
  private mutating func remove(_ key: CBORValue) {
    guard let place = place(of: key) else { return }
    entries.swapAt(place, entries.count - 1)
    entries.removeLast()
    guard !places.isEmpty else { return }
    places[key] = nil
    if place < entries.count { places[entries[place].key] = place }
  }

  private mutating func index() {
    places.reserveCapacity(entries.count)
    for (place, entry) in entries.enumerated() { places[entry.key] = place }
  }
}

extension CBORMap: Hashable {
  public static func == (one: CBORMap, other: CBORMap) -> Bool {
    one.count == other.count && one.entries.allSatisfy { other[$0.key] == $0.value }
  }

  public func hash(into hasher: inout Hasher) {
    var combined = 0
    for entry in entries {
      var one = Hasher()
      one.combine(entry.key)
      one.combine(entry.value)
      combined ^= one.finalize()
    }
    hasher.combine(combined)
  }
}
