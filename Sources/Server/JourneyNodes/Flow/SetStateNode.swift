internal import JourneyEngine
internal import StrictJSON

/// Puts fixed texts into shared state, for later nodes and scripts.
///
/// Variables that identify the user or that other nodes answer for (``ReservedState``) are refused: a fixed name would sign everybody in as
/// that account.
struct SetStateNode: JourneyNode {
  let outcomes = ["outcome"]
  let stateOutputs: [String]
  private let variables: JSONObject

  private static let mostVariables = 100
  private static let longestName = 128
  private static let longestValue = 4096

  init(_ definition: NodeDefinition) throws(JourneyFileError) {
    let property = "attributes"
    definition.noteReading(property, as: "object of texts", default: "{}")
    var variables = JSONObject()
    if let value = definition.properties[property], !value.isNull {
      guard let object = value.objectValue, object.count <= Self.mostVariables else {
        throw definition.wrong(property, "must be an object with at most \(Self.mostVariables) members")
      }
      for (name, value) in object {
        guard (1...Self.longestName).contains(name.utf8.count) else {
          throw definition.wrong(property, "must have names of at most \(Self.longestName) bytes")
        }
        guard let text = value.stringValue ?? value.scalarText, text.utf8.count <= Self.longestValue else {
          throw definition.wrong(
            property, "\(name.quoted) must be a text of at most \(Self.longestValue) bytes")
        }
        if let objection = ReservedState.objection(to: name) {
          definition.repaired(property, objection, instead: "It is not set.")
        } else {
          variables[name] = .string(text)
        }
      }
    }
    self.variables = variables
    stateOutputs = variables.map(\.name)
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    context.state.shared.merge(variables)
    return .outcome("outcome")
  }
}

extension JSONValue {
  /// A number or a boolean as the text that the editor showed for it.
  fileprivate var scalarText: String? {
    switch self {
    case .bool, .integer, .number: text
    default: nil
    }
  }
}
