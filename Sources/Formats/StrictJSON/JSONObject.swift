/// The members of a JSON object, in the order in which they were added.
///
/// Order is kept for readers of the text and does not take part in comparison. Objects of this project's
/// formats have few members, so a lookup is a scan of a short array.
///
/// A name is found by its exact characters, without Unicode normalisation (RFC 7515 §10.13, RFC 8259 §8.3),
/// although Swift calls strings equal that only look the same: nobody can pass `"\u{212A}id"` (Kelvin sign)
/// for `"Kid"`. Two names that are equal for Swift cannot stand in one object all the same, since they would
/// be one key of a dictionary: the parser refuses the second, and setting it replaces the first.
public struct JSONObject: Sendable {
  package private(set) var members: [(name: String, value: JSONValue)]

  /// Above this, an index of the names is faster than scanning them for every addition.
  static let indexingThreshold = 16

  /// An object without members.
  public init() { members = [] }

  /// An object of `members`; of several with one name the last wins, at the place of the first.
  public init(_ members: some Sequence<(String, JSONValue)>) {
    self.init()
    add(members.lazy.map { (name: $0, value: $1) })
  }

  /// Members that are known to be unique, from the parser.
  init(unique members: [(name: String, value: JSONValue)]) { self.members = members }

  /// The value of the member `name`; assigning `nil` removes it.
  public subscript(name: String) -> JSONValue? {
    get { members.first { $0.name.hasSameBytes(as: name) }?.value }
    set {
      guard let newValue else { return members.removeAll { $0.name.hasSameBytes(as: name) } }
      if let index = members.firstIndex(where: { $0.name == name }) {
        members[index] = (name, newValue)
      } else {
        members.append((name, newValue))
      }
    }
  }

  /// The names, in order.
  public var names: [String] { members.map(\.name) }

  /// Adds the members of `other`; where both have a name, `other` wins.
  public mutating func merge(_ other: JSONObject) { add(other.members) }

  /// Sets many members in a time that grows with their number, not with its square: objects come from
  /// outside.
  private mutating func add(_ others: some Sequence<(name: String, value: JSONValue)>) {
    var places: [String: Int]?
    for member in others {
      if places == nil, members.count >= Self.indexingThreshold {
        places = Dictionary(uniqueKeysWithValues: members.indices.map { (members[$0].name, $0) })
      }
      guard places != nil else {
        self[member.name] = member.value
        continue
      }
      if let place = places?[member.name] {
        members[place] = member
      } else {
        places?[member.name] = members.count
        members.append(member)
      }
    }
  }
}

extension JSONObject: Sequence {
  public func makeIterator() -> AnyIterator<(name: String, value: JSONValue)> {
    var iterator = members.makeIterator()
    return AnyIterator { iterator.next() }
  }

  /// How many members there are.
  public var count: Int { members.count }

  /// Whether there are no members.
  public var isEmpty: Bool { members.isEmpty }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}

extension JSONObject: Hashable {
  public static func == (lhs: JSONObject, rhs: JSONObject) -> Bool {
    guard lhs.count == rhs.count else { return false }
    let inOrder = zip(lhs.members, rhs.members).allSatisfy { $0.name.hasSameBytes(as: $1.name) }
    if inOrder { return zip(lhs.members, rhs.members).allSatisfy { $0.value == $1.value } }
    let others = Dictionary(uniqueKeysWithValues: rhs.members.map { ($0.name, $0) })
    return lhs.members.allSatisfy { member in
      guard let other = others[member.name] else { return false }
      return other.name.hasSameBytes(as: member.name) && other.value == member.value
    }
  }

  public func hash(into hasher: inout Hasher) {
    var combined = 0
    for member in members {
      var one = Hasher()
      one.combine(member.name)
      one.combine(member.value)
      combined ^= one.finalize()
    }
    hasher.combine(combined)
  }
}
