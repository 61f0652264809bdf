internal import StrictJSON

/// A callback in the form of tests: its type and its outputs by name.
enum CallbackView {
  /// - Parameter wire: the callback as the server sent it.
  static func make(_ wire: JSONValue) -> JSONValue {
    var view: JSONObject = ["type": wire["type"] ?? .null]
    for output in wire["output"]?.arrayValue ?? [] {
      guard let name = output["name"]?.stringValue, name != "type" else { continue }
      view[name] = output["value"]
    }
    return .object(view)
  }

  /// The type of a callback; `nil` for other values.
  static func type(of view: JSONValue) -> String? {
    view["type"]?.stringValue.flatMap { $0.hasSuffix("Callback") ? $0 : nil }
  }

  /// A callback's main text: its prompt, message or value, or its hidden value's id.
  static func mainText(of view: JSONValue?) -> JSONValue? {
    for name in ["prompt", "message", "id", "name", "value"] {
      if let text = view?[name], text.stringValue?.isEmpty == false { return text }
    }
    return view?["prompt"] ?? view?["message"]
  }
}
