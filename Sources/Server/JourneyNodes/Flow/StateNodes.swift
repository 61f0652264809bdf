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

extension NodeDefinition {
  /// Where the client goes after success (`SetSuccessUrlNode`, the variable ``JourneyEndDetails/successURL``) or failure (`SetFailureUrlNode`); the
  /// property has the variable's name.
  func setDestinationNode(_ variable: String) throws(JourneyFileError) -> PlainNode {
    let url = try string(variable)
    let isDestination = Self.isDestination(url)
    if !isDestination {
      repaired(
        variable, "must be an address that begins with https://, http:// or a single slash",
        instead: "The journey continues without it.")
    }
    return PlainNode(stateOutputs: [variable]) { context in
      if isDestination { context.state.shared[variable] = .string(url) }
      return .outcome("outcome")
    }
  }

  /// Refuses addresses that a browser would run, and hosts that look like a path.
  private static func isDestination(_ text: String) -> Bool {
    guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21..<0x7F).contains($0) && $0 != 0x5C }) else {
      return false
    }
    if text.hasPrefix("/") { return !text.hasPrefix("//") }
    return text.hasPrefix("https://") || text.hasPrefix("http://")
  }

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
