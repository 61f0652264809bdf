public import StrictJSON

/// A raw answer of the journey's endpoint: a page of callbacks, or the end.
public struct JourneyPage: Sendable {
  private var root: JSONObject

  /// The page's callbacks; empty at the end.
  public private(set) var callbacks: [JSONObject]

  /// Whether the journey has ended. The answer then has a session, or only an address with `noSession` and for transactions.
  public var isEnd: Bool { callbacks.isEmpty }

  /// - Throws: ``MalformedAnswer`` when the answer is neither a page nor an end.
  public init(_ answer: JSONValue) throws(MalformedAnswer) {
    guard let root = answer.objectValue else {
      throw MalformedAnswer("the journey's answer is not an object")
    }
    self.root = root
    guard let list = root["callbacks"]?.arrayValue else {
      let hasSession = root["tokenId"]?.stringValue?.isEmpty == false
      guard hasSession || root["successUrl"] != nil else {
        throw MalformedAnswer("the journey's answer has neither callbacks nor a session")
      }
      callbacks = []
      return
    }
    let callbacks = list.compactMap(\.objectValue)
    guard !list.isEmpty, callbacks.count == list.count, root["authId"]?.stringValue != nil else {
      throw MalformedAnswer("the journey's page has no callbacks, or no authId")
    }
    self.callbacks = callbacks
  }

  /// The type of the callback at `index`.
  public func type(of index: Int) -> String { callbacks[index]["type"]?.stringValue ?? "" }

  /// Whether the page has a callback of this type.
  public func has(_ type: String) -> Bool { callbacks.contains { $0["type"]?.stringValue == type } }

  /// An output of a callback.
  public func output(_ name: String, of index: Int) -> JSONValue? {
    callbacks[index]["output"]?.arrayValue?.first { $0["name"]?.stringValue == name }?["value"]
  }

  /// The hidden value with this id.
  public func hidden(_ id: String) -> (index: Int, value: String)? {
    for index in callbacks.indices
    where type(of: index) == "HiddenValueCallback" && output("id", of: index)?.stringValue == id {
      return (index, output("value", of: index)?.stringValue ?? "")
    }
    return nil
  }

  /// Sets an input of a callback.
  ///
  /// - Parameter suffix: the end of the input's name; empty for a callback with one input.
  /// - Throws: ``MalformedAnswer`` when there is no such input.
  public mutating func set(_ value: JSONValue, of index: Int, suffix: String = "") throws(MalformedAnswer) {
    var inputs = callbacks[index]["input"]?.arrayValue ?? []
    guard
      let place = inputs.firstIndex(where: { $0["name"]?.stringValue?.hasSuffix(suffix) == true }),
      var input = inputs[place].objectValue
    else { throw MalformedAnswer("\(type(of: index)) has no input \(suffix)") }
    input["value"] = value
    inputs[place] = .object(input)
    callbacks[index]["input"] = .array(inputs)
  }

  /// The body to post back.
  public var body: [UInt8] {
    var root = root
    root["callbacks"] = .array(callbacks.map(JSONValue.object))
    return root.serialized
  }
}

/// The server's answer violates the protocol.
public struct MalformedAnswer: Error, Sendable, Hashable, CustomStringConvertible {
  public let description: String

  /// - Parameter description: The violation.
  public init(_ description: String) { self.description = description }
}
