internal import Accounts
internal import JourneyEngine
internal import StrictJSON

extension NodeDefinition {
  /// Sends state variables to the client in a `MetadataCallback`, which the client reads and does not show.
  ///
  /// Shared state only: transient and secure state never leave the journey. Passwords and nodes' private variables are left out, too, even
  /// if a script has put them into shared state.
  func metadataNode() throws(JourneyFileError) -> PlainNode {
    let (all, most) = (try strings("attributes"), 100)
    guard all.count <= most else { throw wrong("attributes", "must be at most \(most) names") }
    let names = all.filter { name in
      guard ShownState.secrets.contains(name.lowercased()) else { return true }
      repaired("attributes", "names \(name.quoted), which clients must not read", instead: "It is left out.")
      return false
    }
    return PlainNode(stepUse: .later) { context in
      // Clients need not send it back: any answer to the step continues the journey.
      guard context.reply == nil else { return .outcome("outcome") }
      var data = JSONObject()
      for name in names {
        if let value = context.state.shared[name] { data[name] = ShownState.shown(value) }
      }
      return .callbacks([
        OutgoingCallback(type: "MetadataCallback", outputs: [.init("data", .object(data))], inputs: [])
      ])
    }
  }
}

private enum ShownState {
  /// Members that are never sent, at any depth of a value; in lower case.
  static let secrets: Set<String> = {
    let own = ManagedAttribute.hidden.union([StateKey.password, StateKey.oneTimePassword])
    return Set(own.map { $0.lowercased() }).union(["userpassword", "userpasswordhash", "currentpassword"])
  }()

  /// The value without secret members.
  static func shown(_ value: JSONValue) -> JSONValue {
    switch value {
    case .object(let object):
      .object(
        JSONObject(
          object.filter { !secrets.contains($0.name.lowercased()) }.map { ($0.name, shown($0.value)) }))
    case .array(let elements): .array(elements.map(shown))
    default: value
    }
  }
}
