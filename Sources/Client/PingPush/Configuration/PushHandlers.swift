/// Push handlers under unique keys, in the order in which they are asked.
///
/// Written as a list, `[CustomPushHandler()]`, whose keys are the type names, or with keys, `["KEY": CustomPushHandler()]`.
public struct PushHandlers: Sendable {
  private var entries: [(key: String, handler: any PushHandler)] = []

  /// No handlers.
  public init() {}

  /// The handlers of a dictionary, in the order of their keys.
  public init(_ handlers: [String: any PushHandler]) {
    for (key, handler) in handlers.sorted(by: { $0.key < $1.key }) { self[key] = handler }
  }

  /// The handler `key`. Setting one that is there keeps its place.
  public subscript(key: String) -> (any PushHandler)? {
    get { entries.first { $0.key == key }?.handler }
    set {
      let place = entries.firstIndex { $0.key == key }
      switch (place, newValue) {
      case (let place?, let handler?): entries[place].handler = handler
      case (let place?, nil): entries.remove(at: place)
      case (nil, let handler?): entries.append((key, handler))
      case (nil, nil): break
      }
    }
  }

  /// Adds `handler` under its type's name, with a number where that is taken.
  public mutating func append(_ handler: any PushHandler) {
    let name = String(describing: type(of: handler))
    var (key, number) = (name, 2)
    while self[key] != nil {
      key = "\(name)-\(number)"
      number += 1
    }
    self[key] = handler
  }

  public var count: Int { entries.count }
  public var isEmpty: Bool { entries.isEmpty }
  public var keys: [String] { entries.map(\.key) }
}

extension PushHandlers: Sequence {
  public func makeIterator() -> IndexingIterator<[(key: String, handler: any PushHandler)]> {
    entries.makeIterator()
  }
}

extension PushHandlers: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  public init(arrayLiteral elements: any PushHandler...) { for handler in elements { append(handler) } }

  /// A key that stands there twice has the later handler.
  public init(dictionaryLiteral elements: (String, any PushHandler)...) {
    for (key, handler) in elements { self[key] = handler }
  }
}
