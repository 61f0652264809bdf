internal import StrictJSON

/// What the server must remember of a callback that it sent, to recognise the answer.
struct AskedCallback: Sendable, Hashable {
  let type: String

  /// Names of the inputs after the `IDTokenN` stem; empty for read-only callbacks.
  let suffixes: [String]

  init(type: String, suffixes: [String]) {
    self.type = type
    self.suffixes = suffixes
  }

  init(_ callback: OutgoingCallback) {
    self.init(type: callback.type, suffixes: callback.inputs.map(\.name))
  }
}

extension OutgoingCallback {
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
