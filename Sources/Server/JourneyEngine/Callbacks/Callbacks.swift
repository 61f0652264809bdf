public import StrictJSON

/// A callback as a node creates it, without its position, which only the page knows.
public struct OutgoingCallback: Sendable, Hashable {
  /// The wire type, for example `NameCallback`.
  public var type: String

  /// Output fields in wire order.
  public var outputs: [Field]

  /// Input fields: the name after the `IDTokenN` stem (empty for the single-input callbacks) and the preset value.
  /// Empty for read-only callbacks.
  public var inputs: [Field]

  public struct Field: Sendable, Hashable {
    public var name: String
    public var value: JSONValue

    public init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  public init(type: String, outputs: [Field], inputs: [Field]) {
    self.type = type
    self.outputs = outputs
    self.inputs = inputs
  }
}

/// The client's answer to a node: for each callback that the node returned, in its order, the input values by
/// suffix (`""`, `jws`, `deviceName`, …). Inputs that the client left out are absent, not empty.
public struct CallbackReply: Sendable, Hashable {
  public var callbacks: [[String: JSONValue]]

  /// Indices of the callbacks that the client did not send back. They are in ``callbacks`` without inputs, so that all others keep their
  /// indices. Scripts do not see them.
  public var omitted: Set<Int>

  public init(callbacks: [[String: JSONValue]], omitted: Set<Int> = []) {
    self.callbacks = callbacks
    self.omitted = omitted
  }

  /// The answer to the `count` callbacks from `start` on.
  func part(from start: Int, count: Int) -> CallbackReply {
    CallbackReply(
      callbacks: Array(callbacks.dropFirst(start).prefix(count)),
      omitted: Set(omitted.lazy.map { $0 - start }.filter { (0..<count).contains($0) }))
  }

  /// The input `suffix` of callback `index`; `nil` when the client sent none.
  public func value(_ suffix: String = "", at index: Int = 0) -> JSONValue? {
    callbacks.indices.contains(index) ? callbacks[index][suffix] : nil
  }

  /// The same as text; numbers and booleans are not text.
  public func text(_ suffix: String = "", at index: Int = 0) -> String? {
    value(suffix, at: index)?.stringValue
  }
}

/// What the server must remember of a callback that it sent, to recognise the answer.
struct AskedCallback: Sendable, Hashable {
  let type: String

  /// Names of the inputs after the `IDTokenN` stem; empty for read-only callbacks.
  let suffixes: [String]
}

extension OutgoingCallback {
  var asked: AskedCallback { AskedCallback(type: type, suffixes: inputs.map(\.name)) }

  /// The wire form of the callback at `index` of its page: inputs are named `IDTokenN`, N counted from 1 over all
  /// callbacks of the page, read-only ones too; `_id` is the index itself.
  func wireForm(at index: Int) -> JSONObject {
    var wire: JSONObject = ["type": .string(type), "output": .array(outputs.map { $0.wireForm(stem: "") })]
    if !inputs.isEmpty { wire["input"] = .array(inputs.map { $0.wireForm(stem: "IDToken\(index + 1)") }) }
    wire["_id"] = .integer(Int64(index))
    return wire
  }
}

extension OutgoingCallback.Field {
  fileprivate func wireForm(stem: String) -> JSONValue { ["name": .string(stem + name), "value": value] }
}
