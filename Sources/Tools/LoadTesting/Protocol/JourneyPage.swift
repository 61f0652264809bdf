internal import StrictJSON

/// An answer of the journey's endpoint: a page of questions, or the end.
struct JourneyPage: Sendable {
  private(set) var root: JSONObject
  private(set) var callbacks: [JSONObject]

  /// What the endpoint answers at the end: a session, or with `noSession` and for transactions an address only.
  var isEnd: Bool { callbacks.isEmpty }

  /// - Throws: ``LoadFailure`` for what is neither a page nor an end.
  init(_ answer: JSONValue) throws(LoadFailure) {
    guard let root = answer.objectValue else {
      throw LoadFailure(.malformed, "the journey's answer is not an object")
    }
    self.root = root
    guard let list = root["callbacks"]?.arrayValue else {
      let hasSession = root["tokenId"]?.stringValue?.isEmpty == false
      guard hasSession || root["successUrl"] != nil else {
        throw LoadFailure(.malformed, "the journey's answer has neither callbacks nor a session")
      }
      callbacks = []
      return
    }
    let callbacks = list.compactMap(\.objectValue)
    guard !list.isEmpty, callbacks.count == list.count, root["authId"]?.stringValue != nil else {
      throw LoadFailure(.malformed, "the journey's page has no callbacks, or no authId")
    }
    self.callbacks = callbacks
  }

  func type(of index: Int) -> String { callbacks[index]["type"]?.stringValue ?? "" }

  func indices(of type: String) -> [Int] { callbacks.indices.filter { self.type(of: $0) == type } }

  func has(_ type: String) -> Bool { callbacks.contains { $0["type"]?.stringValue == type } }

  /// An output of a callback.
  func output(_ name: String, of index: Int) -> JSONValue? {
    callbacks[index]["output"]?.arrayValue?.first { $0["name"]?.stringValue == name }?["value"]
  }

  /// The hidden value of that id.
  func hidden(_ id: String) -> (index: Int, value: String)? {
    for index in indices(of: "HiddenValueCallback") where output("id", of: index)?.stringValue == id {
      return (index, output("value", of: index)?.stringValue ?? "")
    }
    return nil
  }

  /// Fills in an input.
  ///
  /// - Parameter suffix: the end of the input's name; empty for a callback with one input.
  /// - Throws: ``LoadFailure`` when there is none.
  mutating func set(_ value: JSONValue, of index: Int, suffix: String = "") throws(LoadFailure) {
    var inputs = callbacks[index]["input"]?.arrayValue ?? []
    guard
      let place = inputs.firstIndex(where: { $0["name"]?.stringValue?.hasSuffix(suffix) == true }),
      var input = inputs[place].objectValue
    else { throw LoadFailure(.malformed, "\(type(of: index)) has no input \(suffix)") }
    input["value"] = value
    inputs[place] = .object(input)
    callbacks[index]["input"] = .array(inputs)
  }

  /// What is posted back.
  var body: [UInt8] {
    var root = root
    root["callbacks"] = .array(callbacks.map(JSONValue.object))
    return root.serialized
  }
}
