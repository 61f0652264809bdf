/// The members of a JSON object, in the order in which they were added.
///
/// Names are unique. Order is kept for readers of the text and does not take part in comparison.
/// Objects of this project's formats have few members, so a lookup is a scan of a short array.
public struct JSONObject: Sendable {
  package private(set) var members: [(name: String, value: JSONValue)]

  /// An object without members.
  public init() { members = [] }

  /// An object of `members`; of several with one name the last wins, at the place of the first.
  public init(_ members: some Sequence<(String, JSONValue)>) {
    self.init()
    for (name, value) in members { self[name] = value }
  }

  /// Members that are known to be unique, from the parser.
  init(unique members: [(name: String, value: JSONValue)]) { self.members = members }

  /// The value of the member `name`; assigning `nil` removes it.
  public subscript(name: String) -> JSONValue? {
    get { members.first { $0.name == name }?.value }
    set {
      let index = members.firstIndex { $0.name == name }
      switch (index, newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append((name, value))
      case (nil, nil): break
      }
    }
  }

  /// The names, in order.
  public var names: [String] { members.map(\.name) }

  /// Adds the members of `other`; where both have a name, `other` wins.
  public mutating func merge(_ other: JSONObject) {
    for (name, value) in other { self[name] = value }
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
    lhs.count == rhs.count && lhs.members.allSatisfy { rhs[$0.name] == $0.value }
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
