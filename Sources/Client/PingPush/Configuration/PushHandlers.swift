/// Push handlers under unique keys, in the order in which they are asked.
///
/// Written as a list, `[CustomPushHandler()]`, whose keys are the type names, or with keys, `["KEY": CustomPushHandler()]`.
public struct PushHandlers: Sendable {
  private var entries: [(key: String, handler: any PushHandler)] = []

  /// Values of a loosely typed dictionary that are not handlers and were left out: their types, by key.
  private(set) var leftOut: [String: String] = [:]

  /// No handlers.
  public init() {}

  /// The handlers of a dictionary, in the order of their keys.
  public init(_ handlers: [String: any PushHandler]) {
    for (key, handler) in handlers.sorted(by: { $0.key < $1.key }) { self[key] = handler }
  }

  /// The handlers among the values of a dictionary, in the order of their keys. Other values are left out, and a client that is
  /// made with them logs a warning.
  public init(_ values: [String: Any]) {
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      if let handler = value as? any PushHandler {
        self[key] = handler
      } else {
        leftOut[key] = String(describing: type(of: value))
      }
    }
  }

  /// The handler under `key`. Replacing a handler keeps its place.
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

  /// The handlers by key, without their order.
  public var dictionary: [String: Any] { Dictionary(entries.map { ($0.key, $0.handler) }) { $1 } }
}

extension PushHandlers: Sequence {
  public func makeIterator() -> IndexingIterator<[(key: String, handler: any PushHandler)]> {
    entries.makeIterator()
  }
}

extension PushHandlers: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  public init(arrayLiteral elements: any PushHandler...) { for handler in elements { append(handler) } }

  /// For a repeated key the later handler wins.
  public init(dictionaryLiteral elements: (String, any PushHandler)...) {
    for (key, handler) in elements { self[key] = handler }
  }
}

/// Gives ``PushConfiguration/customPushHandlers`` its published type, `[String: Any]`, in addition to ours.
///
/// The guide assigns a list of handlers, the published API a dictionary of `Any`. A property has one type, so the dictionary is
/// an overload in this protocol's extension.
public protocol PushHandlersAsDictionary: AnyObject {
  /// The handlers in their order.
  var customPushHandlers: PushHandlers { get set }
}

extension PushHandlersAsDictionary {
  /// The handlers as a loosely typed dictionary. They are asked in the order of their keys; values that are not a ``PushHandler``
  /// are left out.
  @_disfavoredOverload
  public var customPushHandlers: [String: Any] {
    get {
      let handlers: PushHandlers = customPushHandlers
      return handlers.dictionary
    }
    set { customPushHandlers = PushHandlers(newValue) as PushHandlers }
  }
}
