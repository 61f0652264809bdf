internal import JourneyEngine
internal import StrictJSON

extension NodeDefinition {
  /// Puts fixed texts into shared state, for later nodes and scripts.
  ///
  /// Variables that identify the user or that other nodes answer for (``ReservedState``) are refused: a fixed name would sign everybody in
  /// as that account.
  func setStateNode() throws(JourneyFileError) -> PlainNode {
    let (property, longestName, longestValue) = ("attributes", 128, 4096)
    noteReading(property, as: "object of texts", default: "{}")
    var variables = JSONObject()
    for (name, value) in try object(property, most: 100) {
      guard (1...longestName).contains(name.utf8.count) else {
        throw wrong(property, "must have names of at most \(longestName) bytes")
      }
      guard let text = value.stringValue ?? value.scalarText, text.utf8.count <= longestValue else {
        throw wrong(property, "\(name.quoted) must be a text of at most \(longestValue) bytes")
      }
      if let objection = ReservedState.objection(to: name) {
        repaired(property, objection, instead: "It is not set.")
      } else {
        variables[name] = .string(text)
      }
    }
    return PlainNode(stateOutputs: variables.map(\.name)) { [variables] context in
      context.state.shared.merge(variables)
      return .outcome("outcome")
    }
  }

  /// An object with at most `most` members; empty when the file has none.
  func object(_ property: String, most: Int? = nil) throws(JourneyFileError) -> JSONObject {
    guard let value = properties[property], !value.isNull else { return [:] }
    guard let object = value.objectValue, object.count <= most ?? .max else {
      throw wrong(property, "must be an object\(most.map { " with at most \($0) members" } ?? "")")
    }
    return object
  }
}

extension JSONValue {
  /// A number or a boolean as the text that the editor showed for it.
  var scalarText: String? {
    switch self {
    case .bool, .integer, .number: text
    default: nil
    }
  }
}
