internal import Accounts
internal import JourneyEngine
internal import StrictJSON

/// Sends state variables to the client in a `MetadataCallback`, which the client reads and does not show.
///
/// Shared state only: transient and secure state never leave the journey. Passwords and nodes' private variables are left out, too, even if
/// a script has put them into shared state.
struct MetadataNode: JourneyNode {
  let outcomes = ["outcome"]
  let stepUse = StepUse.later
  private let names: [String]

  private static let mostNames = 100

  /// Members that are never sent, at any depth of a value; in lower case.
  private static let secrets: Set<String> = {
    let own = ManagedAttribute.hidden.union([StateKey.password, StateKey.oneTimePassword])
    return Set(own.map { $0.lowercased() }).union(["userpassword", "userpasswordhash", "currentpassword"])
  }()

  init(_ definition: NodeDefinition) throws(JourneyFileError) {
    let names = try definition.strings("attributes")
    guard names.count <= Self.mostNames else {
      throw definition.wrong("attributes", "must be at most \(Self.mostNames) names")
    }
    self.names = names.filter { name in
      guard Self.secrets.contains(name.lowercased()) else { return true }
      definition.repaired(
        "attributes", "names \(name.quoted), which clients must not read", instead: "It is left out.")
      return false
    }
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    // Clients need not send it back: any answer to the step continues the journey.
    guard context.reply == nil else { return .outcome("outcome") }
    var data = JSONObject()
    for name in names {
      if let value = context.state.shared[name] { data[name] = Self.shown(value) }
    }
    return .callbacks([
      OutgoingCallback(type: "MetadataCallback", outputs: [.init("data", .object(data))], inputs: [])
    ])
  }

  /// The value without secret members.
  private static func shown(_ value: JSONValue) -> JSONValue {
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
