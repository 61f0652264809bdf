internal import JourneyEngine
internal import StrictJSON

/// Adds to what the client reads at the end: `SetSuccessDetailsNode`, and `SetFailureDetailsNode`, which can also set the message.
struct SetDetailsNode: JourneyNode {
  let outcomes = ["outcome"]
  private let end: SetDestinationNode.End
  private let details: JSONObject
  private let message: LocalizedText?

  private static let mostMembers = 50

  /// Members with a meaning for clients, which cannot be set.
  private static let reserved: Set<String> = [
    "tokenId", "realm", "authId", "callbacks", "code", "reason", "message", "detail", "errorCode",
  ]

  init(_ end: SetDestinationNode.End, _ definition: NodeDefinition) throws(JourneyFileError) {
    self.end = end
    let property = end == .success ? "successDetails" : "failureDetails"
    definition.noteReading(property, as: "object of texts", default: "{}")
    var details = JSONObject()
    if let value = definition.properties[property], !value.isNull {
      let object = value.objectValue ?? JSONObject()
      if value.objectValue == nil || object.count > Self.mostMembers {
        definition.repaired(
          property, "must be an object with at most \(Self.mostMembers) members",
          instead: object.isEmpty ? "Nothing is added." : "The first \(Self.mostMembers) are added.")
      }
      for (name, value) in object.prefix(Self.mostMembers) {
        guard !Self.reserved.contains(name) else {
          definition.repaired(
            property, "\(name.quoted) is the server's own member", instead: "It is left out.")
          continue
        }
        guard value.objectValue == nil, value.arrayValue == nil, !value.isNull else {
          definition.repaired(property, "\(name.quoted) must be a text", instead: "It is left out.")
          continue
        }
        let text = value.stringValue ?? value.text
        if value.stringValue == nil {
          definition.repaired(
            property, "\(name.quoted) must be a text", instead: "It is taken as the text \(text.quoted).")
        }
        details[name] = .string(text)
      }
    }
    self.details = details
    let message = end == .failure ? try definition.localized("failureMessage", builtIn: "") : nil
    self.message = message.flatMap { $0.isEmpty ? nil : $0 }
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    var stored = context.state.secure[JourneyEndDetails.key]?.objectValue ?? JSONObject()
    let member = end == .success ? JourneyEndDetails.success : JourneyEndDetails.failure
    var all = stored[member]?.objectValue ?? JSONObject()
    all.merge(details)
    stored[member] = .object(all)
    if let message { stored[JourneyEndDetails.message] = .string(message.text(for: context.request.locales)) }
    context.state.secure[JourneyEndDetails.key] = .object(stored)
    return .outcome("outcome")
  }
}
