internal import JourneyEngine
internal import StrictJSON

/// Adds to what the client reads at the end: `SetSuccessDetailsNode`, and `SetFailureDetailsNode`, which can also set the message.
struct SetDetailsNode: JourneyNode {
  let outcomes = ["outcome"]
  private let end: SetDestinationNode.End
  private let details: JSONObject
  private let message: LocalizedText?

  /// Members that mean something to clients.
  private static let reserved: Set<String> = [
    "tokenId", "realm", "authId", "callbacks", "code", "reason", "message", "detail", "errorCode",
  ]

  init(_ end: SetDestinationNode.End, _ definition: NodeDefinition) throws(JourneyFileError) {
    self.end = end
    let property = end == .success ? "successDetails" : "failureDetails"
    definition.noteReading(property, as: "object of texts", default: "{}")
    var details = JSONObject()
    if let value = definition.properties[property], !value.isNull {
      guard let object = value.objectValue, object.count <= 50 else {
        throw definition.wrong(property, "must be an object with at most 50 members")
      }
      for (name, text) in object {
        guard let text = text.stringValue else {
          throw definition.wrong(property, "\(name.quoted) must be a text")
        }
        guard !Self.reserved.contains(name) else {
          throw definition.wrong(property, "\(name.quoted) is the server's own member")
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
