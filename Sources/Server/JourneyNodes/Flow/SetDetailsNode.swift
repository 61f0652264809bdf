internal import JourneyEngine
internal import StrictJSON

extension NodeDefinition {
  /// Adds to what the client reads at the end: `SetSuccessDetailsNode`, and `SetFailureDetailsNode`, which can also set the message.
  ///
  /// - Parameter end: ``JourneyEndDetails/success`` or ``JourneyEndDetails/failure``.
  func setDetailsNode(_ end: String) throws(JourneyFileError) -> PlainNode {
    let details = details(of: "\(end)Details")
    let message =
      end == JourneyEndDetails.failure ? try localized("failureMessage", builtIn: "") : nil
    return PlainNode { context in
      var stored = context.state.secure[JourneyEndDetails.key]?.objectValue ?? JSONObject()
      var all = stored[end]?.objectValue ?? JSONObject()
      all.merge(details)
      stored[end] = .object(all)
      if let message, !message.isEmpty {
        stored[JourneyEndDetails.message] = .string(message.text(for: context.request.locales))
      }
      context.state.secure[JourneyEndDetails.key] = .object(stored)
      return .outcome("outcome")
    }
  }

  /// Members with a meaning for clients, which cannot be set.
  private static let reservedDetails: Set<String> = [
    "tokenId", "realm", "authId", "callbacks", "code", "reason", "message", "detail", "errorCode",
  ]

  private func details(of property: String) -> JSONObject {
    noteReading(property, as: "object of texts", default: "{}")
    guard let value = properties[property], !value.isNull else { return [:] }
    let (object, most) = (value.objectValue ?? JSONObject(), 50)
    if value.objectValue == nil || object.count > most {
      repaired(
        property, "must be an object with at most \(most) members",
        instead: object.isEmpty ? "Nothing is added." : "The first \(most) are added.")
    }
    var details = JSONObject()
    for (name, value) in object.prefix(most) {
      guard !Self.reservedDetails.contains(name) else {
        repaired(property, "\(name.quoted) is the server's own member", instead: "It is left out.")
        continue
      }
      guard value.objectValue == nil, value.arrayValue == nil, !value.isNull else {
        repaired(property, "\(name.quoted) must be a text", instead: "It is left out.")
        continue
      }
      let text = value.stringValue ?? value.text
      if value.stringValue == nil {
        repaired(
          property, "\(name.quoted) must be a text", instead: "It is taken as the text \(text.quoted).")
      }
      details[name] = .string(text)
    }
    return details
  }
}
