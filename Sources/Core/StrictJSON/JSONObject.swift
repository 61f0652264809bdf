/// The members of a JSON object, in the order in which they were added.
///
/// Order is kept for readers of the text and does not take part in comparison. The time to find, add, replace or remove a member does
/// not grow with the number of members, because objects come from outside: few members are scanned, many have an index.
///
/// A name is found by its exact characters, without Unicode normalisation (RFC 7515 §10.13, RFC 8259 §8.3),
/// although Swift calls strings equal that only look the same: nobody can pass `"\u{212A}id"` (Kelvin sign)
/// for `"Kid"`. An object still cannot have two names that are equal for Swift, because they would be one key of a dictionary: the parser
/// refuses the second, and setting it replaces the first.
public struct JSONObject: Sendable {
  /// Where each name stands in ``slots``.
  private struct Index: Sendable {
    var places: [String: Int]

    /// How many of ``slots`` are gaps.
    var gaps = 0
  }

  /// A member, or the gap of a removed one.
  struct Slot: Sendable {
    let name: String
    var value: JSONValue
    var isGap = false
  }

  /// The members in order. When there is an index, removing a member leaves a gap. Gaps are closed before they are the greater part.
  private var slots: [Slot]

  /// Holds one index when there are more than ``indexingThreshold`` slots, else none. It is an array because that takes one word in
  /// every object, and nearly all have no index.
  private var index: [Index] = []

  /// The most members that are scanned, which is faster than an index for so few.
  static let indexingThreshold = 16

  /// An object without members.
  public init() { slots = [] }

  /// An object without members, with room for `count`.
  package init(minimumCapacity count: Int) {
    slots = []
    slots.reserveCapacity(count)
  }

  /// An object of `members`. Of several with the same name the last value wins, at the position of the first.
  public init(_ members: some Sequence<(String, JSONValue)>) {
    self.init(minimumCapacity: members.underestimatedCount)
    for (name, value) in members { set(name, value) }
  }

  /// Members whose names are known to be unique, from the parser.
  init(unique members: [Slot]) {
    slots = members
    indexIfMany()
  }

  /// Passes the members to `body` in order, without copying them.
  func forEachMember(_ body: (_ name: String, _ value: JSONValue) -> Void) {
    for slot in slots where !slot.isGap { body(slot.name, slot.value) }
  }

  package var members: [(name: String, value: JSONValue)] { map(\.self) }

  /// The value of the member `name`; assigning `nil` removes it.
  public subscript(name: String) -> JSONValue? {
    get { place(ofExactly: name).map { slots[$0].value } }
    set {
      if let newValue { set(name, newValue) } else { remove(name) }
    }
  }

  /// The value of the member `name`. The position `place`, where it usually is, is checked first.
  package subscript(name: String, usuallyAt place: Int) -> JSONValue? {
    guard place < slots.count, slots[place].name.hasSameBytes(as: name) else { return self[name] }
    return slots[place].value
  }

  /// Adds a member whose name is known to be new.
  package mutating func addNew(_ name: String, _ value: JSONValue) {
    assert(place(of: name) == nil, "There is a member \(name) already.")
    append(name, value)
  }

  /// The names, in order.
  public var names: [String] { map(\.name) }

  /// Adds the members of `other`; where both have a name, `other` wins.
  public mutating func merge(_ other: JSONObject) {
    for (name, value) in other { set(name, value) }
  }

  // MARK: Places

  /// Whether finding a name uses the index or scans only a few members.
  var isFast: Bool { slots.count <= Self.indexingThreshold || !index.isEmpty }

  /// The position of the member whose name equals `name` by Swift's `==`.
  private func place(of name: String) -> Int? {
    if let index = index.first { return index.places[name] }
    return slots.indices.first { slots[$0].name == name }
  }

  /// The position of the member whose name has the same bytes. No other name equals it by Swift's `==`.
  private func place(ofExactly name: String) -> Int? {
    if let index = index.first {
      guard let place = index.places[name], slots[place].name.hasSameBytes(as: name) else { return nil }
      return place
    }
    return slots.indices.first { slots[$0].name.hasSameBytes(as: name) }
  }

  private mutating func set(_ name: String, _ value: JSONValue) {
    if let place = place(of: name) {
      slots[place] = Slot(name: name, value: value)
      return
    }
    append(name, value)
  }

  private mutating func append(_ name: String, _ value: JSONValue) {
    slots.append(Slot(name: name, value: value))
    if index.isEmpty { indexIfMany() } else { index[0].places[name] = slots.count - 1 }
  }

  private mutating func remove(_ name: String) {
    guard let place = place(ofExactly: name) else { return }
    guard !index.isEmpty else {
      slots.remove(at: place)
      return
    }
    slots[place] = Slot(name: "", value: .null, isGap: true)
    index[0].places[name] = nil
    index[0].gaps += 1
    guard index[0].gaps > slots.count / 2 else { return }
    slots.removeAll(where: \.isGap)
    index = []
    indexIfMany()
  }

  private mutating func indexIfMany() {
    guard slots.count > Self.indexingThreshold else { return }
    var places: [String: Int] = [:]
    places.reserveCapacity(slots.count)
    for (place, slot) in slots.enumerated() where !slot.isGap { places[slot.name] = place }
    index = [Index(places: places)]
  }
}

extension JSONObject: Sequence {
  /// Goes through the members in order.
  public struct Iterator: IteratorProtocol {
    fileprivate var slots: IndexingIterator<[Slot]>

    public mutating func next() -> (name: String, value: JSONValue)? {
      while let slot = slots.next() {
        if !slot.isGap { return (slot.name, slot.value) }
      }
      return nil
    }
  }

  public func makeIterator() -> Iterator { Iterator(slots: slots.makeIterator()) }

  public var underestimatedCount: Int { count }

  /// How many members there are.
  public var count: Int { slots.count - (index.first?.gaps ?? 0) }

  /// Whether there are no members.
  public var isEmpty: Bool { count == 0 }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}

extension JSONObject: Hashable {
  public static func == (lhs: JSONObject, rhs: JSONObject) -> Bool {
    guard lhs.count == rhs.count else { return false }
    return lhs.slots.allSatisfy { $0.isGap || rhs[$0.name] == $0.value }
  }

  public func hash(into hasher: inout Hasher) {
    var combined = 0
    for member in slots where !member.isGap {
      var one = Hasher()
      one.combine(member.name)
      one.combine(member.value)
      combined ^= one.finalize()
    }
    hasher.combine(combined)
  }
}
